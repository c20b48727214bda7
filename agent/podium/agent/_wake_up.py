"""Waking a task from any thread: anyio's own events may only be set on their loop."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import anyio.lowlevel


class WakeUp:
    """Something one task waits for and any thread may call."""

    def __init__(self) -> None:
        """Belong to the event loop that runs here."""
        self._event = anyio.Event()
        loop = anyio.lowlevel.current_token().native_token
        name = "run_sync_soon" if hasattr(loop, "run_sync_soon") else "call_soon_threadsafe"
        self._soon: Callable[[Callable[[], None]], object] = getattr(loop, name)

    def call(self) -> None:
        """Wake the task.

        Raises:
            RuntimeError: its loop has ended.
        """
        self._soon(self._event.set)

    async def wait(self) -> None:
        """Return when it was called."""
        await self._event.wait()
