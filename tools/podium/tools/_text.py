"""Text cleaned once at the boundary: what came in from models and tools can always go out."""

from __future__ import annotations

import re
from typing import cast

from podium.tools._shapes import is_array, is_object

MAX_ERROR_CHARS = 10_000
"""How much of what an error says is told; a program's whole output may stand in one."""
_SHOWN_ERRORS = 5

_COLOURS = re.compile("\x1b\\[[0-9;:?]{0,32}[a-zA-Z]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# C0 except tab and newline, DEL, C1, and the marks that reorder or hide text.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def clean_text(text: str) -> str:
    """Return text that encodes as UTF-8: a lone surrogate becomes U+FFFD, all else stays."""
    return (
        _SURROGATE.sub("\ufffd", text) if not text.isascii() and _SURROGATE.search(text) else text
    )


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


def printable(text: str, *, limit: int | None = None) -> str:
    """Return text that is safe on a terminal or in a log line: control characters are escaped.

    With `limit`, at most that many characters of `text` are shown and a cut is marked.
    """
    if limit is not None and len(text) > limit:
        text = text[:limit] + "…"
    return _UNPRINTABLE.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def without_unprintable(text: str) -> str:
    """Return text without control characters and marks that hide, reorder or colour text."""
    return _UNPRINTABLE.sub("", _COLOURS.sub("", clean_text(text)))
