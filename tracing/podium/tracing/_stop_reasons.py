"""Why runs end, in sentences: for results that explain themselves and for traces read back."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

NATURAL = frozenset({"text"})
"""Endings of a run that has done what it was asked."""

_SPENT_BY_CALLS = frozenset({"token_budget_exceeded", "cost_budget_exceeded"})
_SENTENCES = {
    "text": "The model answered.",
    "length": "The model's answer was cut by its output limit.",
    "content_filter": "The provider's content filter stopped the answer.",
    "refusal": "The model refused to answer.",
    "empty_reply": "The model kept sending empty replies.",
    "max_agent_steps": "The step limit was reached before the model answered.",
    "token_budget_exceeded": "The token budget was spent.",
    "cost_budget_exceeded": "The cost budget was spent.",
    "request_budget_exceeded": "The budget of model calls was spent.",
    "tool_call_budget_exceeded": "The budget of tool calls was spent.",
    "time_budget_exceeded": "The time was over.",
    "repeated_call": "The model kept making the same tool call.",
    "cancelled": "The run was cancelled.",
    "error": "The run ended with an error.",
}


def sentence(reason: str) -> str:
    """Return what an exit reason means; one that a hook or a tool set is told by its name."""
    return _SENTENCES.get(reason, f"The run was stopped: {reason}.")


def limit_sentence(
    owner: str, what: str, *, reason: str | None, limit: object, spent: object, held: object
) -> str:
    """Return how far the limit of an agent was used up; `what` is its name or unit, if any.

    Tokens and money that are left over are told to be too little, where `reason` says so.
    """
    used = f"'{owner}' had used {amount(spent)} of {amount(limit)} {what}".rstrip()
    kept = f", and {amount(held)} were held or kept for the answer" if held else ""
    return f"{used}{kept}.{_rest(reason, limit=limit, spent=spent, held=held or 0)}"


def _rest(reason: str | None, **numbers: object) -> str:
    """Return what there is to say of the part of a limit that nobody has used."""
    limit, spent, held = map(_number, numbers.values())
    if reason not in _SPENT_BY_CALLS or limit is None or spent is None or held is None:
        return ""
    if not spent:
        return " Not even one call had room in it: set a higher limit."
    return " The rest was too little for another call." if spent + held < limit else ""


def _number(value: object) -> Decimal | None:
    """Return a number of a budget; None for what a foreign record has in its place."""
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def amount(value: object) -> str:
    """Return a number of a budget as it is read."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return "an unknown part" if value is None else str(value)
