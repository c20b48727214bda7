"""What a question may use: limits from the command line, checked before anything is asked."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from podium.agent import Budget
from podium.agent.models import ChatGenerator
from podium.agent.prices import GenAIPrices
from research_assistant.documents import ResearchError

MOST_FOR_ANSWER = 1_500
"""Tokens kept back for the answer, where a quarter of the limit is more."""
LEAST, MOST = Decimal("1e-9"), Decimal("1e12")


def budget_from(tokens: str | None, usd: str | None, seconds: str | None) -> Budget | None:
    """Return the budget that the options describe; None when none is given.

    Raises:
        ResearchError: one of them is no limit.
    """
    limit = _limit("--budget-tokens", tokens, "a whole number of tokens, such as 20000", whole=True)
    money = _limit("--budget-usd", usd, "US dollars above 0, such as 0.50")
    time = _limit("--budget-seconds", seconds, "seconds above 0, such as 60")
    if limit is None and money is None and time is None:
        return None
    try:
        return Budget(
            total_tokens=None if limit is None else int(limit),
            cost_usd=money,
            seconds=None if time is None else float(time),
            reserve_for_answer=None if limit is None else min(MOST_FOR_ANSWER, int(limit) // 4),
        )
    except ImportError as error:  # the list prices are an extra
        raise ResearchError(str(error)) from error


def check_price(budget: Budget | None, model: ChatGenerator) -> None:
    """Refuse a limit in dollars for a model whose price nobody knows.

    Raises:
        ResearchError: its price is not known.
    """
    if budget is None or budget.cost_usd is None:
        return
    name, address = getattr(model, "model", ""), getattr(model, "api_base_url", None)
    if GenAIPrices().price(name, address or getattr(model, "provider_name", None)) is None:
        raise ResearchError(
            f"--budget-usd {budget.cost_usd} cannot be kept: the price of the model {name!r} is "
            "not known. Limit it with --budget-tokens or --budget-seconds."
        )


def shown_budget(budget: Budget) -> str:
    """Return the limits in a few words."""
    limits = [
        f"{budget.total_tokens:,} tokens" if budget.total_tokens else "",
        f"{budget.cost_usd} US dollars" if budget.cost_usd else "",
        f"{budget.seconds:g} seconds" if budget.seconds else "",
    ]
    kept = budget.reserve_for_answer
    answer = f"; {kept:,} of the tokens are kept for the answer" if kept else ""
    return ", ".join(filter(None, limits)) + answer


def _limit(option: str, text: str | None, wanted: str, *, whole: bool = False) -> Decimal | None:
    if text is None:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    least = Decimal(1) if whole else LEAST
    if not value.is_finite() or not least <= value <= MOST or (whole and value % 1):
        raise ResearchError(f"{option} {text!r} sets no limit. Give {wanted}.")
    return value
