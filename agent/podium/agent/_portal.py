"""Running async code from sync code: one long-lived event loop in a background thread.

A fresh loop for each call would strand the connections of shared HTTP clients on closed loops, so
all synchronous runs of a process meet on one loop that lives as long as the process.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from podium.agent.errors import AgentError, keep_partial
from podium.tools._threads import in_tool_thread, run_on_callers_loop, settled

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

ResultT = TypeVar("ResultT")


class _Portal:
    """The background loop; started by its first use, again after a fork."""

    def __init__(self) -> None:
        # Guards the start: two threads that call run() first must get the same loop.
        self._lock = threading.Lock()
        self._portal: BlockingPortal | None = None
        self._thread: threading.Thread | None = None

    def get(self) -> BlockingPortal:
        with self._lock:
            if self._portal is None:
                ready = threading.Event()
                self._thread = threading.Thread(
                    target=anyio.run, args=(self._serve, ready), name="podium-portal", daemon=True
                )
                self._thread.start()
                ready.wait()
            assert self._portal is not None
            return self._portal

    async def _serve(self, ready: threading.Event) -> None:
        from anyio.from_thread import BlockingPortal  # slow to load, and many programs only await

        try:
            async with BlockingPortal() as self._portal:
                ready.set()
                await self._portal.sleep_until_stopped()
        finally:
            # An interrupt in a task ends the loop; the next run starts another.
            self._portal = None

    def stop(self) -> None:
        """Let the loop end, so that what clients hold open is closed before the process ends."""
        if self._portal is not None and self._thread is not None:
            self._portal.start_task_soon(self._portal.stop, True)
            self._thread.join(timeout=2)

    def is_current_thread(self) -> bool:
        return threading.current_thread() is self._thread


_portal = _Portal()  # process-wide by design: see the module's first lines


atexit.register(_portal.stop)


def _forget_after_fork() -> None:
    _portal.__init__()  # type: ignore[misc]  # the parent's thread does not exist in the child


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def run_from_sync(function: Callable[[], Coroutine[Any, Any, ResultT]], *, what: str) -> ResultT:
    """Run an async function to its end from sync code and return its result.

    In a tool's worker thread it runs on the loop of the agent that called the tool, so that a
    nested run joins its parent. Everywhere else, also under a running loop, it runs on the
    background loop while this thread waits. Ctrl-C cancels it and waits until it has wound up.

    Raises:
        AgentError: called on the background loop itself, where waiting would block every run.
    """
    if in_tool_thread():
        return run_on_callers_loop(function)
    if _portal.is_current_thread():
        raise AgentError(
            f"{what} was called inside async code that podium itself runs, where waiting for it "
            f"would block every other run. Await {what.replace('run()', 'run_async()')} instead."
        )
    return _wait_for(_portal.get(), function)


def _wait_for(
    portal: BlockingPortal,
    function: Callable[[], Coroutine[Any, Any, ResultT]],
) -> ResultT:
    ended = threading.Event()
    failures: list[BaseException] = []

    async def watched() -> Callable[[], ResultT]:
        try:
            return await settled(function)
        except BaseException as error:
            failures.append(error)
            raise
        finally:
            ended.set()

    future = copy_context().run(portal.start_task_soon, watched)
    try:
        give = future.result()
    except KeyboardInterrupt as interrupt:
        # The run goes on in its thread: cancel it, wait for its clean end, keep what it has.
        future.cancel()
        ended.wait(timeout=5)
        if failures:
            keep_partial(interrupt, getattr(failures[0], "partial", None))
        raise
    return give()
