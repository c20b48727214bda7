"""Tracing that begins while a run goes on: a run is seen whole, or not at all."""

from __future__ import annotations

import pytest

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator
from podium.tools import tool
from podium.tracing.testing import SpanRecorder


@tool
def lookup(q: str) -> str:
    """Look something up."""
    return f"facts about {q}"


@pytest.mark.anyio
async def test_a_run_that_started_before_is_not_seen_and_the_next_one_is_whole() -> None:
    recorder = SpanRecorder()

    @tool
    def begin() -> str:
        """Begin to record."""
        recorder.__enter__()
        return "begun"

    facts = Agent(
        name="facts",
        description="Knows facts.",
        chat_generator=ScriptedChatGenerator([calls(call("lookup", q="a")), "found"]),
        tools=[lookup],
    )
    team = Coordinator(
        chat_generator=ScriptedChatGenerator(
            [calls(call("begin")), calls(call("facts", task="a")), "done", "done again"]
        ),
        specialists=[facts],
        tools=[begin],
        name="team",
    )
    try:
        await team.run_async("go")
        assert recorder.spans == ()
        await team.run_async("again")
    finally:
        recorder.__exit__(None, None, None)

    assert recorder.tree().splitlines() == ["invoke_agent team", "  chat scripted"]
