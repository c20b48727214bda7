"""Reported faults of streams whose consumer goes away: nothing of the run is left behind."""

from __future__ import annotations

import asyncio
import logging
import threading

import anyio
import pytest

from podium.agent import Agent, State, hook
from podium.agent.events import ToolCallStarted
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, SlowSse, Sse
from podium.tools import tool

pytestmark = pytest.mark.anyio

SLOW = SlowSse(pieces=200, piece_seconds=0.02)
CHUNK = {"id": "chatcmpl-7Qd2", "object": "chat.completion.chunk", "model": "desk-mini-1"}


def desk(server: FakeOpenAIServer, **settings: object) -> Agent:
    model = OpenAIChatGenerator(
        api_key="sk-test", api_base_url=server.base_url, model="desk-mini-1"
    )
    return Agent(chat_generator=model, max_agent_steps=4, **settings)  # type: ignore[arg-type]


def delta(fields: dict[str, object], finish_reason: str | None = None) -> dict[str, object]:
    return {
        **CHUNK,
        "choices": [{"index": 0, "delta": fields, "finish_reason": finish_reason}],
    }


async def test_c155_a_consumer_that_stops_early_closes_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    after: list[str] = []

    @hook
    def note(state: State) -> None:
        after.append("called")

    with caplog.at_level(logging.DEBUG), FakeOpenAIServer([SLOW]) as server:
        stream = desk(server, hooks={"after_run": [note]}).stream("go")
        async with stream as run:
            _ = [await anext(run) for _ in range(3)]

        assert await server.requests[0].wait_disconnected(1.0)

    assert after == []
    assert not {"never retrieved", "Task was destroyed", "was never awaited"} & set(
        caplog.text.splitlines()
    )


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_c155_no_task_is_left() -> None:
    before = asyncio.all_tasks()

    with FakeOpenAIServer([SLOW]) as server:
        async with desk(server).stream("go") as run:
            _ = [await anext(run) for _ in range(3)]

    assert asyncio.all_tasks() <= before


async def test_c156_a_stream_closed_before_a_call_is_complete_runs_no_tool() -> None:
    executed: list[str] = []

    @tool
    def lookup(q: str) -> str:
        """Look something up."""
        executed.append(q)
        return f"facts about {q}"

    asked = {"id": "c1", "index": 0, "type": "function"}
    events = [
        delta({"role": "assistant", "content": None}),
        delta(
            {"tool_calls": [{**asked, "function": {"name": "lookup", "arguments": '{"q":"a"}'}}]}
        ),
        delta({}, "tool_calls"),
    ]
    threads = threading.active_count()
    with FakeOpenAIServer([Sse(events, delay_seconds=0.2)], strict=False) as server:
        async with desk(server, tools=[lookup]).stream("go") as run:
            first = await anext(run)

        assert not isinstance(first, ToolCallStarted)
        assert len(server.requests) <= 1

    assert executed == []
    assert threading.active_count() <= threads + 1  # the pool of the event loop keeps one


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_c157_an_outer_time_out_cancels_the_stream_cleanly(
    caplog: pytest.LogCaptureFixture,
) -> None:
    before = asyncio.all_tasks()

    async def collect(agent: Agent) -> None:
        async with agent.stream("go") as run:
            _ = [event async for event in run]

    with caplog.at_level(logging.DEBUG), FakeOpenAIServer([SLOW]) as server:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(collect(desk(server)), timeout=0.2)
        await anyio.lowlevel.checkpoint()

    assert asyncio.all_tasks() <= before
    assert "never retrieved" not in caplog.text
    assert "Failed to detach" not in caplog.text
