"""The names of budgets: limits, the resources they limit, and how a run ends at each."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final, Literal, TypedDict

from podium.agent.ledger import Resource
from podium.agent.prices import PriceTable
from podium.agent.tokens import TokenCounter

NUSD_PER_USD: Final = 1_000_000_000
"""A ledger counts money in billionths of a US dollar."""

TIME_BUDGET_EXCEEDED: Final = "time_budget_exceeded"
"""The exit reason when the seconds are over."""

EXIT_REASONS: Final[Mapping[Resource, str]] = MappingProxyType(
    {
        "tokens": "token_budget_exceeded",
        "input_tokens": "token_budget_exceeded",
        "output_tokens": "token_budget_exceeded",
        "cost_nusd": "cost_budget_exceeded",
        "requests": "request_budget_exceeded",
        "tool_calls": "tool_call_budget_exceeded",
        "agents": "agent_budget_exceeded",
    }
)
"""The exit reason for each resource an account can lack. A lack of agents ends no run: the tool
call that wanted one is told."""

LIMITS: Final[Mapping[Resource, str]] = MappingProxyType(
    {
        "tokens": "total_tokens",
        "input_tokens": "input_tokens",
        "output_tokens": "output_tokens",
        "cost_nusd": "cost_usd",
        "requests": "requests",
        "tool_calls": "tool_calls",
        "agents": "agents",
    }
)
"""What a budget calls the limit of each resource that a ledger counts."""

AllotmentKind = Literal["shared", "grant", "fraction", "fair"]
OnExceeded = Literal["stop", "raise"]


class BudgetLimits(TypedDict, total=False):
    """What `Budget.grant` takes: the limits and options of a budget."""

    total_tokens: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: Decimal | float | None
    requests: int | None
    tool_calls: int | None
    agents: int | None
    seconds: float | None
    reserve_for_answer: int | None
    strict: bool
    token_counter: TokenCounter | None
    prices: PriceTable | None
    min_output_tokens: int
    on_exceeded: OnExceeded
