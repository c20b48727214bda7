"""Many runs leave descriptors, threads and memory level."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from pathlib import Path

import pytest

from podium.agent import Agent
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, Reply
from podium.tools import ToolCall, tool

RUNS = int(os.environ.get("PODIUM_SOAK_RUNS", "300"))


@tool
def lookup(q: str) -> str:
    """Look something up."""
    return f"facts about {q}"


def agent_on(server: FakeOpenAIServer) -> Agent:
    generator = OpenAIChatGenerator(api_key="sk-test", model="desk", api_base_url=server.base_url)
    return Agent(chat_generator=generator, tools=[lookup])


def answers(request: object) -> Reply:
    if '"role": "tool"' in str(request) or any(m["role"] == "tool" for m in request.messages):  # type: ignore[attr-defined]
        return Reply("done")
    return Reply(tool_calls=[ToolCall("lookup", {"q": "a"}, "c1")])


def footprint() -> tuple[int, int, float]:
    """Return open descriptors, threads, and megabytes of memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    megabytes = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return len(os.listdir("/proc/self/fd")), threading.active_count(), megabytes


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to count descriptors")
def test_descriptors_threads_and_memory_stay_level() -> None:
    with FakeOpenAIServer(responder=answers, keep_requests=False) as server:
        shared = agent_on(server)

        async def many(agent: Agent, runs: int) -> None:
            for _ in range(runs):
                assert (await agent.run_async("go")).text == "done"

        asyncio.run(many(shared, 20))
        shared.run("go")
        before = footprint()
        asyncio.run(many(shared, RUNS))
        for _ in range(RUNS // 5):
            one = agent_on(server)
            one.run("go")
            one.close()
        after = footprint()

    assert after[0] - before[0] <= 20
    assert after[1] - before[1] <= 20
    assert after[2] - before[2] <= 50
