"""Text cleaned once at the boundary: what came in from models and tools can always go out."""

from __future__ import annotations

import re

from podium.tools._shapes import is_array, is_object

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


def printable(text: str, *, limit: int | None = None) -> str:
    """Return text that is safe on a terminal or in a log line: control characters are escaped.

    With `limit`, at most that many characters of `text` are shown and a cut is marked.
    """
    if limit is not None and len(text) > limit:
        text = text[:limit] + "…"
    return _UNPRINTABLE.sub(lambda found: found.group().encode("unicode_escape").decode(), text)
