"""Traces as they would be recorded, for tests of what is read from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.tracing.reading import SpanEvent, SpanStatus, TraceSpan

TRACE = "0" * 30 + "7a"
SECOND = 1_000_000_000
NOON = 1_800_000_000 * SECOND
"""When the traces here start."""


def span(
    number: int,
    name: str = "work",
    *,
    below: int | None = None,
    start: float = 0,
    took: float | None = 1,
    trace_id: str = TRACE,
    status: SpanStatus = "unset",
    events: tuple[SpanEvent, ...] = (),
    **attributes: object,
) -> TraceSpan:
    """Return a span whose id is `number`; double underscores in attribute names become dots."""
    start_ns = NOON + round(start * SECOND)
    return TraceSpan(
        trace_id=trace_id,
        span_id=f"{number:016x}",
        parent_id=None if below is None else f"{below:016x}",
        name=name,
        start_ns=start_ns,
        end_ns=None if took is None else start_ns + round(took * SECOND),
        status=status,
        events=events,
        attributes={key.replace("__", "."): value for key, value in attributes.items()},
    )


def agent(number: int, path: str, *, reason: str | None = "text", **rest: Any) -> TraceSpan:
    """Return the span of an agent's run."""
    name = path.rpartition("/")[2].partition("#")[0]
    facts: dict[str, Any] = {
        "gen_ai__operation__name": "invoke_agent",
        "gen_ai__agent__name": name,
        "podium__agent__path": path,
    }
    if reason is not None:
        facts["podium__stop__reason"] = reason
    return span(number, f"invoke_agent {name}", **{**facts, **rest})


def chat(number: int, *, below: int | None, used: tuple[int, int], **rest: Any) -> TraceSpan:
    """Return the span of a model call that used so many input and output tokens."""
    facts: dict[str, Any] = {
        "gen_ai__operation__name": "chat",
        "gen_ai__request__model": "m",
        "gen_ai__usage__input_tokens": used[0],
        "gen_ai__usage__output_tokens": used[1],
    }
    return span(number, "chat m", below=below, **{**facts, **rest})


def tool(number: int, name: str, *, below: int, **rest: Any) -> TraceSpan:
    """Return the span of a tool call."""
    facts: dict[str, Any] = {
        "gen_ai__operation__name": "execute_tool",
        "gen_ai__tool__name": name,
    }
    return span(number, f"execute_tool {name}", below=below, **{**facts, **rest})


def otlp(*spans: Mapping[str, object]) -> dict[str, object]:
    """Return an OTLP JSON document with spans in the form they have there."""
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def team() -> list[TraceSpan]:
    """Return a run of a coordinator that asks one specialist twice, the second time in vain."""
    limits: dict[str, Any] = {
        "podium__stop__by": "lead",
        "podium__budget__total_tokens__limit": 1000,
        "podium__budget__total_tokens__spent": 900,
        "podium__budget__total_tokens__held": 60,
    }
    spent = "token_budget_exceeded"
    return [
        agent(1, "lead", took=10, reason=spent, **limits),
        chat(2, below=1, used=(100, 20), took=2),
        tool(3, "facts", below=1, start=2, took=4),
        agent(4, "lead/facts", below=3, start=2, took=4),
        chat(5, below=4, used=(200, 50), start=2, took=3),
        tool(6, "facts", below=1, start=6, took=3),
        agent(7, "lead/facts#2", below=6, start=6, took=3, reason=spent, **limits),
        chat(8, below=7, used=(500, 30), start=6, took=2.5),
    ]
