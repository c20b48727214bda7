"""What importing podium costs: little, because heavy packages wait until they are needed."""

from __future__ import annotations

import json
from collections.abc import Callable

MAX_CPU_SECONDS = 0.15
HEAVY = {
    *("aiohttp", "docstring_parser", "httpcore2", "httpx2", "jinja2", "networkx", "openai"),
    *("opentelemetry", "pydantic", "pydantic_core", "pypdf", "rich", "sqlite3", "trio", "typer"),
}
"""Packages that no import of podium may load."""

LOADED = "import json, sys; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
CPU = """
import os, sys

def seconds(code):
    before = os.times()
    os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code])
    after = os.times()
    return after[2] + after[3] - before[2] - before[3]  # of children, user and system

bare = min(seconds("pass") for _ in range(5))
print(min(seconds("import podium.agent, podium.orchestration") for _ in range(5)) - bare)
"""


def test_importing_podium_loads_no_heavy_package(run_python: Callable[..., str]) -> None:
    loaded = run_python("-c", f"import podium.agent, podium.orchestration\n{LOADED}")

    assert HEAVY.intersection(json.loads(loaded)) == set()


def test_importing_podium_costs_little_cpu(run_python: Callable[..., str]) -> None:
    run_python("-c", "import podium.agent, podium.orchestration")  # writes the bytecode

    seconds = float(run_python("-c", CPU))

    assert seconds <= MAX_CPU_SECONDS
