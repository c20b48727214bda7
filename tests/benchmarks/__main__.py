"""podium against a loop written by hand on the openai package: CPU, memory, and what was promised.

    python tests/benchmarks                        # everything, a minute or two
    python tests/benchmarks J1 J5 --rounds 30      # two jobs, more rounds

All runs go over loopback to a provider in another process. The contenders take turns in every
round, each in a process of its own, whose CPU time counts. Ratios are medians of the ratios within
the rounds, so that a busy machine disturbs both sides. Quote those of an idle one all the same: on
a busy one, code that runs after a wait finds its caches cold, which costs the short loop the most.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path

from bench_jobs import JOBS, Bench
from bench_report import Row, table


def main() -> int:
    """Run the jobs, print the report, and return 1 when a promise is broken."""
    options = _parser().parse_args()
    chosen: list[str] = options.jobs or list(JOBS)
    rows: list[Row] = []
    with Bench(options.rounds, options.transports.split(",")) as bench:
        for name in chosen:
            print(f"{name}: {(JOBS[name].__doc__ or '').partition(': ')[2]}", file=sys.stderr)
            rows += JOBS[name](bench)
    print(table(rows))
    print(f"\n{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}")
    if options.json is not None:
        options.json.write_text(json.dumps([row.to_dict() for row in rows], indent=2) + "\n")
    return int(any(row.is_over for row in rows))


def _parser() -> argparse.ArgumentParser:
    has_aiohttp = importlib.util.find_spec("aiohttp") is not None
    parser = argparse.ArgumentParser(
        prog="python tests/benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("jobs", nargs="*", metavar="job", help=f"of {', '.join(JOBS)}")
    parser.add_argument("--rounds", type=int, default=9, help="default: 9; long jobs get a third")
    parser.add_argument(
        "--transports",
        default="httpx,aiohttp" if has_aiohttp else "httpx",
        help="podium's HTTP transports to measure; default: %(default)s",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report there as well")
    return parser


if __name__ == "__main__":
    sys.exit(main())
