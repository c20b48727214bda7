"""One agent's model calls in a budget: who cut a reply, and what a failed call costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from podium.agent import Agent, Budget, ChatMessage, ModelError
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator

pytestmark = pytest.mark.anyio


class Writer:
    """A model that writes 5,000 tokens if it may, and keeps to the limit it is given."""

    model = "writer"
    output_cap_is_hard = True

    def __init__(self) -> None:
        self.sent: list[Mapping[str, Any] | None] = []

    def output_limit(self, kwargs: Mapping[str, Any] | None) -> int | None:
        return (kwargs or {}).get("max_tokens")

    def with_output_cap(self, kwargs: Mapping[str, Any] | None, cap: int) -> Mapping[str, Any]:
        return {**(kwargs or {}), "max_tokens": cap}

    async def run_async(
        self,
        messages: Sequence[ChatMessage],
        *,
        generation_kwargs: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        self.sent.append(generation_kwargs)
        written = min((generation_kwargs or {}).get("max_tokens", 5_000), 5_000)
        usage = {"prompt_tokens": 10, "completion_tokens": written}
        finish = "stop" if written == 5_000 else "length"
        meta = {"usage": usage, "finish_reason": finish}
        return {"replies": [ChatMessage.from_assistant("Once upon a time", meta=meta)]}


async def test_a_reply_cut_by_the_budget_ends_the_run_as_a_budget_does() -> None:
    agent = Agent(chat_generator=Writer(), budget=Budget(total_tokens=1_000))

    result = await agent.run_async("Write a novel.")

    assert result.usage.total_tokens <= 1_000
    assert (result.exit_reason, result.text) == ("token_budget_exceeded", "Once upon a time")
    assert (result.stop.what, result.stop.limit, result.stop.by) == ("total_tokens", 1_000, "agent")


async def test_a_reply_cut_by_the_callers_own_limit_ends_as_length() -> None:
    agent = Agent(chat_generator=Writer(), budget=Budget(total_tokens=10_000))

    result = await agent.run_async("Write a line.", generation_kwargs={"max_tokens": 50})

    assert (result.exit_reason, result.usage.output_tokens) == ("length", 50)


async def test_without_a_limit_nothing_is_changed_in_the_request() -> None:
    model = Writer()

    result = await Agent(chat_generator=model).run_async("Write a novel.")

    assert (result.exit_reason, model.sent) == ("text", [None])


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelError("busy", status=429, was_refused=True), "text"),
        (ModelError("cut off", partial_text="Once"), "request_budget_exceeded"),
        (ConnectionResetError("gone"), "request_budget_exceeded"),
    ],
    ids=["refused before any work", "cut in flight", "unknown"],
)
async def test_a_failed_call_is_charged_unless_it_surely_did_no_work(
    error: Exception, reason: str
) -> None:
    specialist = Agent(
        chat_generator=ScriptedChatGenerator([error]), name="writer", description="Writes."
    )
    team = Coordinator(
        chat_generator=ScriptedChatGenerator([calls(call("writer", task="x")), "done"]),
        specialists=[specialist],
        budget=Budget(requests=2),
    )

    result = await team.run_async("go")

    assert result.exit_reason == reason
    assert "'writer' failed" in result.messages[3].tool_call_results[0].text


async def test_a_strict_budget_refuses_a_model_whose_output_cannot_be_limited() -> None:
    class Endless:
        async def run_async(self, messages: Sequence[ChatMessage]) -> dict[str, Any]:
            pytest.fail("it must not be asked")

    agent = Agent(chat_generator=Endless(), budget=Budget(total_tokens=1_000, strict=True))

    with pytest.raises(ValueError, match="Endless cannot limit its output"):
        await agent.run_async("go")


async def test_a_specialists_prompt_shows_what_its_caller_has_left() -> None:
    model = ScriptedChatGenerator(["done"])
    specialist = Agent(
        chat_generator=model,
        name="writer",
        description="Writes.",
        system_prompt="{{ budget.requests_left }} calls are left.",
    )
    team = Coordinator(
        chat_generator=ScriptedChatGenerator([calls(call("writer", task="x")), "done"]),
        specialists=[specialist],
        budget=Budget(requests=5),
    )

    await team.run_async("go")

    assert model.requests[0].messages[0].text == "4 calls are left."
