"""A trace: spans as one tree, and what was wrong with the record it was read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from podium.tracing._usage import Usage
from podium.tracing._usage_tree import UsageTree
from podium.tracing.reading import (
    _critical_path,
    _diff,
    _endings,
    _figures,
    _parents,
    _spending,
    _usage_trees,
    _waits,
    _why,
)
from podium.tracing.reading._critical_path import PathPiece
from podium.tracing.reading._diff import Change
from podium.tracing.reading._endings import Ending
from podium.tracing.reading._figures import By
from podium.tracing.reading._span import TraceSpan
from podium.tracing.reading._spending import Spending
from podium.tracing.reading._waits import Wait

if TYPE_CHECKING:
    import networkx as nx


class Trace:
    """The spans of one trace as a tree, whatever state the record was in.

    Spans whose parent is missing become roots, circles are opened, duplicates are dropped; each
    such mend is told in `problems`.
    """

    def __init__(self, spans: Iterable[TraceSpan], problems: Iterable[str] = ()) -> None:
        """Order the spans; `problems` are sentences about the record they come from."""
        tree = _parents.resolve(spans)
        self.spans: tuple[TraceSpan, ...] = tree.spans
        """Each span after its parent, siblings and roots in the order in which they started."""
        self.problems: tuple[str, ...] = (*problems, *tree.problems)
        """What was wrong with the record, in sentences; empty when it was whole."""
        self._by_id = {span.span_id: span for span in self.spans}
        self._parents = tree.parents
        self._children = tree.children

    @property
    def trace_id(self) -> str:
        """32 hex digits; empty when there are no spans."""
        return self.spans[0].trace_id if self.spans else ""

    @property
    def roots(self) -> tuple[TraceSpan, ...]:
        """The spans without a parent in the trace; one, if the record is whole."""
        return tuple(self._children.get(None, ()))

    @cached_property
    def start_ns(self) -> int:
        """When the first span started; 0 when there are no spans."""
        return min((span.start_ns for span in self.spans), default=0)

    @cached_property
    def end_ns(self) -> int:
        """When the last span ended; 0 when there are no spans."""
        return max((span.start_ns + span.duration_ns for span in self.spans), default=0)

    @property
    def duration_ns(self) -> int:
        """From the first start to the last end."""
        return self.end_ns - self.start_ns

    def span(self, span_id: str) -> TraceSpan:
        """Return the span with this id.

        Raises:
            LookupError: there is none.
        """
        try:
            return self._by_id[span_id]
        except KeyError:
            raise LookupError(
                f"Trace {self.trace_id!r} has no span {span_id!r} among its {len(self.spans)}. "
                "Take an id from `trace.spans`."
            ) from None

    def has(self, span_id: str) -> bool:
        """Return whether there is a span with this id."""
        return span_id in self._by_id

    def parent(self, span: TraceSpan) -> TraceSpan | None:
        """Return the span under which this one hangs in the tree; None for a root."""
        parent_id = self._parents.get(span.span_id)
        return None if parent_id is None else self._by_id[parent_id]

    def children(self, span: TraceSpan) -> tuple[TraceSpan, ...]:
        """Return the spans right below this one, in the order in which they started."""
        return tuple(self._children.get(span.span_id, ()))

    def ancestors(self, span: TraceSpan) -> Iterator[TraceSpan]:
        """Yield the spans above this one, nearest first."""
        above = self.parent(span)
        while above is not None:
            yield above
            above = self.parent(above)

    def walk(self, top: TraceSpan | None = None) -> Iterator[tuple[TraceSpan, int]]:
        """Yield each span with its depth, parents first; with `top`, that span and those below."""
        waiting = [(each, 0) for each in reversed(self.roots if top is None else (top,))]
        while waiting:
            span, depth = waiting.pop()
            yield span, depth
            below = self._children.get(span.span_id, ())
            waiting.extend((child, depth + 1) for child in reversed(below))

    def usage_trees(self) -> tuple[UsageTree, ...]:
        """Return the agents and what they used, as `result.usage_tree` has it; `print` a table.

        One tree for each agent that no other agent started. Each token has one owner.
        """
        return self._trees

    def usage_by(self, by: By) -> Mapping[str, Usage]:
        """Return what was used by agent path, by model, or by the tool in which it was used.

        Each token stands under one key, so the sums are equal. By tool, a specialist's tokens
        are those of the tool that it is for its caller.
        """
        return _figures.usage_by(self, by)

    def agent_path(self, span: TraceSpan) -> str | None:
        """Return the path of the agent in whose run a span stands, or that it is a run of."""
        for each in (span, *self.ancestors(span)):
            if each.span_id in self.agent_paths:
                return self.agent_paths[each.span_id]
        return None

    @cached_property
    def agent_paths(self) -> Mapping[str, str]:
        """The path of each agent, such as `coordinator/research#2`, by the id of its span."""
        return {span_id: run.path for span_id, run in self._agent_runs.items()}

    @cached_property
    def _agent_runs(self) -> Mapping[str, _usage_trees.AgentRun]:
        return _usage_trees.agent_runs(self)

    def critical_path(self, top: TraceSpan | None = None) -> tuple[PathPiece, ...]:
        """Return the stretches of work that the end waited for, in order of time.

        They fill the time of `top` without gap or overlap; without `top`, of the longest root.
        """
        tops = self.roots if top is None else (top,)
        longest = max(tops, key=lambda span: span.duration_ns, default=None)
        return () if longest is None else _critical_path.critical_path(self, longest)

    def waits(self) -> tuple[Wait, ...]:
        """Return each wait for room in a budget, or before a retry, in the order of the tree."""
        return tuple(wait for span in self.spans for wait in _waits.waits_in(span))

    def errors(self) -> tuple[TraceSpan, ...]:
        """Return the spans in which an error arose; not those that it went through."""
        return _endings.first_errors(self)

    def endings(self) -> tuple[Ending, ...]:
        """Return how each agent's run ended, callers before those they called."""
        return _endings.endings(self)

    def why(self) -> tuple[str, ...]:
        """Return why the run ended as it did, in sentences: from its ending down to the cause."""
        return _why.why(self)

    def diff(self, other: Trace) -> tuple[Change, ...]:
        """Return each agent, model and tool of the two traces with its figures in both."""
        return _diff.diff(self, other)

    def graph(self) -> nx.DiGraph[str]:
        """Return the tree as a graph: an edge from each span id to those right below it.

        Each node carries its `span`.
        """
        from podium.tracing.reading import _graphs  # networkx takes 0.2 s, and few ask for it

        return _graphs.span_graph(self)

    def delegations(self) -> nx.DiGraph[str]:
        """Return who delegated to whom: an edge from each agent's name to those it called.

        Edges carry `calls`, `errors` and `seconds`; nodes carry `runs`.
        """
        from podium.tracing.reading import _graphs  # as in `graph`

        return _graphs.delegation_graph(self)

    @cached_property
    def spendings(self) -> tuple[Spending, ...]:
        """Each model call with what it used and who made it; no token stands in two of them."""
        return _spending.spendings(self)

    @cached_property
    def _trees(self) -> tuple[UsageTree, ...]:
        return _usage_trees.usage_trees(self._agent_runs.values())

    def __len__(self) -> int:
        """Return how many spans there are."""
        return len(self.spans)

    def __repr__(self) -> str:
        """Return the id and the size."""
        return f"<Trace {self.trace_id} of {len(self.spans)} spans>"
