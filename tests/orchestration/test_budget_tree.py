"""Budgets over a whole tree: never more is spent than allowed, and every ending says why."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from search_team import found, leading, look, searching

from podium.agent import Agent, ChatMessage
from podium.agent.budget import Budget
from podium.agent.errors import BudgetExceededError
from podium.agent.models._estimate import estimate_prompt_tokens
from podium.agent.prices import FixedPrices, ModelPrice
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool, Coordinator
from podium.tools import Tool, tool

pytestmark = pytest.mark.anyio

SIZES = [int(n) for n in os.environ.get("PODIUM_BUDGET_SIZES", "1 2 8 32").split()]
WORD = "word "


class Truthful:
    """A model that counts what it is sent, writes as much as it may, and says what both come to."""

    model = "truthful"
    output_cap_is_hard = True

    def __init__(self, length: int = 120, plan: Sequence[ChatMessage] = ()) -> None:
        self.length, self.plan = length, list(plan)
        self.spent = 0
        self.calls = itertools.count(1)
        self.denied_after_overdraft = 0

    def with_output_cap(self, kwargs: Mapping[str, Any] | None, cap: int) -> Mapping[str, Any]:
        return {**(kwargs or {}), "max_tokens": cap}

    async def run_async(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Tool] = (),
        generation_kwargs: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        for _ in range(next(self.calls) % 7):  # calls overlap in many ways
            await anyio.lowlevel.checkpoint()
        prompt = int(estimate_prompt_tokens(list(messages), list(tools)) / 1.3)
        cap = (generation_kwargs or {}).get("max_tokens", self.length)
        planned = self.plan.pop(0) if self.plan and tools else None
        written = min(self.length, cap) if planned is None else 20
        self.spent += prompt + written
        usage = {"prompt_tokens": prompt, "completion_tokens": written}
        finish = "length" if planned is None and written < self.length else "stop"
        meta = {"usage": usage, "finish_reason": finish}
        if planned is not None:
            meta["finish_reason"] = "tool_calls"
            reply = ChatMessage.from_assistant(tool_calls=planned.tool_calls, meta=meta)
        else:
            reply = ChatMessage.from_assistant(WORD * written, meta=meta)
        return {"replies": [reply]}


def team(
    count: int, allotment: Budget | None, **settings: Any
) -> tuple[Coordinator, list[Truthful]]:
    """Return a coordinator that asks `count` specialists at once, and the models that spend."""
    worker = Truthful()
    specialist = Agent(chat_generator=worker, name="worker", description="Works.")
    asks = calls(*(call("worker", task=f"part {n} of the work") for n in range(count)))
    lead = Truthful(plan=[asks])
    coordinator = Coordinator(
        chat_generator=lead,
        specialists=[AgentTool(specialist, budget=allotment, max_calls=10_000)],
        tool_concurrency_limit=max(4, count),
        **settings,
    )
    return coordinator, [lead, worker]


ALLOTMENTS = {
    "shared": None,
    "capped": Budget(total_tokens=400),
    "granted": Budget.grant(total_tokens=400),
    "a fraction": Budget.fraction(0.25),
    "fair": Budget.fair(),
}


@pytest.mark.parametrize("limit", [700, 2_000, 20_000])
@pytest.mark.parametrize("allotment", ALLOTMENTS.values(), ids=ALLOTMENTS)
@pytest.mark.parametrize("count", SIZES)
async def test_parallel_specialists_never_spend_more_than_the_limit(
    count: int, allotment: Budget | None, limit: int
) -> None:
    coordinator, models = team(count, allotment, budget=Budget(total_tokens=limit))

    with anyio.fail_after(60):
        result = await coordinator.run_async("Do all parts of the work.")

    spent = sum(model.spent for model in models)
    assert spent <= limit
    assert result.usage.total_tokens == spent
    assert sum(node.own.total_tokens for node in result.usage_tree.walk()) == spent
    assert result["token_usage"].get("total_tokens", 0) == spent


async def test_a_limit_is_put_to_use_when_there_is_work_to_do() -> None:
    coordinator, models = team(160, None, budget=Budget(total_tokens=20_000))

    await coordinator.run_async("Do all parts of the work.")

    assert sum(model.spent for model in models) >= 0.85 * 20_000


@pytest.mark.parametrize("requests", range(1, 7))
async def test_requests_are_never_more_than_allowed(requests: int) -> None:
    coordinator, models = team(4, None, budget=Budget(requests=requests))

    result = await coordinator.run_async("Do all parts of the work.")

    made = sum(next(model.calls) - 1 for model in models)
    assert made == result.usage.requests == min(requests, 6)


async def test_a_limit_that_is_exactly_enough_is_enough() -> None:
    coordinator, _ = team(4, None, budget=Budget(requests=6))

    result = await coordinator.run_async("Do all parts of the work.")

    assert result.exit_reason == "text"


async def test_tool_calls_beyond_the_limit_do_not_run() -> None:
    ran: list[int] = []

    @tool
    def lookup(n: int) -> str:
        """Look something up."""
        ran.append(n)
        return str(n)

    model = ScriptedChatGenerator([calls(*(call("lookup", n=n) for n in range(8)))])

    result = await Agent(
        chat_generator=model, tools=[lookup], budget=Budget(tool_calls=6)
    ).run_async("go")

    assert len(ran) == 6
    assert (result.exit_reason, result.stop.limit, result.stop.spent) == (
        "tool_call_budget_exceeded",
        6,
        6,
    )
    assert result.stop.unfinished == ("lookup", "lookup")


async def test_cost_is_limited_and_known() -> None:
    price = ModelPrice(input_per_million=Decimal(1), output_per_million=Decimal(10))
    coordinator = leading(
        searching("Tea."),
        calls(call("searcher", task="x")),
        "done",
        budget=Budget(cost_usd=Decimal("0.1"), prices=FixedPrices({"scripted": price})),
    )

    result = await coordinator.run_async("go")

    assert result.cost == Decimal(3) * (200 * Decimal("0.000001") + 50 * Decimal("0.00001"))


async def test_a_cost_limit_without_a_price_is_refused_before_anything_happens() -> None:
    model = ScriptedChatGenerator([])
    agent = Agent(
        chat_generator=model, budget=Budget(cost_usd=1, prices=FixedPrices({"other": PRICE}))
    )

    with pytest.raises(ValueError, match="price of its model 'scripted' is not known"):
        await agent.run_async("go")


PRICE = ModelPrice(input_per_million=Decimal(1), output_per_million=Decimal(1))


async def test_agents_beyond_the_limit_are_not_started() -> None:
    coordinator = leading(
        searching("one"),
        calls(call("searcher", task="a"), call("searcher", task="b")),
        "done",
        budget=Budget(agents=1),
    )

    result = await coordinator.run_async("go")

    assert "No agent can be started at 'coordinator/searcher#2'" in found(result)
    assert result.text == "done"


async def test_a_budget_that_says_so_raises_with_the_partial_result() -> None:
    agent = searching(calls(call("look", q="tea")), budget=Budget(requests=1, on_exceeded="raise"))

    with pytest.raises(BudgetExceededError, match="1 of 1 requests") as caught:
        await agent.run_async("go")

    assert caught.value.partial is not None
    assert "facts about tea" in found(caught.value.partial)


async def test_a_lying_model_is_found_out_and_nothing_more_is_started() -> None:
    usage = {"prompt_tokens": 5_000, "completion_tokens": 5_000}
    liar = ScriptedChatGenerator([calls(call("look", q="tea"))], usage=usage)
    agent = Agent(chat_generator=liar, tools=[look], budget=Budget(total_tokens=3_000))

    result = await agent.run_async("go")

    assert result.exit_reason == "token_budget_exceeded"
    assert len(liar.requests) == 1
    assert result.stop.overdraft == 7_000


async def test_without_usage_the_reservation_is_charged_in_full() -> None:
    class Silent:
        model = "silent"

        def with_output_cap(self, kwargs: Any, cap: int) -> Any:
            given: dict[str, Any] = kwargs or {}
            return {**given, "max_tokens": cap}

        async def run_async(self, messages: Any, **options: Any) -> Any:
            return {"replies": [calls(call("look", q="tea"))]}

    agent = Agent(
        chat_generator=Silent(), tools=[look], budget=Budget(total_tokens=1_000, requests=50)
    )

    result = await agent.run_async("go")

    assert result.exit_reason == "token_budget_exceeded"
    assert not result.usage.complete


async def test_a_run_budget_comes_on_top_of_the_agents_own() -> None:
    agent = searching(calls(call("look", q="a")), budget=Budget(requests=5))

    result = await agent.run_async("go", budget=Budget(requests=1))

    assert result.stop.limit == 1


async def test_prompts_and_hooks_can_say_what_is_left() -> None:
    from podium.agent import State, hook

    seen: list[Any] = []

    @hook
    def note(state: State) -> None:
        view = state.data["budget"]
        is_timed = view.seconds_left is not None and 0 < view.seconds_left <= 60
        seen.append((view.total_tokens_left, view.requests_left, is_timed))

    agent = searching(
        "done",
        system_prompt="You have {{ budget.total_tokens_left }} tokens.",
        budget=Budget(total_tokens=9_000, seconds=60),
        hooks={"before_llm": [note]},
    )

    result = await agent.run_async("go")

    assert result.messages[0].text == "You have 9000 tokens."
    assert seen == [(9_000, None, True)]


async def test_a_prompt_about_the_budget_says_none_where_there_is_none() -> None:
    agent = searching("done", system_prompt="Left: {{ budget.requests_left }}.")

    result = await agent.run_async("go")

    assert result.messages[0].text == "Left: None."
