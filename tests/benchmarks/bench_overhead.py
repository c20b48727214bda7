"""What podium adds to a tool call, and what a span costs, with a model that answers from memory."""

from __future__ import annotations

import asyncio
import gc
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from bench_task import ANSWER, Handbook

from podium.agent import Agent, ChatMessage
from podium.tools import ToolCall, tool
from podium.tracing import setup_tracing

RUNS = 10
STEPS = 20
CALLS = 11
SPANS = 1 + STEPS + 1 + STEPS
"""Spans of a run with one call a step: the agent, its model calls and its tool calls."""


class Prepared:
    """A model whose replies are made before the run: so many tool calls a step, then the answer."""

    def __init__(self, tool_name: str, calls: int) -> None:
        """Make the replies."""
        self._calls = calls
        self._replies = [
            ChatMessage.from_assistant(
                tool_calls=[
                    ToolCall(tool_name, {"topic": "time", "page": page}, f"call_{step}_{page}")
                    for page in range(calls)
                ]
            )
            for step in range(STEPS)
        ]
        self._replies.append(ChatMessage.from_assistant(ANSWER))

    async def run_async(self, messages: Sequence[ChatMessage], **_: Any) -> dict[str, Any]:
        """Return the reply of this step."""
        return {"replies": [self._replies[(len(messages) - 1) // (1 + self._calls)]]}


async def tool_calls() -> dict[str, float]:
    """Measure the CPU seconds that a tool call costs above its function.

    It is the difference between runs with many calls a step and runs with one.
    """
    handbook = Handbook()
    kinds: dict[str, Callable[..., Any]] = {
        "async": handbook.look_up,
        "sync": handbook.look_up_blocking,
    }
    figures: dict[str, float] = {}
    for kind, function in kinds.items():
        many, one = [await _run_seconds(function, calls) for calls in (CALLS, 1)]
        figures[kind] = (many - one) / (STEPS * (CALLS - 1))
    return figures


async def bare_hops() -> dict[str, float]:
    """Measure the CPU seconds of a way to a worker thread and back: as many at once as in a step.

    It is the part of a blocking tool's call that depends on the machine alone.
    """
    limiter = anyio.CapacityLimiter(CALLS)

    async def hop() -> None:
        await anyio.to_thread.run_sync(bool, limiter=limiter)

    taken: list[float] = []
    for _ in range(RUNS):
        gc.collect()
        started = time.process_time()
        for _ in range(STEPS):
            async with anyio.create_task_group() as group:
                for _ in range(CALLS):
                    group.start_soon(hop)
        taken.append(time.process_time() - started)
    return {"hop": min(taken) / STEPS / CALLS}


async def spans() -> dict[str, float]:
    """Measure the CPU seconds that a span costs when an SDK writes it to a file."""
    handbook = Handbook()
    without = await _run_seconds(handbook.look_up, 1)
    with (
        tempfile.TemporaryDirectory() as folder,
        setup_tracing(file=Path(folder, "trace.jsonl")) as handle,
    ):
        recorded = await _run_seconds(handbook.look_up, 1, finish=handle.flush)
    return {"span": (recorded - without) / SPANS}


async def _run_seconds(
    function: Callable[..., Any], calls: int, *, finish: Callable[[], object] = bool
) -> float:
    """Return the CPU seconds of a run and of `finish` after it: the least of ten.

    The first one is slow, and other work on the machine only ever adds.
    """
    agent = Agent(
        chat_generator=Prepared(function.__name__, calls),
        tools=[tool(description="Look a topic up.")(function)],
    )
    taken: list[float] = []
    for _ in range(RUNS):
        gc.collect()
        started = time.process_time()
        await agent.run_async("When?")
        finish()
        taken.append(time.process_time() - started)
    return min(taken)


async def _measure() -> dict[str, float]:
    return {**await tool_calls(), **await bare_hops(), **await spans()}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure())))
