"""Failed calls that are made again: which, how often, and how long after."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Mapping
from email.utils import mktime_tz, parsedate_tz
from typing import Any

from podium.agent._tries import next_try
from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._listener import Listener
from podium.agent.models._protocol import ChatGenerator, StreamingCallback

NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes of refusals for money: trying again there is of no use, but elsewhere it may be."""
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0
LONGEST_ASKED_SECONDS = 120.0
"""A provider that asks for a longer wait gets no further try: the caller should know."""

Kwargs = Mapping[str, Any] | None
Ask = Callable[[Kwargs, StreamingCallback | None], Awaitable[list[ChatMessage]]]


async def ask_with_retries(
    generator: ChatGenerator,
    ask: Ask,
    generation_kwargs: Kwargs,
    callback: StreamingCallback | None,
    *,
    max_retries: int,
) -> list[ChatMessage]:
    """Return what `ask` returns, trying again where that may help.

    Each try is a call of its own for the run's budget. Nothing is tried again once a chunk of the
    answer was handed to the callback: it cannot be taken back.

    Raises:
        ModelError: the last try failed, or another one would be of no use.
    """
    listener = None if callback is None else Listener(callback)
    for tried in range(max_retries + 1):
        try:
            return await ask(generation_kwargs, listener)
        except ModelError as error:
            wait = seconds_to_wait(error, tried)
            is_told = listener is not None and listener.was_called
            if wait is None or is_told or tried == max_retries:
                if tried:
                    error.add_note(f"It was tried {tried + 1} times.")
                raise
            generation_kwargs = await next_try(
                error, generator, generation_kwargs, after_seconds=wait
            )
    raise AssertionError("the last try returns or raises")


def seconds_to_wait(error: ModelError, tried: int) -> float | None:
    """Return how long to wait before the next try; None where it would be of no use.

    As long as the provider says, else half a second and twice as long after each further try, up to
    eight seconds, less a random part of up to a quarter, so that callers do not come back at once.
    """
    if not error.is_retryable:
        return None
    asked = error.retry_after_seconds
    if asked is not None:
        return asked if asked <= LONGEST_ASKED_SECONDS else None
    # 2 ** 10 is beyond the longest wait, and a larger power may be too large for a float.
    longest: float = min(FIRST_WAIT_SECONDS * 2 ** min(tried, 10), LONGEST_WAIT_SECONDS)
    return longest * (1 - random.random() / 4)


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return what `retry-after-ms` or `retry-after` (seconds or a date) says; None for nothing."""
    for name, parts in (("retry-after-ms", 1_000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / parts
        except ValueError:
            continue
        if seconds >= 0:  # not NaN either
            return seconds
    date = parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, mktime_tz(date) - time.time())
