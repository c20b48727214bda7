"""One round of each job, measured in the process that does the work."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Mapping

from bench_memory import descriptors, peak_mb, resident_mb
from bench_task import ANSWER, Contender, Handbook, turns

Figures = Mapping[str, float]
"""What a round measured, by name."""

SHORT, LONG, WINDOW = 10, 200, 20
"""Steps of the short and of the long run, and how many of its first and last ones are compared."""
WORDS = 2_000


async def short_runs(contender: Contender, handbook: Handbook) -> Figures:
    """Measure the CPU seconds of a step in runs of ten steps."""
    runs = 4
    started = _start()
    for _ in range(runs):
        _check(await contender.steps(SHORT))
    return {"step": (time.process_time() - started) / (runs * SHORT)}


async def long_run(contender: Contender, handbook: Handbook) -> Figures:
    """Measure the CPU seconds of a step at the start and at the end of a long run."""
    handbook.read_at.clear()
    started = _start()
    _check(await contender.steps(LONG))
    read_at, ended = handbook.read_at, time.process_time()
    return {
        "first": (read_at[WINDOW - 1] - started) / WINDOW,
        "last": (ended - read_at[LONG - WINDOW - 1]) / WINDOW,
    }


async def long_end(contender: Contender, handbook: Handbook) -> Figures:
    """Measure the same at the end only, on a history that was made before.

    What the hand-written loop pays there does not depend on how it came by its messages, and the
    first 180 steps would cost it six seconds.
    """
    history = turns(LONG - WINDOW)
    started = _start()
    _check(await contender.steps(LONG, history))
    return {"last": (time.process_time() - started) / WINDOW}


async def teams(contender: Contender, handbook: Handbook) -> Figures:
    """Measure the CPU seconds of a coordinator run with four specialists, one run after another."""
    runs = 4
    started = _start()
    for _ in range(runs):
        _check(await contender.team())
    return {"run": (time.process_time() - started) / runs}


async def crowd(contender: Contender, handbook: Handbook) -> Figures:
    """Measure three hundred coordinator runs at once; wants a fresh process, for the memory."""
    runs = 300
    _check(await contender.team())
    started, before, clock = _start(), resident_mb(), time.perf_counter()
    answers = await asyncio.gather(*(contender.team() for _ in range(runs)))
    cpu = time.process_time() - started
    return {
        "cpu": cpu,
        "runs": runs,
        "wall": time.perf_counter() - clock,
        "mb": (peak_mb() - before) / runs,
        "wrong": sum(answer != ANSWER for answer in answers),
    }


async def streams(contender: Contender, handbook: Handbook) -> Figures:
    """Measure the CPU seconds of a streamed chunk."""
    started = _start()
    pieces = await contender.stream(WORDS)
    if pieces != WORDS:
        raise RuntimeError(f"Of {WORDS} words, {pieces} came. Mend the contender.")
    return {"chunk": (time.process_time() - started) / WORDS}


async def level(contender: Contender, handbook: Handbook) -> Figures:
    """Measure what five thousand short runs leave behind, after five hundred that warm up."""
    for _ in range(500):
        _check(await contender.steps(2))
    handbook.read_at.clear()
    _start()
    before = resident_mb(), threading.active_count(), descriptors()
    for _ in range(5_000):
        _check(await contender.steps(2))
    handbook.read_at.clear()
    _start()
    after = resident_mb(), threading.active_count(), descriptors()
    mb, threads, files = (now - then for now, then in zip(after, before, strict=True))
    return {"mb": mb, "threads": threads, "descriptors": files}


def _start() -> float:
    """Clear away what is left of the round before, and return the CPU time."""
    gc.collect()
    return time.process_time()


def _check(answer: str) -> None:
    if answer != ANSWER:
        raise RuntimeError(
            f"A run ended with {answer!r} and not with the answer. Find the lost call."
        )
