"""What a test sees of a process: how long its event loop was held up, and what is left of a run."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio


@dataclass
class Ticker:
    """How long an event loop was held up at most, in seconds."""

    busy: float = 0.0
    """By work of its own thread, which no other load on the machine adds to."""
    late: float = 0.0
    """By whatever, also by other threads and other processes."""


@asynccontextmanager
async def ticking() -> AsyncGenerator[Ticker]:
    """Measure how the event loop is held up within the block.

    What other tests have left on the heap is kept from the garbage collector meanwhile: looking
    through it takes as long as what is measured here.
    """
    ticker = Ticker()

    async def tick() -> None:
        busy, late = time.thread_time(), time.perf_counter()
        while True:
            await anyio.sleep(0.001)
            ticker.busy = max(ticker.busy, time.thread_time() - busy)
            ticker.late = max(ticker.late, time.perf_counter() - late)
            busy, late = time.thread_time(), time.perf_counter()

    gc.collect()
    gc.freeze()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tick)
            await anyio.sleep(0.01)
            ticker.busy = ticker.late = 0.0
            yield ticker
            tasks.cancel_scope.cancel()
    finally:
        gc.unfreeze()


@dataclass(frozen=True)
class Held:
    """What a process holds: its children, the threads of MCP servers, its sockets and pipes."""

    children: frozenset[int]
    threads: frozenset[str]
    descriptors: frozenset[str]


def held() -> Held:
    """Return what this process holds now, read from /proc."""
    tasks = Path(f"/proc/{os.getpid()}/task")
    children = {child for task in tasks.iterdir() for child in _children(task)}
    threads = {f"{one.name} {one.ident}" for one in threading.enumerate() if "-mcp-" in one.name}
    links = [_target(one) for one in Path("/proc/self/fd").iterdir()]
    descriptors = {one for one in links if one.startswith(("socket:", "pipe:"))}
    return Held(frozenset(children), frozenset(threads), frozenset(descriptors))


def _children(task: Path) -> list[int]:
    try:
        return [int(child) for child in (task / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):  # the thread has ended meanwhile
        return []


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except FileNotFoundError:  # the one that lists the folder is closed again
        return ""


async def eventually(condition: Callable[[], bool]) -> None:
    """Return when the condition holds, which must be soon."""
    with anyio.fail_after(10):
        while not condition():  # noqa: ASYNC110  # what is waited for is another process
            await anyio.sleep(0.01)


def is_running(process: int) -> bool:
    """Return whether a process of this number runs; one that waits to be reaped does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
