"""Text cleaned once at the boundary: what came in from models and tools can always go out."""

from __future__ import annotations

from typing import cast

from podium.tools._shapes import is_array, is_object
from podium.tracing._text import clean_text

MAX_ERROR_CHARS = 10_000
"""How much of what an error says is told; a program's whole output may stand in one."""
_SHOWN_ERRORS = 5


def clean_json(value: object) -> object:
    """Return plain JSON data with every string in it, keys included, cleaned."""
    if isinstance(value, str):
        return clean_text(value)
    if is_object(value):
        return {clean_text(str(key)): clean_json(item) for key, item in value.items()}
    if is_array(value):
        return [clean_json(item) for item in value]
    return value


def said_by(error: BaseException) -> str:
    """Return what an error says, cut if it is very long; empty when it cannot say it."""
    try:
        said = str(error)
    except Exception:  # __str__ is anyone's code
        return ""
    return said if len(said) <= MAX_ERROR_CHARS else said[:MAX_ERROR_CHARS] + "… [cut here]"


def error_text(error: BaseException) -> str:
    """Return the kind of an error and what it says; of a group, also what stands in it."""
    said = said_by(error)
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        inside = "; ".join(error_text(one) for one in group.exceptions[:_SHOWN_ERRORS])
        text = f"{text}: {inside}"[: 2 * MAX_ERROR_CHARS]
    return text
