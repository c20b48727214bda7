"""The agents of a trace as the page lists them: what each used, was allowed, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from podium.tracing._text import printable
from podium.tracing._usage_tree import UsageTree
from podium.tracing.page._ending import sentence_of, tone_of
from podium.tracing.reading import Ending, Trace, TraceSpan

_LONGEST = 1_000
"""Characters of a name, path or sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnAgent:
    """One agent's run on the page."""

    place: int
    """Where its span stands among those drawn."""
    above: int
    """The number of the agent that started it; -1 for none."""
    depth: int
    """How many agents are above it."""
    node: UsageTree
    ending: Ending

    @property
    def cost(self) -> Decimal | None:
        """US dollars of it and all below it: as its calls say, else as its own span does."""
        of_calls = self.node.total.cost
        return self.ending.span.total_cost if of_calls is None else of_calls

    @property
    def short_name(self) -> str:
        """The last part of its path, which tells runs of one agent apart."""
        return self.node.path.rpartition("/")[2] or self.node.name


class Agents:
    """Knows each agent of a trace, and which one a span belongs to."""

    def __init__(self, trace: Trace, drawn: Sequence[TraceSpan]) -> None:
        """Gather the agents; only those among `drawn`, spans in tree order, get a number."""
        self.trees = trace.usage_trees()
        nodes = chain.from_iterable(tree.walk() for tree in self.trees)
        # Both go through the tree from its root, callers first.
        known = {
            ending.span.span_id: (node, ending)
            for node, ending in zip(nodes, trace.endings(), strict=True)
        }
        self.count = len(known)
        self.drawn: list[DrawnAgent] = []
        self._owners: dict[str, int] = {}
        for place, span in enumerate(drawn):
            parent = trace.parent(span)
            above = -1 if parent is None else self._owners[parent.span_id]
            self._owners[span.span_id] = above
            if span.span_id in known:
                node, ending = known[span.span_id]
                depth = 0 if above < 0 else self.drawn[above].depth + 1
                self._owners[span.span_id] = len(self.drawn)
                self.drawn.append(
                    DrawnAgent(place=place, above=above, depth=depth, node=node, ending=ending)
                )

    def owner(self, span: TraceSpan) -> int:
        """Return the number of the agent that a drawn span belongs to; -1 for none."""
        return self._owners[span.span_id]

    def short_name(self, span: TraceSpan) -> str:
        """Return what a drawn agent is called in a row of its own."""
        return self.drawn[self._owners[span.span_id]].short_name

    def rows(self) -> list[dict[str, object]]:
        """Return a row for each agent, callers before those they call."""
        return [_row(agent) for agent in self.drawn]

    def budgets(self) -> Iterator[dict[str, object]]:
        """Yield the limits that the agents' spans tell, with what was spent and held."""
        numbers = {agent.node.path: number for number, agent in enumerate(self.drawn)}
        seen: set[tuple[str, str]] = set()
        for agent in self.drawn:
            # Whoever a limit stopped tells it; it is drawn once, as its owner's.
            owner = agent.ending.by or agent.node.path
            for limit in agent.ending.limits:
                allowed = _number(limit.limit)
                if allowed and (owner, limit.what) not in seen:
                    seen.add((owner, limit.what))
                    yield {
                        "agent": numbers.get(owner, -1),
                        "what": printable(limit.what, limit=80),
                        "limit": allowed,
                        "spent": _number(limit.spent),
                        "held": _number(limit.held),
                    }


def _row(agent: DrawnAgent) -> dict[str, object]:
    node = agent.node
    return {
        "name": printable(agent.short_name, limit=_LONGEST),
        "path": printable(node.path, limit=_LONGEST),
        "span": agent.place,
        "parent": agent.above,
        "depth": agent.depth,
        "own": node.own.total_tokens,
        "total": node.total.total_tokens,
        "cost": None if agent.cost is None else float(agent.cost),
        "length": round(node.wall_seconds * 1e3, 3),
        "tone": tone_of(agent.ending),
        "sentence": printable(sentence_of(agent.ending), limit=_LONGEST),
    }


def _number(value: object) -> float:
    """Return a figure that a bar can be drawn of; anything else counts as nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 <= value < 1e18 else 0.0
