"""Worker threads: as many as are asked for, without a limit that tools could deadlock on."""

from __future__ import annotations

import threading

import anyio
import pytest

from podium.tools._threads import run_in_thread

pytestmark = pytest.mark.anyio


async def test_more_threads_run_at_once_than_the_event_loop_would_lend() -> None:
    together = threading.Barrier(60, timeout=10)
    done = list[int]()

    async def wait(number: int) -> None:
        await run_in_thread(together.wait)
        done.append(number)

    async with anyio.create_task_group() as group:
        for number in range(60):
            group.start_soon(wait, number)

    assert len(done) == 60


async def test_arguments_reach_the_function_and_its_error_comes_out() -> None:
    assert await run_in_thread(int, "12", base=3) == 5
    with pytest.raises(ValueError, match="invalid literal"):
        await run_in_thread(int, "x")
