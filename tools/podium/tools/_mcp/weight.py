"""How much of a message a server may send: weighed as bytes, before anything parses it.

Parsing holds up every thread, so what would take long to parse is never parsed. Length alone says
little: 8 MiB of one image take 4 ms, 1 MiB of `[[],[],...` takes 370.
"""

from __future__ import annotations

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
"""The longest message."""
MAX_CONTAINERS = 20_000
"""Objects and arrays in one message, those in its texts included."""
MAX_ITEMS = 200_000
"""Items of these, likewise."""


class Weight:
    """What there is of a message so far."""

    __slots__ = ("_bytes", "_containers", "_items")

    def __init__(self) -> None:
        """Start with nothing."""
        self.reset()

    def reset(self) -> None:
        """Start over, with the next message."""
        self._bytes = self._containers = self._items = 0

    def add(self, piece: bytes | bytearray) -> str | None:
        """Take in a piece; return which limit the message is over, if it is."""
        self._bytes += len(piece)
        self._containers += piece.count(b"{") + piece.count(b"[")
        self._items += piece.count(b",")
        if self._bytes > MAX_MESSAGE_BYTES:
            return f"it is longer than {MAX_MESSAGE_BYTES:,} bytes"
        if self._containers > MAX_CONTAINERS:
            return f"it has more than {MAX_CONTAINERS:,} objects and arrays"
        if self._items > MAX_ITEMS:
            return f"it has more than {MAX_ITEMS:,} items"
        return None
