"""How many calls a minute holds: the arithmetic of a rate limit, without a clock of its own."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

WINDOW_SECONDS = 60.0
"""Providers count by the minute."""
BACKING_OFF = 0.5
"""What is left of the rate after a refusal."""
RECOVERY = 0.02
"""How much of the full rate comes back with each call that goes well."""
PAUSE_SECONDS = 1.0
"""How long nobody asks after a refusal that does not say it itself."""


@dataclass(slots=True)
class StartedCall:
    """A call within the window."""

    at: float
    """When it started."""
    tokens: int
    """What it uses: an estimate at first."""
    is_counted: bool = True
    """Whether it is in the window still."""


class RateWindow:
    """The calls of the last minute, and when the next one may start.

    In no 60 seconds more than `requests` calls start, and none starts while the tokens of those in
    the window leave it no room; a call that is larger than the whole limit waits for an empty one.
    The limits are halved when the provider refuses for its own, and come back bit by bit.
    """

    __slots__ = ("_calls", "_free_at", "_part", "_requests", "_slowed_at", "_tokens", "_used")

    def __init__(self, requests: int | None, tokens: int | None) -> None:
        """Start with an empty minute; None stands for no limit."""
        self._requests = requests
        self._tokens = tokens
        self._calls: deque[StartedCall] = deque()
        self._used = 0
        self._part = 1.0
        self._free_at = 0.0
        self._slowed_at = float("-inf")

    @property
    def part(self) -> float:
        """The part of the limits that is in use, from above 0 to 1."""
        return self._part

    @property
    def used(self) -> int:
        """The tokens of the calls in the window."""
        return self._used

    def wait_seconds(self, now: float, tokens: int) -> float:
        """Return how long a call of so many tokens has to wait; 0 when it may start."""
        self._forget(now)
        free_at = max(self._free_at, self._requests_free_at(), self._tokens_free_at(tokens))
        return max(0.0, free_at - now)

    def start(self, now: float, tokens: int) -> StartedCall:
        """Count a call that starts."""
        call = StartedCall(now, tokens)
        self._calls.append(call)
        self._used += tokens
        return call

    def settle(self, call: StartedCall, tokens: int) -> None:
        """Correct what a call uses; one that has left the window no longer matters."""
        if call.is_counted:
            self._used += tokens - call.tokens
        call.tokens = tokens

    def succeed(self) -> None:
        """Take back a little of an earlier slowing down."""
        self._part = min(1.0, self._part + RECOVERY)

    def refuse(self, call: StartedCall, now: float, pause_seconds: float | None) -> None:
        """Slow down after the provider refused a call for its rate; all wait for the pause.

        Calls that had started before the last slowing down tell nothing new.
        """
        pause = PAUSE_SECONDS if pause_seconds is None else pause_seconds
        self._free_at = max(self._free_at, now + pause)
        if call.at > self._slowed_at:
            self._slowed_at = now
            self._part *= BACKING_OFF

    def _forget(self, now: float) -> None:
        while self._calls and self._calls[0].at + WINDOW_SECONDS <= now:
            gone = self._calls.popleft()
            gone.is_counted = False
            self._used -= gone.tokens

    def _requests_free_at(self) -> float:
        if self._requests is None:
            return 0.0
        allowed = max(1, int(self._requests * self._part))
        if len(self._calls) < allowed:
            return 0.0
        return self._calls[-allowed].at + WINDOW_SECONDS

    def _tokens_free_at(self, tokens: int) -> float:
        if self._tokens is None:
            return 0.0
        excess = self._used + tokens - max(1, int(self._tokens * self._part))
        free_at = 0.0
        for call in self._calls:
            if excess <= 0:
                break
            excess -= call.tokens
            free_at = call.at + WINDOW_SECONDS
        return free_at
