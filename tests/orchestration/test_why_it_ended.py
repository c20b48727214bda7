"""Why agents of a tree ended: the right reason, whose limit it was, and what had been found."""

from __future__ import annotations

from decimal import Decimal

import anyio
import pytest
from search_team import found, leading, look, searching

from podium.agent import HookPoint, State, hook
from podium.agent.budget import Budget
from podium.agent.hooks import HOOK_POINTS, RepeatedCallHook
from podium.agent.prices import FixedPrices, ModelPrice
from podium.agent.testing import call, calls
from podium.orchestration import AgentTool
from podium.tools import tool

pytestmark = pytest.mark.anyio

DEAR = FixedPrices(
    {"scripted": ModelPrice(input_per_million=Decimal(1_000), output_per_million=Decimal(1_000))}
)
"""Each scripted call costs a quarter of a dollar."""


async def test_a_specialist_stopped_by_its_own_budget_hands_up_what_it_found() -> None:
    specialist = AgentTool(searching(calls(call("look", q="tea"))), budget=Budget(requests=1))
    coordinator = leading(specialist, calls(call("searcher", task="x")), "done")

    result = await coordinator.run_async("go")

    assert result.exit_reason == "text"
    assert "facts about tea" in found(result)
    assert "'coordinator/searcher' had used 1 of 1 requests" in found(result)
    child = result.usage_tree.find("coordinator/searcher")
    assert child is not None and child.exit_reason == "request_budget_exceeded"


async def test_a_specialist_stopped_by_its_callers_budget_blames_the_caller() -> None:
    coordinator = leading(
        searching(calls(call("look", q="tea"))),
        calls(call("searcher", task="x")),
        budget=Budget(requests=2),
    )

    result = await coordinator.run_async("go")

    assert (result.exit_reason, result.stop.by) == ("request_budget_exceeded", "coordinator")
    assert "facts about tea" in found(result)
    assert "'coordinator/searcher' completed 1 step" in found(result)
    assert "'coordinator' had used 2 of 2 requests" in found(result)


async def test_the_root_is_blamed_two_levels_down() -> None:
    middle = leading(
        searching(calls(call("look", q="tea"))),
        calls(call("searcher", task="x")),
        name="middle",
        description="Leads the search.",
    )
    root = leading(middle, calls(call("middle", task="y")), budget=Budget(requests=3))

    result = await root.run_async("go")

    assert (result.exit_reason, result.stop.by) == ("request_budget_exceeded", "coordinator")
    assert "facts about tea" in found(result)


async def test_a_specialist_whose_time_is_over_hands_up_what_it_found() -> None:
    @tool
    async def hang() -> str:
        """Never end."""
        await anyio.sleep_forever()
        return ""

    specialist = searching(calls(call("look", q="tea")), calls(call("hang")))
    slow = AgentTool(specialist.clone(tools=[look, hang]), timeout_seconds=0.5)
    coordinator = leading(slow, calls(call("searcher", task="x")), "done")

    with anyio.fail_after(5):
        result = await coordinator.run_async("go")

    assert result.exit_reason == "text"
    assert "facts about tea" in found(result) and "time_budget_exceeded" in found(result)


async def test_a_coordinator_whose_time_is_over_still_answers() -> None:
    @tool
    async def hang() -> str:
        """Never end."""
        await anyio.sleep_forever()
        return ""

    specialist = searching(calls(call("look", q="tea")), calls(call("hang")))
    coordinator = leading(
        specialist.clone(tools=[look, hang]),
        calls(call("searcher", task="x")),
        "Tea has facts.",
        budget=Budget(seconds=2.0),
    )

    with anyio.fail_after(5):
        result = await coordinator.run_async("go")

    assert (result.exit_reason, result.text) == ("time_budget_exceeded", "Tea has facts.")
    assert "facts about tea" in found(result)
    assert not any(one.error for m in result.messages for one in m.tool_call_results)
    assert result.stop.answered_after_stop


async def test_a_spent_coordinator_answers_from_its_reserve() -> None:
    specialist = searching(calls(call("look", q="tea")), "Tea is a plant.")
    coordinator = leading(
        specialist,
        calls(call("searcher", task="x")),
        "What I found: tea is a plant.",
        budget=Budget(total_tokens=2_200, reserve_for_answer=900),
    )

    result = await coordinator.run_async("go")

    assert result.exit_reason == "token_budget_exceeded"
    assert result.text == "What I found: tea is a plant."
    assert result.usage.total_tokens <= 2_200


async def test_a_spent_cost_budget_ends_the_run() -> None:
    price = ModelPrice(input_per_million=Decimal(1_000), output_per_million=Decimal(1_000))
    coordinator = leading(
        searching("Tea."),
        calls(call("searcher", task="x")),
        budget=Budget(cost_usd=Decimal("0.8"), prices=FixedPrices({"scripted": price})),
    )

    result = await coordinator.run_async("go")

    assert result.exit_reason == "cost_budget_exceeded"
    assert result.stop.limit == Decimal("0.8")
    assert result.cost is not None and result.cost <= Decimal("0.8")


async def test_a_specialist_stopped_by_its_cost_hands_up_what_it_found() -> None:
    budget = Budget(cost_usd=Decimal("0.45"), prices=DEAR)
    specialist = AgentTool(searching(calls(call("look", q="tea"))), budget=budget)
    coordinator = leading(specialist, calls(call("searcher", task="x")), "done")

    result = await coordinator.run_async("go")

    assert result.exit_reason == "text"
    assert "facts about tea" in found(result) and "cost_budget_exceeded" in found(result)
    assert "'coordinator/searcher' had used 0.25" in found(result)


async def test_a_grant_beyond_what_the_caller_has_is_refused_in_dollars() -> None:
    specialist = AgentTool(searching("Tea."), budget=Budget.grant(cost_usd=Decimal("0.7")))
    budget = Budget(cost_usd=Decimal("0.8"), prices=DEAR)
    coordinator = leading(specialist, calls(call("searcher", task="x")), "done", budget=budget)

    result = await coordinator.run_async("go")

    assert "'coordinator' had used 0.25 of 0.8 cost_usd" in found(result)
    assert "That leaves no room to grant 0.7." in found(result)


async def test_a_specialist_stopped_by_its_repeats_hands_up_what_it_found() -> None:
    again = calls(call("look", q="tea"))
    guard = {"before_tool": [RepeatedCallHook(max_repeats=2)]}
    specialist = searching(*[again] * 4, hooks=guard)
    coordinator = leading(specialist, calls(call("searcher", task="x")), "done")

    result = await coordinator.run_async("go")

    assert result.exit_reason == "text"
    assert "facts about tea" in found(result) and "repeated_call" in found(result)
    child = result.usage_tree.find("coordinator/searcher")
    assert child is not None and child.exit_reason == "repeated_call"


async def test_a_specialist_too_deep_is_not_started_and_its_caller_goes_on_with_what_it_has() -> (
    None
):
    middle = leading(
        searching(),
        calls(call("searcher", task="x")),
        "I was not allowed to ask.",
        name="middle",
        description="Leads the search.",
    )
    root = leading(middle, calls(call("middle", task="y")), "done", max_depth=1)

    result = await root.run_async("go")

    assert result.exit_reason == "text"
    assert "I was not allowed to ask." in found(result)
    assert [node.path for node in result.usage_tree.walk()] == ["coordinator", "coordinator/middle"]


async def test_an_answer_that_was_asked_for_has_a_request_kept_for_it() -> None:
    specialist = searching(calls(call("look", q="tea")), calls(call("look", q="milk")))
    coordinator = leading(
        specialist,
        calls(call("searcher", task="x")),
        "Tea is a plant.",
        budget=Budget(requests=4, reserve_for_answer=900),
    )

    result = await coordinator.run_async("go")

    assert (result.exit_reason, result.text) == ("request_budget_exceeded", "Tea is a plant.")
    assert (result.usage.requests, result.stop.answered_after_stop) == (4, True)


@pytest.mark.parametrize("point", HOOK_POINTS)
async def test_no_hook_moves_a_limit_or_takes_its_ending_back(point: HookPoint) -> None:
    @hook
    def go_on(state: State) -> None:
        state.data.update(continue_run=True, exit_reason=None, budget=None, step_count=0)
        if point != "before_llm":
            state.data.update(stop_run=None)

    agent = searching(*[calls(call("look", q="tea"))] * 2, hooks={point: [go_on]})

    result = await agent.run_async("go", budget=Budget(requests=2))

    assert (result.stop.reason, result.stop.spent) == ("request_budget_exceeded", 2)
    assert result.usage.requests == 2
