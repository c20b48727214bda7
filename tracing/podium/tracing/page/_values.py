"""Values of attributes as the page holds them: each once, as JSON, cut where they are long."""

from __future__ import annotations

import json
import math

from podium.tracing._text import printable

MAX_CHARACTERS = 16_384
"""Of one value; more than that nobody reads in a table."""
MAX_TOTAL_CHARACTERS = 32_000_000
"""Of all values; those that come after are cut to `MIN_CHARACTERS`."""
MIN_CHARACTERS = 256
_EXACT = 2**53
"""Larger integers are not exact in JavaScript, so they go as text."""

Scalar = str | int | float | bool | None


class Values:
    """The distinct values of a page, in the order in which they were met."""

    def __init__(self) -> None:
        """Start empty."""
        self.all: list[Scalar] = []
        self.cut = 0
        """How many values were too long to be kept whole."""
        self._places: dict[tuple[type, object], int] = {}
        self._characters = 0

    def place(self, value: object) -> int:
        """Return where a value stands in `all`; it is added when it is new."""
        try:
            key = (type(value), value)
            known = self._places.get(key)
        except TypeError:  # it holds a dict
            return self._add(value)
        if known is None:
            known = self._places[key] = self._add(value)
        return known

    def _add(self, value: object) -> int:
        scalar = self._scalar(value)
        if isinstance(scalar, str):
            self._characters += len(scalar)
        self.all.append(scalar)
        return len(self.all) - 1

    def _scalar(self, value: object) -> Scalar:
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            return value if abs(value) < _EXACT else self._text(_digits(value))
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bytes):
            return self._text(f"{len(value):,} bytes: {value[:MAX_CHARACTERS].hex(' ')}")
        return self._text(_json_text(value))

    def _text(self, text: str) -> str:
        """Return text whose controls are shown, not obeyed, and that is cut with a mark."""
        room = MAX_CHARACTERS if self._characters < MAX_TOTAL_CHARACTERS else MIN_CHARACTERS
        if len(text) <= room:
            return printable(text)
        self.cut += 1
        return f"{printable(text[:room])}\N{HORIZONTAL ELLIPSIS} [cut: {len(text):,} characters]"


def _digits(value: int) -> str:
    """Return an integer in decimal, or, where Python refuses that, in hexadecimal."""
    return str(value) if value.bit_length() < 4_096 else hex(value)


def _json_text(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, TypeError, RecursionError):  # a circle, or keys that are no text
        return f"<{type(value).__name__}>"
