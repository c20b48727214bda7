"""One agent, many runs at once: no run sees anything of another."""

from __future__ import annotations

import os
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from podium.agent import Agent, AgentResult, ChatMessage, RunEvent, State, hook
from podium.tools import ToolCall, tool

pytestmark = pytest.mark.anyio

RUNS = int(os.environ.get("PODIUM_CROSS_TALK_RUNS", "1000"))


class Mirror:
    """A model that first calls the tool with what it was asked, then repeats what came back."""

    async def run_async(
        self, messages: list[ChatMessage], *, tools: Any = None, streaming_callback: Any = None
    ) -> dict[str, list[ChatMessage]]:
        await anyio.lowlevel.checkpoint()
        result = messages[-1].tool_call_result
        if result is not None:
            return {"replies": [ChatMessage.from_assistant(result.text)]}
        question = ToolCall("reflect", {"word": messages[-1].text}, "c1")
        return {"replies": [ChatMessage.from_assistant(tool_calls=[question])]}


@tool(inputs_from_state={"canary": "canary"}, outputs_to_state={"seen": {}})
async def reflect(word: str, canary: str) -> list[str]:
    """Give back the word and the run's canary."""
    await anyio.lowlevel.checkpoint()
    return [word, canary]


@hook
async def leave_a_mark(state: State) -> None:
    state.set("marks", [state.get("canary")])


AGENT = Agent(
    chat_generator=Mirror(),
    tools=[reflect],
    system_prompt="You serve {{ customer }}.",
    state_schema={
        "canary": {"type": str},
        "seen": {"type": list[str]},
        "marks": {"type": list[str]},
    },
    hooks={"before_llm": [leave_a_mark]},
)


async def test_no_run_sees_anything_of_another() -> None:
    results: dict[int, AgentResult] = {}
    events: dict[int, list[RunEvent]] = {}

    async def one(number: int) -> None:
        events[number] = []
        async with AGENT.stream(
            f"word-{number}", canary=f"canary-{number}", customer=f"customer-{number}"
        ) as run:
            async for event in run:
                events[number].append(event)
        results[number] = run.result

    async with anyio.create_task_group() as group:
        for number in range(RUNS):
            group.start_soon(one, number)

    assert len({result.run_id for result in results.values()}) == RUNS
    assert [_trouble(n, results[n], events[n]) for n in range(RUNS)] == [None] * RUNS


def _trouble(number: int, result: AgentResult, events: list[RunEvent]) -> str | None:
    """Return what is wrong with a run; None when everything in it is its own."""
    if result["seen"] != [f"word-{number}", f"canary-{number}"]:
        return f"state {result['seen']}"
    if result["marks"] != [f"canary-{number}"] * 2:
        return f"marks {result['marks']}"
    if result.messages[0].text != f"You serve customer-{number}.":
        return f"prompt {result.messages[0].text}"
    if {event.run_id for event in events} != {result.run_id}:
        return "events of another run"
    return None
