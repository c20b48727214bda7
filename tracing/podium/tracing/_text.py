"""Text that can always go out: as UTF-8, and to a terminal without controlling it."""

from __future__ import annotations

import re

_COLOURS = re.compile("\x1b\\[[0-9;:?]{0,32}[a-zA-Z]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# C0 except tab and newline, DEL, C1, the marks that reorder or hide text, and lone surrogates.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff"
    "\U000e0000-\U000e007f]"
)


def clean_text(text: str) -> str:
    """Return text that encodes as UTF-8: a lone surrogate becomes U+FFFD, all else stays."""
    return (
        _SURROGATE.sub("\ufffd", text) if not text.isascii() and _SURROGATE.search(text) else text
    )


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
