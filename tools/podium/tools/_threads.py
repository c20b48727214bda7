"""Blocking functions in worker threads, any number of them, with the caller's context."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

import anyio
import anyio.to_thread

from podium.tools.errors import PodiumError

ResultT = TypeVar("ResultT")


class _Unlimited:
    """Lets every thread through, of every event loop, without the turn that asking costs.

    All that is asked of an `anyio.CapacityLimiter`; that itself takes 10 ms to load.
    """

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def acquire_on_behalf_of(self, borrower: object) -> None: ...

    def release_on_behalf_of(self, borrower: object) -> None: ...


_UNLIMITED = cast("anyio.CapacityLimiter", _Unlimited())


class _WayBack:
    """How a worker thread runs async code on the loop it comes from, as long as it is wanted."""

    __slots__ = ("_is_wanted", "_scopes")

    def __init__(self) -> None:
        self._scopes: set[anyio.CancelScope] = set()
        self._is_wanted = True

    async def run(
        self, function: Callable[[], Coroutine[Any, Any, ResultT]]
    ) -> Callable[[], ResultT]:
        """Do as `settled`, on the loop; `function` is cancelled when the thread's call is."""
        if self._is_wanted:
            with anyio.CancelScope() as scope:
                self._scopes.add(scope)
                try:
                    return await settled(function)
                finally:
                    self._scopes.discard(scope)
        raise PodiumError(
            f"{function!r:.80} was cancelled together with the tool call that waited for it. "
            "Let the tool's function end."
        )

    def close(self) -> None:
        """Cancel what still runs; what an abandoned thread may want later is not begun."""
        self._is_wanted = False
        for scope in self._scopes:
            scope.cancel()


_here = threading.local()  # holds the way back of each of podium's own worker threads, by itself

if hasattr(os, "register_at_fork"):
    # A child that was forked in a tool has the thread, but not the loop it would go back to.
    os.register_at_fork(after_in_child=lambda: _here.__dict__.clear())


async def run_in_thread(
    function: Callable[..., ResultT], *args: object, **kwargs: object
) -> ResultT:
    """Run `function` in a worker thread and return its result; context variables are copied.

    Never waits for a free thread: a tool may run an agent whose tools need threads in turn, and a
    shared limit would then deadlock. How many run at once is bounded by each agent's own
    `tool_concurrency_limit`. When cancelled it returns at once; the thread cannot be stopped, runs
    on by itself and its result is dropped. What it waits for on the loop is cancelled with it.
    """
    way_back = _WayBack()
    try:
        return await anyio.to_thread.run_sync(
            _with_way_back,
            way_back,
            function,
            args,
            kwargs,
            abandon_on_cancel=True,
            limiter=_UNLIMITED,
        )
    finally:
        way_back.close()


def in_tool_thread() -> bool:
    """Return whether this thread was started by `run_in_thread` and can call back to its loop."""
    return getattr(_here, "way_back", None) is not None


def run_on_callers_loop(function: Callable[[], Coroutine[Any, Any, ResultT]]) -> ResultT:
    """Run an async function on the loop that `run_in_thread` was called from, and wait for it.

    Only for threads of which `in_tool_thread` is true.

    Raises:
        PodiumError: the call this thread works for was cancelled.
    """
    from anyio import from_thread  # slow to load, and most programs do without it

    way_back: _WayBack = _here.way_back
    return from_thread.run(way_back.run, function)()


async def settled(function: Callable[[], Coroutine[Any, Any, ResultT]]) -> Callable[[], ResultT]:
    """Await `function` and return what gives its result, or raises its error, where it is called.

    Only a cancellation leaves by itself: a SystemExit that leaves a task ends the event loop, and
    with it every other run.
    """
    try:
        result = await function()
    except anyio.get_cancelled_exc_class():
        raise
    except BaseException as error:
        failure = [error]

        def fail() -> ResultT:
            raise failure.pop()  # no frame keeps the error, which keeps the frames

        return fail
    return lambda: result


def _with_way_back(
    way_back: _WayBack,
    function: Callable[..., ResultT],
    args: tuple[object, ...],
    kwargs: dict[str, object],
) -> ResultT:
    _here.way_back = way_back
    try:
        return function(*args, **kwargs)
    except GeneratorExit as error:
        # Thrown into what awaits, it would close that, and not be an error that can be caught.
        raise RuntimeError(
            f"{function!r:.80} raised GeneratorExit, which only generators may. "
            "Raise an error of its own there."
        ) from error
    finally:
        _here.way_back = None
