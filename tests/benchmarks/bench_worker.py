"""A process that does rounds of work when told to, with a contender of its own.

It reads the names of jobs from its input, a line each, and writes what it measured as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping

import bench_rounds
from bench_task import Contender, Handbook

ROUNDS: Mapping[str, Callable[[Contender, Handbook], Awaitable[bench_rounds.Figures]]] = {
    "short_runs": bench_rounds.short_runs,
    "long_run": bench_rounds.long_run,
    "long_end": bench_rounds.long_end,
    "teams": bench_rounds.teams,
    "crowd": bench_rounds.crowd,
    "streams": bench_rounds.streams,
    "level": bench_rounds.level,
}


def main() -> None:
    """Work until the input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("contender", choices=["raw", "podium", "podium-callback"])
    parser.add_argument("base_url")
    parser.add_argument("--httpx", action="store_true", help="hide aiohttp from podium")
    parser.add_argument("--otlp", help="where to send traces")
    options = parser.parse_args()
    if options.httpx:
        sys.modules["aiohttp"] = None  # type: ignore[assignment]  # how Python marks "not there"
    if options.otlp:
        from podium.tracing import setup_tracing  # no part of the others' memory

        setup_tracing(otlp_endpoint=options.otlp)
    asyncio.run(_work(options.contender, options.base_url))


async def _work(name: str, base_url: str) -> None:
    handbook = Handbook()
    contender = _contender(name, base_url, handbook)
    for line in sys.stdin:
        figures = await ROUNDS[line.strip()](contender, handbook)
        print(json.dumps(figures), flush=True)


def _contender(name: str, base_url: str, handbook: Handbook) -> Contender:
    # Each imported only where it works: one side's modules are no part of the other's memory.
    if name == "raw":
        from bench_raw import RawLoop

        return RawLoop(base_url, handbook)
    from bench_podium import Podium

    return Podium(
        base_url, handbook, streams_by="callback" if name == "podium-callback" else "events"
    )


if __name__ == "__main__":
    main()
