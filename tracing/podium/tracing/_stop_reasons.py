"""Why runs end, in sentences: for results that explain themselves and for traces read back."""

from __future__ import annotations

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


def limit_sentence(owner: str, what: str, *, limit: object, spent: object, held: object) -> str:
    """Return how far the limit of an agent was used up; `what` is its name or unit, if any."""
    used = f"'{owner}' had used {amount(spent)} of {amount(limit)} {what}".rstrip()
    kept = f", and {amount(held)} were held or kept for the answer" if held else ""
    return f"{used}{kept}."


def amount(value: object) -> str:
    """Return a number of a budget as it is read."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:,}"
    return "an unknown part" if value is None else str(value)


def first_call_hint(reason: str | None, spent: object) -> str:
    """Return what to do where tokens or money did not reach for a single call; else nothing."""
    if reason in _SPENT_BY_CALLS and spent is not None and spent == 0:
        return " Not even one call had room in it: set a higher limit."
    return ""
