"""TokenBudgetHook: between two model calls it compares what the whole tree used with a limit."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from podium.agent import Agent, AgentResult, State, current_account, hook
from podium.agent.hooks import TokenBudgetHook
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool
from podium.tools import tool

pytestmark = pytest.mark.anyio

CLOSING = "The Agent stopped because the token budget was exceeded."
USAGE = {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100}


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"{word} is a word"


LOOKING = calls(call("look_up", word="ox"))


async def run(
    limit: int, *turns: Any, usage: Any = USAGE, tools: Any = (look_up,), **settings: Any
) -> AgentResult:
    """Run an agent whose every call uses 100 tokens, under a hook with this limit."""
    budget = TokenBudgetHook(max_total_tokens=limit, **settings)
    with ScriptedChatGenerator(list(turns), usage=usage) as model:
        agent = Agent(chat_generator=model, tools=list(tools), hooks={"before_llm": [budget]})
        return await agent.run_async("What is an ox?")


async def test_below_the_limit_nothing_happens() -> None:
    result = await run(201, LOOKING, LOOKING, "An ox.")

    assert (result.exit_reason, result.text) == ("text", "An ox.")


async def test_no_call_is_made_once_the_limit_is_reached(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        result = await run(200, LOOKING, LOOKING)

    assert result.exit_reason == "token_budget_exceeded"
    assert result["token_usage"]["total_tokens"] == 200
    assert "Token budget reached: 200 of 200 tokens used" in caplog.text


async def test_the_tools_of_the_last_reply_have_run() -> None:
    result = await run(1, LOOKING)

    assert result["last_message"].tool_call_result.text == "ox is a word"


async def test_an_answer_that_goes_over_the_limit_is_an_answer() -> None:
    result = await run(1, "An ox.")

    assert result.exit_reason == "text"


async def test_a_closing_message_is_added_when_asked_for() -> None:
    result = await run(100, LOOKING, add_final_message=True)

    assert result["last_message"].text == result.text == CLOSING
    assert result["last_message"].is_from("assistant")


async def test_a_limit_that_the_first_call_cannot_meet_lets_it_be_made() -> None:
    result = await run(1, "An ox.")

    assert result.usage.requests == 1


async def test_input_and_output_count_where_no_total_is_reported() -> None:
    result = await run(100, LOOKING, usage={"input_tokens": 80, "output_tokens": 20})

    assert result.exit_reason == "token_budget_exceeded"


async def test_what_specialists_used_counts_at_once() -> None:
    usage = {"prompt_tokens": 5_000, "completion_tokens": 1_000}
    specialist = Agent(
        chat_generator=ScriptedChatGenerator(["Cattle."], usage=usage),
        name="vet",
        description="Knows animals.",
    )

    result = await run(5_000, calls(call("vet", task="ox?")), tools=[AgentTool(specialist)])

    assert result.exit_reason == "token_budget_exceeded"
    assert result.usage.total_tokens == 6_100


async def test_what_a_tool_asked_models_for_counts_too() -> None:
    @tool
    async def think(about: str) -> str:
        """Think."""
        current_account().record({"prompt_tokens": 900, "completion_tokens": 0}, model="other")
        return about

    result = await run(1_000, calls(call("think", about="ox")), tools=[think])

    assert result.exit_reason == "token_budget_exceeded"


async def test_hooks_see_what_was_used_below_in_between() -> None:
    seen: list[int] = []

    @hook
    def note(state: State) -> None:
        seen.append(int(state.get("token_usage").get("total_tokens", 0)))

    specialist = Agent(
        chat_generator=ScriptedChatGenerator(["Cattle."], usage=USAGE),
        name="vet",
        description="Knows animals.",
    )
    model = ScriptedChatGenerator([calls(call("vet", task="ox?")), "An ox."], usage=USAGE)
    hooks: Any = {point: [note] for point in ("before_llm", "after_tool", "after_run")}

    await Agent(chat_generator=model, tools=[AgentTool(specialist)], hooks=hooks).run_async("go")

    assert seen == [0, 200, 200, 300]


async def test_what_an_earlier_hook_asked_models_for_is_seen_by_the_next() -> None:
    @hook
    def spend(state: State) -> None:
        current_account().record({"total_tokens": 700}, model="other", purpose="hook")

    model = ScriptedChatGenerator([])
    hooks: Any = {"before_llm": [spend, TokenBudgetHook(max_total_tokens=700)]}

    result = await Agent(chat_generator=model, hooks=hooks).run_async("go")

    assert (result.exit_reason, model.requests) == ("token_budget_exceeded", [])


async def test_it_may_only_stand_before_model_calls() -> None:
    budget = TokenBudgetHook(max_total_tokens=10)

    with pytest.raises(ValueError, match="before_llm"):
        Agent(chat_generator=ScriptedChatGenerator([]), hooks={"after_tool": [budget]})


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "100", None, float("nan")])
def test_what_is_no_limit_is_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match=r"max_total_tokens=.*whole number of at least 1"):
        TokenBudgetHook(max_total_tokens=limit)
