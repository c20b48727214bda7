"""RateLimit: no more requests and tokens a minute than a provider allows, for all who share it."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable

import anyio

from podium.agent._tries import before_sending
from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._rate_window import RateWindow, StartedCall
from podium.agent.models._turnstile import Turnstile
from podium.tracing import Usage

EXPECTED_REPLY_TOKENS = 500
"""What a reply is taken for before the first one has come."""


class RateLimit:
    """How many requests and tokens a minute may hold, for every generator that it is given to.

    Calls start in the order they come, also from several threads and event loops; each retry is a
    request of its own. Tokens count with an estimate of the prompt and the average reply until the
    provider has reported them. When the provider refuses with 429 nobody asks before its
    `retry-after` is over, and the limits are halved; they come back bit by bit.

    >>> RateLimit(requests_per_minute=500, tokens_per_minute=200_000)
    RateLimit(requests_per_minute=500, tokens_per_minute=200000)
    """

    def __init__(
        self,
        *,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        """Start with an empty minute; `clock` and `sleep` are there for tests.

        Raises:
            ValueError: there is no limit, or one below 1.
        """
        given = [one for one in (requests_per_minute, tokens_per_minute) if one is not None]
        if not given or any(type(limit) is not int or limit < 1 for limit in given):
            raise ValueError(
                f"RateLimit got requests_per_minute={requests_per_minute!r} and tokens_per_minute="
                f"{tokens_per_minute!r}. Give at least one of them, as a whole number from 1."
            )
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self._clock = clock
        self._sleep = sleep
        self._window = RateWindow(requests_per_minute, tokens_per_minute)
        self._turnstile = Turnstile()
        self._lock = threading.Lock()  # guards the window and the average: threads share them
        self._reply_tokens = float(EXPECTED_REPLY_TOKENS)

    async def keep(
        self, prompt_tokens: int, send: Callable[[], Awaitable[list[ChatMessage]]]
    ) -> list[ChatMessage]:
        """Wait in line until a request may start, send it, and learn from what came of it."""
        with before_sending():
            request = await self._start(prompt_tokens)
        try:
            replies = await send()
        except ModelError as error:
            if error.status == 429:
                self._refuse(request, error.retry_after_seconds)
            elif error.was_refused:
                self._settle(request, 0)
            raise
        self._learn(request, Usage.of_call(replies[0].meta.get("usage") if replies else None))
        return replies

    def to_dict(self) -> dict[str, int | None]:
        """Return the limits as plain data: the keywords that make another one."""
        return {
            "requests_per_minute": self.requests_per_minute,
            "tokens_per_minute": self.tokens_per_minute,
        }

    def __repr__(self) -> str:
        """Return the limits."""
        limits = ", ".join(f"{name}={limit}" for name, limit in self.to_dict().items() if limit)
        return f"RateLimit({limits})"

    async def _start(self, prompt_tokens: int) -> StartedCall:
        async with self._turnstile:
            while True:
                with self._lock:
                    now, tokens = self._clock(), prompt_tokens + round(self._reply_tokens)
                    wait = self._window.wait_seconds(now, tokens)
                    if wait <= 0:
                        return self._window.start(now, tokens)
                await self._sleep(wait)

    def _refuse(self, request: StartedCall, pause_seconds: float | None) -> None:
        with self._lock:
            self._window.refuse(request, self._clock(), pause_seconds)
            self._window.settle(request, 0)

    def _settle(self, request: StartedCall, tokens: int) -> None:
        with self._lock:
            self._window.settle(request, tokens)

    def _learn(self, request: StartedCall, usage: Usage) -> None:
        with self._lock:
            self._window.succeed()
            if usage.complete:
                self._window.settle(request, usage.total_tokens)
                self._reply_tokens += (usage.output_tokens - self._reply_tokens) / 8
