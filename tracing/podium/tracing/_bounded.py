"""Waiting for others no longer than promised: flushing and closing, also while a process ends.

Exporters have time limits of their own but do not keep them while an endpoint is dead, and a
process that is ending starts no threads any more: so each thread that waits is there beforehand.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable

logger = logging.getLogger(__name__)

WAIT_SECONDS = 2.0
"""How long flushing and closing wait at most, unless told otherwise."""


class Call:
    """One action that was handed over."""

    def __init__(
        self, action: Callable[[], object], place: str, give_up: Callable[[], None] | None
    ) -> None:
        """Keep what to do, for which place, and what ends it when it is waited for no longer."""
        self._action, self.place, self._give_up = action, place, give_up
        self._done = threading.Event()
        self._is_good = False

    def run(self) -> None:
        """Do it; an error is logged, and its text stays out: it may hold an address with a key."""
        try:
            self._is_good = self._action() is not False
        except Exception as error:
            kind = type(error).__name__
            logger.warning("Traces to %s could not be flushed or closed: %s", self.place, kind)
        finally:
            self._done.set()

    def is_done_by(self, end: float) -> bool:
        """Return whether it was done, and well, before a time of the monotonic clock."""
        if not self._done.wait(max(0.0, end - time.monotonic())):
            return False
        return self._is_good

    @property
    def is_late(self) -> bool:
        """Whether it still goes on."""
        return not self._done.is_set()

    def give_up(self) -> None:
        """Let it try no longer, where that can be told."""
        if self._give_up is not None:
            self._give_up()


class Helper:
    """A thread that does what it is handed, one thing after another."""

    def __init__(self, place: str) -> None:
        """Start the thread that works for a place."""
        self._place = place
        self._start()

    def hand_over(
        self, action: Callable[[], object], give_up: Callable[[], None] | None = None
    ) -> Call:
        """Have something done; after a fork the thread is started anew.

        `give_up` is called when it is not done in time, to end it.
        """
        if not self._thread.is_alive():
            self._start()
        call = Call(action, self._place, give_up)
        self._calls.put(call)
        return call

    def leave(self) -> None:
        """Let the thread end when it has done what it was handed."""
        self._calls.put(None)

    def _start(self) -> None:
        self._calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._thread = threading.Thread(
            target=_work, args=(self._calls,), name="podium-tracing", daemon=True
        )
        self._thread.start()


def _work(calls: queue.SimpleQueue[Call | None]) -> None:
    while (call := calls.get()) is not None:
        call.run()


def wait_for(calls: Iterable[Call], seconds: float) -> bool:
    """Return whether all calls are done, and well, within so many seconds together."""
    end = time.monotonic() + seconds
    waited = list(calls)
    is_good = all([call.is_done_by(end) for call in waited])
    late = [call for call in waited if call.is_late]
    for call in late:
        call.give_up()
    for place in sorted({call.place for call in late}):
        logger.warning(
            "Not all was exported to %s within %s seconds; the rest may be lost. "
            "Check that it answers.",
            place,
            seconds,
        )
    return is_good
