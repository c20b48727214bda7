"""Traces for the tests of the page: one really recorded, others made up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator
from podium.tools import tool
from podium.tracing import Trace, read_trace, setup_tracing
from podium.tracing.reading import SpanEvent, SpanStatus, TraceSpan

MS = 1_000_000
START_NS = 1_790_000_000_000_000_000
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "\u2028\u2029 line separators",
    "NUL \x00, bell \x07, escape \x1b[31m",
    "lone surrogate \ud800",
    "right to left \u202e",
    "{{script}} {{data}} {{policy}}",
    "\"quotes\" & 'more' `{}`",
]


@tool
def lookup(word: str) -> str:
    """Look a word up."""
    if word == "unknown":
        raise KeyError(word)
    return f"{word} is a word"


def recorded_team(file: Path) -> Trace:
    """Run a coordinator with three parallel specialists; return what was written of it."""
    specialist = Agent(
        chat_generator=ScriptedChatGenerator(
            [
                *(calls(call("lookup", word="ox")), "An ox."),
                *(calls(call("lookup", word="unknown")), "Not known."),
                *(calls(call("lookup", word="owl")), "An owl."),
            ],
            usage=USAGE,
        ),
        name="facts",
        description="Knows facts.",
        tools=[lookup],
    )
    coordinator = Coordinator(
        chat_generator=ScriptedChatGenerator(
            [calls(*(call("facts", task=each) for each in ("ox", "x", "owl"))), "Three facts."],
            usage=USAGE,
        ),
        specialists=[specialist],
        tool_concurrency_limit=1,
    )
    with setup_tracing(file=file):
        coordinator.run("Tell me three facts.")
    return read_trace(file)


def made_span(
    number: int,
    *,
    name: str,
    parent: int | None = None,
    start_ms: float = 0,
    end_ms: float = 10,
    attributes: Mapping[str, object] | None = None,
    events: tuple[SpanEvent, ...] = (),
    status: SpanStatus = "unset",
    message: str = "",
) -> TraceSpan:
    """Return span `number` below span `parent`, its times counted from the start of the trace."""
    return TraceSpan(
        trace_id="ab" * 16,
        span_id=f"{number:016x}",
        parent_id=None if parent is None else f"{parent:016x}",
        name=name,
        start_ns=START_NS + int(start_ms * MS),
        end_ns=START_NS + int(end_ms * MS),
        attributes=attributes or {},
        events=events,
        status=status,
        status_message=message,
    )


def made_event(name: str, at_ms: float, attributes: Mapping[str, object]) -> SpanEvent:
    """Return an event, its time counted as those of spans."""
    return SpanEvent(name=name, time_ns=START_NS + int(at_ms * MS), attributes=attributes)


def agent_span(
    number: int,
    path: str,
    *,
    parent: int | None = None,
    start_ms: float = 0,
    end_ms: float = 100,
    attributes: Mapping[str, object] | None = None,
) -> TraceSpan:
    """Return an agent's run."""
    name = path.rpartition("/")[2]
    return made_span(
        number,
        name=f"invoke_agent {name}",
        parent=parent,
        start_ms=start_ms,
        end_ms=end_ms,
        attributes={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": name,
            "podium.agent.path": path,
            **(attributes or {}),
        },
    )


def chat_span(
    number: int,
    *,
    parent: int,
    tokens: tuple[int, int] = (100, 20),
    start_ms: float = 0,
    end_ms: float = 10,
) -> TraceSpan:
    """Return a model call that used so many tokens, in and out."""
    return made_span(
        number,
        name="chat gpt-5-mini",
        parent=parent,
        start_ms=start_ms,
        end_ms=end_ms,
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-5-mini",
            "gen_ai.usage.input_tokens": tokens[0],
            "gen_ai.usage.output_tokens": tokens[1],
        },
    )


def wide_trace(size: int) -> Trace:
    """Return a coordinator with as many specialists of four spans each as fill `size` spans."""
    spans = [agent_span(1, "coordinator", end_ms=size, attributes={"podium.stop.reason": "text"})]
    while len(spans) < size:
        number, at = len(spans) + 1, float(len(spans))
        path, tool_name = f"coordinator/worker#{number}", "execute_tool lookup"
        spans += [
            agent_span(number, path, parent=1, start_ms=at, end_ms=at + 3),
            chat_span(number + 1, parent=number, start_ms=at, end_ms=at + 1),
            made_span(number + 2, name=tool_name, parent=number, start_ms=at + 1, end_ms=at + 2),
            chat_span(number + 3, parent=number, start_ms=at + 2, end_ms=at + 3),
        ]
    return Trace(spans[:size])


def hostile_span(text: str) -> TraceSpan:
    """Return a span that holds `text` wherever a span holds text."""
    return made_span(
        1,
        name=text,
        attributes={
            text: text,
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": text,
            "podium.agent.path": text,
            "podium.stop.reason": text,
            "podium.stop.by": text,
            f"podium.budget.{text}.limit": 5,
        },
        events=(made_event(text, 1, {text: text}),),
        status="error",
        message=text,
    )
