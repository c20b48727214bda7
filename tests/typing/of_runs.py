"""What type checkers see of a run that is read while it goes on. Checked, never run."""

from __future__ import annotations

from typing import assert_type

from podium.agent import (
    Agent,
    AgentFinished,
    AgentResult,
    ChatMessage,
    RunEvent,
    RunFinished,
    RunStream,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from podium.tools import ToolCall
from podium.tracing import TracingHandle, Usage, setup_tracing


async def what_a_stream_gives(agent: Agent) -> None:
    async with agent.stream("Hi", generation_kwargs={"temperature": 0}) as run:
        assert_type(run, RunStream)
        async for event in run:
            assert_type(event, RunEvent)
            assert_type(event.path, str)
            assert_type(event.cause, str | None)
            what_events_hold(event)
    assert_type(run.result, AgentResult)
    assert_type(run.messages, list[ChatMessage])
    run.cancel()


def what_events_hold(event: RunEvent) -> None:
    match event:
        case TextDelta(text=text):
            assert_type(text, str)
        case ToolCallStarted(call=call):
            assert_type(call, ToolCall)
        case ToolCallFinished(result=result, error=error, seconds=seconds):
            assert_type(result, str)
            assert_type(error, bool)
            assert_type(seconds, float)
        case AgentFinished(usage=usage) | RunFinished(usage=usage):
            assert_type(usage, Usage)
        case _:
            assert_type(event.step, int)


def what_tracing_gives() -> None:
    with setup_tracing(file="trace.jsonl") as tracing:
        assert_type(tracing, TracingHandle)
        assert_type(tracing.flush(), bool)
