"""An event loop in a thread of its own, which any thread and any event loop can have work done on.

A session with a server must be opened and closed in one task, and outlives the runs that use it.
The loops that runs live on come and go, so it lives on one that is its own.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import os
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

import anyio
from anyio.abc import TaskGroup
from anyio.lowlevel import current_token

from podium.tools.errors import MCPConnectionError

ResultT = TypeVar("ResultT")
Future = concurrent.futures.Future
_JOIN_SECONDS = 10.0  # every wait of a closing session is bounded, and shorter than this


class LoopThread:
    """A running event loop; `submit` work to it, and `stop` it."""

    def __init__(self, name: str) -> None:
        """Start the thread and wait until its loop runs."""
        self._pid = os.getpid()
        ready = threading.Event()
        self._thread = threading.Thread(
            target=anyio.run, args=(self._serve, ready), name=f"podium-mcp-{name}", daemon=True
        )
        self._thread.start()
        ready.wait()
        _running.add(self)

    @property
    def is_usable(self) -> bool:
        """Whether the thread exists in this process; a fork leaves it behind."""
        return self._pid == os.getpid() and self._thread.is_alive()

    def submit(self, function: Callable[[], Coroutine[Any, Any, ResultT]]) -> Future[ResultT]:
        """Run an async function on the loop; cancelling the future cancels it.

        It sees the context variables of the caller: its span stays the parent of what follows.
        """

        async def work() -> ResultT:
            _forget_the_callers_loop()
            return await function()

        return asyncio.run_coroutine_threadsafe(work(), self._loop)

    def spawn(self, function: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start a task that no caller waits for; called on the loop itself.

        It sees nothing of the context of the run it is started in, which it outlives.
        """
        Context().run(self._tasks.start_soon, function)

    def stop(self) -> None:
        """Cancel what still runs, end the loop and wait for the thread."""
        _running.discard(self)
        if self.is_usable:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(_JOIN_SECONDS)

    async def _serve(self, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        self._tasks: TaskGroup
        async with anyio.create_task_group() as self._tasks:
            ready.set()
            await self._stopping.wait()
            self._tasks.cancel_scope.cancel()


def _forget_the_callers_loop() -> None:
    """Clear the variable in which the caller's context says which kind of loop it is on."""
    sniffio: Any = sys.modules.get("sniffio")
    if sniffio is not None:
        sniffio.current_async_library_cvar.set(None)


_running: weakref.WeakSet[LoopThread] = (
    weakref.WeakSet()
)  # so that the end of the process stops all


@atexit.register
def _stop_all() -> None:
    for one in list(_running):
        one.stop()


def waker() -> Callable[[Callable[[], None]], None]:
    """Return what has a function run on the event loop that calls this, from any thread.

    It never waits. Once that loop has ended it does nothing.
    """
    native: Any = current_token().native_token
    soon = getattr(native, "call_soon_threadsafe", None) or native.run_sync_soon

    def wake(function: Callable[[], None]) -> None:
        try:
            soon(function)
        except RuntimeError:  # the loop is closed, and so nobody is waiting on it
            return

    return wake


async def outcome_of(future: Future[ResultT]) -> ResultT:
    """Await work that goes on in another thread; when cancelled, it is cancelled too."""
    done, wake = anyio.Event(), waker()
    future.add_done_callback(lambda _: wake(done.set))
    try:
        await done.wait()
    finally:
        future.cancel()  # means nothing to what is done
    return result_of(future)


def result_of(future: Future[ResultT]) -> ResultT:
    """Wait for work that goes on in another thread.

    Raises:
        MCPConnectionError: its loop was stopped meanwhile.
    """
    try:
        return future.result()
    except concurrent.futures.CancelledError:
        raise MCPConnectionError(
            f"The connection was closed while this was under way ({future!r:.60}). Call it again."
        ) from None
