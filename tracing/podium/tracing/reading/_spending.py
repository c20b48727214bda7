"""Who spent what: each token of a trace given to one agent, one model and one tool.

An agent's span tells the tokens of its model calls once more, and so may a wrapper around a
client's own span. Here the outermost model call that names tokens counts, and an agent's own
figure only where none of its calls was recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from podium.tracing import attributes as names
from podium.tracing._usage import Usage
from podium.tracing.reading._span import TraceSpan

if TYPE_CHECKING:
    from podium.tracing.reading._trace import Trace

NO_AGENT, NO_TOOL, NO_MODEL = "(no agent)", "(no tool)", "(no model)"
"""Stand for what a call was not made by, not made in, or does not name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What one model call used, or one agent whose calls were not recorded."""

    span: TraceSpan
    """The call; the agent where it has none."""
    agent: TraceSpan | None
    """The agent that made it."""
    tool: str | None
    """The nearest tool in which it was made; a delegation is one."""
    usage: Usage
    """What it used."""


def is_agent(span: TraceSpan) -> bool:
    """Return whether a span is a run that may own calls: of an agent or of a workflow."""
    return span.role in ("agent", "workflow")


def spendings(trace: Trace) -> tuple[Spending, ...]:
    """Return what was spent, in the order of the tree; no token twice."""
    calls = {span.span_id: span.usage or Usage() for span in trace.spans if span.role == "model"}
    named_below = _with_tokens_below(trace, calls)
    found: list[Spending] = []
    places: dict[str, _Place] = {}
    spenders: set[str] = set()
    for span in trace.spans:
        above = trace.parent(span)
        place = _OUTSIDE if above is None else places[above.span_id]
        usage = calls.get(span.span_id)
        if usage is not None:
            counts = usage.total_tokens > 0 or span.span_id not in named_below
            if counts and not place.in_call:
                found.append(Spending(span=span, agent=place.agent, tool=place.tool, usage=usage))
                place = _Place(place.agent, place.tool, in_call=True)
                spenders.add("" if place.agent is None else place.agent.span_id)
        elif span.role == "tool":
            place = _Place(place.agent, span.tool_name or span.name, place.in_call)
        elif is_agent(span):
            place = _Place(span, place.tool, place.in_call)
        places[span.span_id] = place
    found += _unrecorded(trace, spenders, named_below, places)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the tree a span's children stand."""

    agent: TraceSpan | None = None
    tool: str | None = None
    in_call: bool = False


_OUTSIDE = _Place()


def _with_tokens_below(trace: Trace, calls: Mapping[str, Usage]) -> set[str]:
    """Return the spans below which some model call names its tokens."""
    found: set[str] = set()
    for span in reversed(trace.spans):  # children before their parents
        above, usage = trace.parent(span), calls.get(span.span_id)
        names_tokens = usage is not None and usage.total_tokens > 0
        if above is not None and (names_tokens or span.span_id in found):
            found.add(above.span_id)
    return found


def _unrecorded(
    trace: Trace, spenders: set[str], named_below: set[str], places: Mapping[str, _Place]
) -> Iterator[Spending]:
    """Yield what agents say they used whose own calls are not in the trace."""
    covered: set[str] = set()
    for span in trace.spans:
        above = trace.parent(span)
        if above is not None and above.span_id in covered:
            covered.add(span.span_id)
        if not is_agent(span) or span.span_id in spenders or span.span_id in covered:
            continue
        usage, is_own = span.usage, names.AGENT_PATH in span.attributes
        # Others than podium include what is below in an agent's figure.
        if usage is None or not usage.total_tokens or (span.span_id in named_below and not is_own):
            continue
        if not is_own:
            covered.add(span.span_id)
        place = places[span.span_id]
        yield Spending(span=span, agent=span, tool=place.tool, usage=usage)


def own_cost(agent: TraceSpan, below: list[TraceSpan]) -> Decimal | None:
    """Return an agent's cost without the agents below it, where their spans say it."""
    total = agent.total_cost
    for each in below:
        if total is None or each.total_cost is None:
            return None
        total -= each.total_cost
    return total
