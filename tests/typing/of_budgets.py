"""What type checkers see of budgets and prices. Checked, never run."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, assert_type

from podium.agent import (
    Agent,
    AgentResult,
    Budget,
    BudgetView,
    ChatMessage,
    RunAccount,
    Stop,
    current_account,
)
from podium.agent.prices import FixedPrices, ModelPrice
from podium.agent.testing import ScriptedChatGenerator
from podium.orchestration import AgentTool
from podium.tools import tool
from podium.tracing import Usage

model = ScriptedChatGenerator(["Hello"])
prices = FixedPrices(
    {"mine": ModelPrice(input_per_million=Decimal(1), output_per_million=Decimal(2))}
)

assert_type(Budget(total_tokens=60_000, cost_usd=0.5, seconds=120, prices=prices), Budget)
assert_type(Budget(cost_usd=Decimal("0.5"), on_exceeded="raise"), Budget)
assert_type(Budget.grant(total_tokens=8_000), Budget)
assert_type(Budget.fraction(0.25), Budget)
assert_type(Budget.fair(), Budget)

Budget(60_000)  # type: ignore[call-arg]  # limits go by name
Budget(total_tokens="many")  # type: ignore[arg-type]  # limits are numbers
Budget(on_exceeded="explode")  # type: ignore[arg-type]  # stop or raise
Budget.grant(tokens=8_000)  # type: ignore[call-arg]  # it is total_tokens

agent = Agent(chat_generator=model, description="Helps.", budget=Budget(requests=3))
AgentTool(agent, budget=Budget.fraction(0.25))
AgentTool(agent, budget=8_000)  # type: ignore[arg-type]  # a number of what?


async def what_a_budgeted_run_gives() -> None:
    assert_type(agent.run("Hi", budget=Budget(total_tokens=1_000)), AgentResult)
    assert_type(await agent.run_async("Hi", budget=Budget(seconds=1.5)), AgentResult)


def what_an_ending_tells(stop: Stop) -> None:
    assert_type(stop.what, str | None)
    assert_type(stop.limit, int | float | Decimal | None)
    assert_type(stop.spent, int | float | Decimal | None)
    assert_type(stop.held, int | float | Decimal | None)
    assert_type(stop.unfinished, tuple[str, ...])


@tool
async def summarize(text: str) -> str | None:
    """Summarize, at the cost of the agent that asks."""
    account = current_account()
    assert_type(account, RunAccount)
    assert_type(account.path, str)
    assert_type(account.budget, BudgetView | None)
    assert_type(account.record({"prompt_tokens": 5}, model="mine"), Usage)
    reply = await account.ask(model, f"Summarize: {text}")
    assert_type(reply, ChatMessage)
    return reply.text


def what_is_left(view: BudgetView) -> None:
    assert_type(view.total_tokens_left, int | None)
    assert_type(view.total_tokens_spent, int)
    assert_type(view.cost_usd_left, Decimal | None)
    assert_type(view.seconds_left, float | None)


def what_data_gives(data: dict[str, Any]) -> None:
    assert_type(Budget.from_dict(data), Budget)
    assert_type(Budget().to_dict(), dict[str, Any])
