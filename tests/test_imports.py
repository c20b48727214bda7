"""What importing podium costs: little, because heavy packages wait until they are needed."""

from __future__ import annotations

import json
from collections.abc import Callable

OURS = "import podium.agent, podium.orchestration"
MAX_RATIO = 4
"""Importing podium may cost so many times what some of the standard library does.

That is 0.15 s of CPU where the machine is idle; a ratio holds on a busy one as well.
"""
HEAVY = {
    *("aiohttp", "docstring_parser", "genai_prices", "httpcore2", "httpx2", "jinja2", "networkx"),
    *(
        "mcp",
        "mcp_types",
        "openai",
        "opentelemetry",
        "pydantic",
        "pydantic_core",
        "pypdf",
        "rich",
        "sqlite3",
    ),
    *("tiktoken", "trio", "typer"),
}
"""Packages that no import of podium may load."""

LOADED = "import json, sys; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
RATIO = f"""
import os, resource, statistics, sys

def seconds(code):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

def ratio():
    bare = seconds("pass")
    standard = seconds("import asyncio, dataclasses, inspect, json, logging")
    return (seconds("{OURS}") - bare) / (standard - bare)

print(statistics.median(ratio() for _ in range(5)))
"""


def test_importing_podium_loads_no_heavy_package(run_python: Callable[..., str]) -> None:
    loaded = run_python("-c", f"{OURS}\n{LOADED}")

    assert HEAVY.intersection(json.loads(loaded)) == set()


def test_importing_podium_costs_little_cpu(run_python: Callable[..., str]) -> None:
    run_python("-c", OURS)  # writes the bytecode

    ratio = float(run_python("-c", RATIO))

    assert ratio <= MAX_RATIO
