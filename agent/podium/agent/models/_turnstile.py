"""A turnstile: first come, first served, across threads and event loops."""

from __future__ import annotations

import threading
from collections import deque

from podium.agent._wake_up import WakeUp


class Turnstile:
    """Lets one at a time through, as an async context manager."""

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._lock = threading.Lock()  # guards the two below
        self._waiting: deque[WakeUp] = deque()
        self._is_taken = False

    async def __aenter__(self) -> None:
        """Wait until all who came before are through."""
        wake_up = WakeUp()
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            self._waiting.append(wake_up)
        try:
            await wake_up.wait()
        except BaseException:
            with self._lock:
                is_served = wake_up not in self._waiting
                if not is_served:
                    self._waiting.remove(wake_up)
            if is_served:
                self._serve_next()
            raise

    async def __aexit__(self, *error: object) -> None:
        """Let the next one in."""
        self._serve_next()

    def _serve_next(self) -> None:
        with self._lock:
            while self._waiting:
                try:
                    self._waiting.popleft().call()
                except RuntimeError:  # its loop has ended, and its task with it
                    continue
                return
            self._is_taken = False
