"""A trace: spans as one tree, and what was wrong with the record it was read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from podium.tracing.reading import _parents
from podium.tracing.reading._span import TraceSpan


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

    @property
    def start_ns(self) -> int:
        """When the first span started; 0 when there are no spans."""
        return min((span.start_ns for span in self.spans), default=0)

    @property
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

    def __len__(self) -> int:
        """Return how many spans there are."""
        return len(self.spans)

    def __repr__(self) -> str:
        """Return the id and the size."""
        return f"<Trace {self.trace_id} of {len(self.spans)} spans>"
