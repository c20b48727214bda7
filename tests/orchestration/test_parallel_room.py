"""Specialists at once under a budget: ample room holds up none, a small one is waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio
import pytest

from podium.agent import Agent, Budget, ChatMessage
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool, Coordinator

pytestmark = pytest.mark.anyio

COUNT = 8


class Together:
    """A model that answers when so many calls are under way, and notes their output limits."""

    model = "together"
    output_cap_is_hard = True

    def __init__(self, count: int) -> None:
        self.count = count
        self.caps: list[int] = []
        self.all_there = anyio.Event()

    def with_output_cap(self, kwargs: Mapping[str, Any] | None, cap: int) -> Mapping[str, Any]:
        return {**(kwargs or {}), "max_tokens": cap}

    async def run_async(
        self, messages: Sequence[ChatMessage], *, generation_kwargs: Mapping[str, Any]
    ) -> dict[str, Any]:
        self.caps.append(generation_kwargs["max_tokens"])
        if len(self.caps) == self.count:
            self.all_there.set()
        await self.all_there.wait()
        meta = {"usage": {"prompt_tokens": 50, "completion_tokens": 100}}
        return {"replies": [ChatMessage.from_assistant("Done.", meta=meta)]}


def team(model: Together, allotment: Budget | None = None) -> Coordinator:
    """Return a coordinator that asks eight specialists at once."""
    worker = Agent(chat_generator=model, name="worker", description="Works.")
    asks = calls(*(call("worker", task=f"part {n}") for n in range(COUNT)))
    return Coordinator(
        chat_generator=ScriptedChatGenerator([asks, "All done."]),
        specialists=[AgentTool(worker, budget=allotment)],
        tool_concurrency_limit=COUNT,
    )


@pytest.mark.parametrize("limit", [20_000, 10**7])
async def test_with_ample_room_all_specialists_are_at_work_at_once(limit: int) -> None:
    model = Together(COUNT)

    with anyio.fail_after(10):
        result = await team(model).run_async("go", budget=Budget(total_tokens=limit))

    assert result.text == "All done."


async def test_specialists_that_start_together_have_equal_shares() -> None:
    model = Together(COUNT)

    with anyio.fail_after(10):
        await team(model).run_async("go", budget=Budget(total_tokens=80_000))

    assert max(model.caps) - min(model.caps) < 100
    assert 9_000 < min(model.caps) < 10_000


async def test_a_specialist_with_a_small_limit_of_its_own_waits_for_its_turn() -> None:
    model = Together(2)  # no more than two have room at once

    with anyio.fail_after(10):
        result = await team(model, Budget(total_tokens=500)).run_async(
            "go", budget=Budget(total_tokens=2_600, reserve_for_answer=100)
        )

    children = result.usage_tree.children
    assert [child.exit_reason for child in children] == ["text"] * COUNT
