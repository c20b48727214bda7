"""A bounded channel of events from one run to one consumer: a slow reader slows the run."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel

if TYPE_CHECKING:
    from podium.agent.events import RunEvent

CAPACITY = 256
"""Events that may wait to be read. Enough for what arrives in one network read, small in memory."""
TAKEN_AT_A_STRETCH = 32
"""Events after which a reader lets others run, and can be cancelled, though more are waiting."""


class EventChannel:
    """Events in the order they were put; putting is cheap, waiting happens only when it is full.

    A plain deque with two wake-up events instead of a memory stream: a token costs an append, and
    reader and writer change places once per network read, not once per token.
    """

    def __init__(self) -> None:
        """Start empty and open."""
        self._events: deque[RunEvent] = deque()
        self._closed = False
        self._taken = 0
        self._readable: anyio.Event | None = None
        self._writable: anyio.Event | None = None

    @property
    def is_full(self) -> bool:
        """Whether the writer should wait before it goes on."""
        return len(self._events) >= CAPACITY and not self._closed

    def put(self, event: RunEvent) -> None:
        """Add an event; never waits. A writer that can wait calls `wait_for_room` after it."""
        if self._closed:
            return
        self._events.append(event)
        if self._readable is not None:
            self._readable.set()
            self._readable = None

    async def wait_for_room(self) -> None:
        """Return when the reader has caught up."""
        while self.is_full:
            if self._writable is None:  # parallel agents wait for the same event
                self._writable = anyio.Event()
            await self._writable.wait()

    async def get(self) -> RunEvent | None:
        """Return the next event, or None when the channel is closed and empty."""
        self._taken += 1
        if self._taken % TAKEN_AT_A_STRETCH == 0:
            await anyio.lowlevel.checkpoint()
        while not self._events:
            if self._closed:
                return None
            if self._readable is None:
                self._readable = anyio.Event()
            await self._readable.wait()
        event = self._events.popleft()
        if self._writable is not None and len(self._events) < CAPACITY:
            self._writable.set()
            self._writable = None
        return event

    def close(self) -> None:
        """Take no more events; what is in stays readable. Whoever waits wakes up."""
        self._closed = True
        for waiting in (self._readable, self._writable):
            if waiting is not None:
                waiting.set()
