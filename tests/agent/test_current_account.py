"""current_account(): tools and hooks that ask models themselves pay from their run's budget."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import anyio
import pytest

from podium.agent import (
    Agent,
    AgentError,
    AgentResult,
    Budget,
    BudgetExceededError,
    State,
    current_account,
    hook,
)
from podium.agent.errors import ModelError
from podium.agent.prices import FixedPrices, ModelPrice
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool
from podium.tools import Tool, tool
from podium.tracing import UsageTree
from podium.tracing.testing import SpanRecorder

pytestmark = pytest.mark.anyio

USAGE = {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100}
LOOKING = calls(call("look_up", word="ox"))


def other(*turns: Any, usage: Any = USAGE) -> ScriptedChatGenerator:
    """Return the model that a tool or hook asks."""
    return ScriptedChatGenerator(list(turns), name="other", usage=usage)


def asking(model: ScriptedChatGenerator, **options: Any) -> Tool:
    """Return a tool that asks a model of its own."""

    @tool
    async def look_up(word: str) -> str:
        """Look a word up."""
        return (await current_account().ask(model, f"What is an {word}?", **options)).text or ""

    return look_up


async def run(*turns: Any, tools: Any = (), **settings: Any) -> AgentResult:
    """Run an agent whose every call uses 100 tokens."""
    model = ScriptedChatGenerator(list(turns), usage=USAGE)
    return await Agent(chat_generator=model, tools=list(tools), **settings).run_async("go")


def called(node: UsageTree) -> dict[tuple[str, str], int]:
    """Return the tokens of a node's own calls by model and purpose."""
    return {(one.model, one.purpose): one.usage.total_tokens for one in node.calls}


def said(result: AgentResult) -> str:
    """Return what the first tool call came to."""
    return next(one.text for m in result.messages for one in m.tool_call_results)


# Who pays.


async def test_a_tools_own_call_counts_for_its_agent_with_its_purpose() -> None:
    result = await run(LOOKING, "An ox.", tools=[asking(other("Cattle."))])

    assert said(result) == "Cattle."
    assert result.usage.total_tokens == result["token_usage"]["total_tokens"] == 300
    assert called(result.usage_tree) == {("scripted", "loop"): 200, ("other", "tool"): 100}


async def test_a_specialists_tool_pays_for_the_specialist_and_those_above() -> None:
    vet = Agent(
        chat_generator=ScriptedChatGenerator([LOOKING, "Cattle."], usage=USAGE),
        name="vet",
        description="Knows animals.",
        tools=[asking(other("Cattle."), purpose="lookup")],
    )

    result = await run(calls(call("vet", task="ox?")), "An ox.", tools=[AgentTool(vet)])

    child = result.usage_tree.find("agent/vet")
    assert child is not None
    assert called(child) == {("scripted", "loop"): 200, ("other", "lookup"): 100}
    assert (result.usage_tree.own.total_tokens, result.usage.total_tokens) == (200, 500)


async def test_a_tool_in_a_thread_knows_its_account() -> None:
    @tool
    def look_up(word: str) -> str:
        """Look a word up."""
        account = current_account()
        account.record(USAGE, model="other", purpose="search")
        assert account.budget is not None
        return f"{account.path} {account.budget.total_tokens_left}"

    result = await run(LOOKING, "An ox.", tools=[look_up], budget=Budget(total_tokens=9_000))

    assert said(result) == "agent 8800"
    assert called(result.usage_tree)["other", "search"] == 100


async def test_a_hook_pays_from_the_account_of_its_run() -> None:
    model = other("Short.")

    @hook
    async def shorten(state: State) -> None:
        await current_account().ask(model, "Make it short.", purpose="compaction")

    result = await run("An ox.", hooks={"before_llm": [shorten]})

    assert called(result.usage_tree) == {("other", "compaction"): 100, ("scripted", "loop"): 100}


async def test_calls_at_the_same_time_are_all_counted() -> None:
    look_up = asking(other(*["Cattle."] * 8))
    eight = calls(*(call("look_up", word=f"ox {n}") for n in range(8)))

    result = await run(eight, "An ox.", tools=[look_up], tool_concurrency_limit=8)

    assert called(result.usage_tree)["other", "tool"] == 800


async def test_its_call_has_a_span_below_the_tools() -> None:
    with SpanRecorder() as recorder:
        await run(LOOKING, "An ox.", tools=[asking(other("Cattle."))])

    assert recorder.tree("gen_ai.usage.input_tokens").splitlines() == [
        "invoke_agent agent  gen_ai.usage.input_tokens=240",
        "  chat scripted  gen_ai.usage.input_tokens=80",
        "  execute_tool look_up",
        "    chat other  gen_ai.usage.input_tokens=80",
        "  chat scripted  gen_ai.usage.input_tokens=80",
    ]
    assert recorder.open_spans == ()


# Who is refused.


async def test_no_room_is_an_error_that_the_tool_may_handle() -> None:
    model = other()
    caught: list[BudgetExceededError] = []

    @tool
    async def look_up(word: str) -> str:
        """Look a word up."""
        with pytest.raises(BudgetExceededError) as failed:
            await current_account().ask(model, "x" * 9_000)
        caught.append(failed.value)
        return "without asking"

    result = await run(LOOKING, "An ox.", tools=[look_up], budget=Budget(total_tokens=2_000))

    assert (result.exit_reason, said(result)) == ("text", "without asking")
    assert "'agent' has used 100 of 2000 total_tokens" in str(caught[0])
    assert model.requests == []


async def test_a_tool_that_does_not_handle_it_has_failed_and_the_model_is_told_why() -> None:
    look_up = asking(other())

    result = await run(LOOKING, tools=[look_up], budget=Budget(requests=1))

    assert "'agent' has used 1 of 1 requests" in said(result)
    assert result.exit_reason == "request_budget_exceeded"


async def test_the_replys_length_is_capped_to_the_room_there_is() -> None:
    model = other("Cattle. " * 2_000, usage=None)

    result = await run(LOOKING, "An ox.", tools=[asking(model)], budget=Budget(total_tokens=3_000))

    assert model.requests[0].generation_kwargs["max_tokens"] <= 3_000
    assert result.usage.total_tokens <= 3_000


async def test_a_lower_limit_of_the_tools_own_stays() -> None:
    model = other("Cattle.")
    look_up = asking(model, generation_kwargs={"max_tokens": 50, "temperature": 0})

    await run(LOOKING, "An ox.", tools=[look_up], budget=Budget(total_tokens=9_000))

    assert model.requests[0].generation_kwargs == {"max_tokens": 50, "temperature": 0}


async def test_without_a_budget_the_call_is_made_as_it_is() -> None:
    model = other("Cattle.")

    await run(LOOKING, "An ox.", tools=[asking(model)])

    assert model.requests[0].generation_kwargs == {}


async def test_without_a_budget_a_failed_call_is_the_tools_failure() -> None:
    result = await run(LOOKING, "An ox.", tools=[asking(other(RuntimeError("gone")))])

    assert said(result) == "Tool 'look_up' failed: RuntimeError: gone"


async def test_a_model_without_a_price_is_refused_under_a_cost_limit() -> None:
    price = ModelPrice(input_per_million=Decimal(1), output_per_million=Decimal(1))
    budget = Budget(cost_usd=1, prices=FixedPrices({"scripted": price}))
    model = other()

    result = await run(LOOKING, "An ox.", tools=[asking(model)], budget=budget)

    assert "the price of its model 'other' is not known" in said(result)
    assert model.requests == []


async def test_a_recorded_call_beyond_the_limit_is_an_overdraft_and_the_last() -> None:
    @tool
    def look_up(word: str) -> str:
        """Look a word up."""
        current_account().record({"prompt_tokens": 9_000}, model="other")
        return word

    result = await run(LOOKING, tools=[look_up], budget=Budget(total_tokens=2_000))

    assert result.exit_reason == "token_budget_exceeded"
    assert result.stop.overdraft == 7_100


REFUSED = ModelError("The server refused the call (429). Ask again later.", was_refused=True)


@pytest.mark.parametrize(
    ("failure", "is_charged"), [(RuntimeError("gone"), True), (REFUSED, False)]
)
async def test_a_call_that_failed_is_charged_unless_it_surely_did_no_work(
    failure: Exception, is_charged: bool
) -> None:
    left: list[int] = []

    @hook
    def note(state: State) -> None:
        left.append(state.get("budget").total_tokens_left)

    await run(
        LOOKING,
        "An ox.",
        tools=[asking(other(failure))],
        budget=Budget(total_tokens=5_000),
        hooks={"after_tool": [note]},
    )

    assert (left[0] < 4_900) == is_charged


# Where there is none.


async def test_outside_a_run_there_is_no_account() -> None:
    with pytest.raises(AgentError, match="no agent runs here"):
        current_account()


async def test_after_a_run_there_is_none_either() -> None:
    await run("An ox.")

    with pytest.raises(AgentError, match="Call it inside a tool or a hook"):
        current_account()


async def test_a_task_that_a_tool_starts_has_the_tools_account() -> None:
    paths: list[str] = []

    async def note() -> None:
        paths.append(current_account().path)

    @tool
    async def look_up(word: str) -> str:
        """Look a word up."""
        async with anyio.create_task_group() as group:
            group.start_soon(note)
        return word

    await run(LOOKING, "An ox.", tools=[look_up])

    assert paths == ["agent"]
