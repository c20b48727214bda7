"""What happened, at a glance: one paragraph and the figures of the whole run."""

from __future__ import annotations

from decimal import Decimal

from podium.tracing import attributes as names
from podium.tracing._text import printable
from podium.tracing._usage import Usage
from podium.tracing.page._agents import Agents
from podium.tracing.page._ending import sentence_of, tone_of, word_of
from podium.tracing.reading import Trace

_LONGEST = 600
"""Characters of a heading or sentence: names may be of any length."""


def title_of(trace: Trace, agents: Agents) -> str:
    """Return what the run is called: by its first agent, else by its first span."""
    if agents.trees:
        name = agents.trees[0].name
    else:
        name = trace.roots[0].name if trace.roots else ""
    return printable(name or "A trace without a name", limit=_LONGEST)


def ending_of(agents: Agents) -> dict[str, str]:
    """Return how the first agent's run ended, in a word and a color."""
    if not agents.drawn:
        return {"word": "no agents", "tone": "plain"}
    ending = agents.drawn[0].ending
    return {"word": printable(word_of(ending), limit=60), "tone": tone_of(ending)}


def totals_of(trace: Trace, agents: Agents) -> dict[str, int | float | bool | None]:
    """Return the figures of the whole trace, those of spans that are not drawn included."""
    spent = trace.spendings
    usage = sum((each.usage for each in spent), Usage())
    tools = [span for span in trace.spans if span.role == "tool"]
    cost = _cost(agents, usage)
    return {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cached": usage.cached_input_tokens,
        "complete": usage.complete,
        "cost": None if cost is None else float(cost),
        "model_calls": sum(each.span.role == "model" for each in spent),
        "tool_calls": len(tools),
        "transfers": sum(names.TRANSFER_TARGET in span.attributes for span in tools),
        "errors": sum(span.status == "error" for span in trace.spans),
        "agents": agents.count,
        "spans": len(trace.spans),
    }


def story_of(agents: Agents, totals: dict[str, int | float | bool | None], seconds: float) -> str:
    """Return why it ended and what was done for it."""
    said = [sentence_of(agents.drawn[0].ending)] if agents.drawn else []
    calls = _and(
        _counted(totals["model_calls"], "model call"), _counted(totals["tool_calls"], "tool call")
    )
    if agents.count and calls:
        did = f"{_counted(agents.count, 'agent')} made {calls}"
    else:
        did = f"the record has {calls or _counted(totals['spans'], 'span') or 'no spans'}"
    errors = _counted(totals["errors"], "error")
    ended = f"; {errors} on the way" if errors else "; nothing failed"
    said.append(f"In {_shown(seconds)}, {did}{ended}.")
    return printable(" ".join(said), limit=_LONGEST)


def _cost(agents: Agents, usage: Usage) -> Decimal | None:
    """Return what all agents cost, else what the calls say; None where neither is whole."""
    costs = [agent.cost for agent in agents.drawn if agent.above < 0]
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(costs) else usage.cost


def _and(*parts: str) -> str:
    return " and ".join(part for part in parts if part)


def _counted(number: float | None, noun: str) -> str:
    if not number:
        return ""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def _shown(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1e3:,.3g} ms"
    if seconds < 120:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.1f} minutes"
