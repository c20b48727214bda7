"""A streaming callback that remembers whether there was anything to hand on."""

from __future__ import annotations

from collections.abc import Awaitable

from podium.agent.models._protocol import StreamingCallback
from podium.agent.streaming import StreamingChunk


class Listener:
    """Hands chunks on to a callback. What it was given cannot be taken back by another try."""

    __slots__ = ("_callback", "was_called")

    def __init__(self, callback: StreamingCallback) -> None:
        """Hand on to this callback."""
        self._callback = callback
        self.was_called = False
        """Whether there was a chunk."""

    def __call__(self, chunk: StreamingChunk) -> Awaitable[None] | None:
        """Hand a chunk on."""
        self.was_called = True
        return self._callback(chunk)
