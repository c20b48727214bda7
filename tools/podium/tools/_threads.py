"""Blocking functions in worker threads, any number of them, with the caller's context."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

ResultT = TypeVar("ResultT")

_here = threading.local()  # marks podium's own worker threads, each for itself


async def run_in_thread(
    function: Callable[..., ResultT], *args: object, **kwargs: object
) -> ResultT:
    """Run `function` in a worker thread and return its result; context variables are copied.

    Never waits for a free thread: a tool may run an agent whose tools need threads in turn, and a
    shared limit would then deadlock. How many run at once is bounded by each agent's own
    `tool_concurrency_limit`. When cancelled it returns at once; the thread cannot be stopped, runs
    on by itself and its result is dropped.
    """
    return await anyio.to_thread.run_sync(
        functools.partial(_marked, function, *args, **kwargs),
        abandon_on_cancel=True,
        limiter=anyio.CapacityLimiter(math.inf),
    )


def in_tool_thread() -> bool:
    """Return whether this thread was started by `run_in_thread` and can call back to its loop."""
    return getattr(_here, "active", False)


def _marked(function: Callable[..., ResultT], *args: object, **kwargs: object) -> ResultT:
    _here.active = True
    try:
        return function(*args, **kwargs)
    finally:
        _here.active = False
