"""How long `podium trace show` takes on a large trace, and how much memory: 5 s and 500 MB.

    python tests/benchmarks/trace_reading.py               # 100,000 spans
    python tests/benchmarks/trace_reading.py 20000

Each command runs in a process of its own; its CPU time and peak memory count. The first line is
Python's own json on the same lines: on a busy machine, compare with that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from podium.tracing.export import encode, otlp_document
from podium.tracing.reading import Source, TraceSpan

SPANS, MAX_SECONDS, MAX_MB = 100_000, 5.0, 500.0
BATCH = 512
"""Spans on a line, as the SDK's batches have them."""
SERVICE = Source(name="podium", attributes={"service.name": "podium"})
SCOPE = Source(name="podium", version="0.1.0")
COMMANDS = ("show", "list", "cost", "why", "critical-path")


def main() -> int:
    """Measure each command, print a line for each, and return 1 when `show` is over its limit."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SPANS
    over = False
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"
        write_trace(path, count)
        print(f"{count:,} spans, {path.stat().st_size / 1e6:.0f} MB")
        parse = f"import json; [json.loads(line) for line in open({str(path)!r}, 'rb')]"
        report("json alone", measure("-c", parse))
        for command in COMMANDS:
            used = measure("-m", "podium.orchestration.cli", "trace", command, str(path))
            report(command, used)
            over |= command == "show" and (used[1] > MAX_SECONDS or used[2] > MAX_MB)
    return int(over)


Used = tuple[float, float, float]
"""Seconds, CPU seconds and peak megabytes."""


def report(what: str, used: Used) -> None:
    """Print a line."""
    print(f"{what:14} {used[0]:5.2f} s  {used[1]:5.2f} s CPU  {used[2]:4.0f} MB", flush=True)


def measure(*arguments: str) -> Used:
    """Return what a Python process with these arguments used."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} ended with {process.returncode}")
    cpu_seconds = used.ru_utime + used.ru_stime
    return time.perf_counter() - started, cpu_seconds, used.ru_maxrss / 1024


def write_trace(path: Path, count: int) -> None:
    """Write a trace of one coordinator and its specialists, as `setup_tracing(file=...)` does."""
    spans = [span(number, count) for number in range(count)]
    with path.open("wb") as file:
        for start in range(0, count, BATCH):
            file.write(encode(otlp_document(spans[start : start + BATCH])) + b"\n")


def span(number: int, count: int) -> TraceSpan:
    """Return a span of a tree in which each delegation has a specialist with eight calls."""
    place, group = number % 10, number // 10 * 10
    if number == 0 or place > 1:
        parent = None if number == 0 else max(group + 1, 1)
    else:
        parent = 0 if place == 0 else group
    path = "coordinator" if place == 0 else f"coordinator/facts#{group // 10 + 1}"
    attributes: dict[str, object] = {
        "gen_ai.agent.name": path.partition("#")[0].rpartition("/")[2],
        "podium.agent.path": path,
    }
    if number == 0 or place == 1:
        name = "invoke_agent facts"
        attributes |= {
            "gen_ai.operation.name": "invoke_agent",
            "podium.stop.reason": "text",
            "podium.usage.total.total_tokens": 1200,
        }
    elif place == 0 or place % 2:
        name = "execute_tool search"
        attributes |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    else:
        name = "chat gpt-5-mini"
        attributes |= {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "gpt-5-mini",
            "gen_ai.response.model": "gpt-5-mini-2026-01-01",
            "gen_ai.response.id": f"chatcmpl-{number:012x}",
            "gen_ai.response.finish_reasons": ("stop",),
            "gen_ai.usage.input_tokens": 900 + number % 100,
            "gen_ai.usage.output_tokens": 100,
            "podium.step": place,
        }
    start = 1_800_000_000_000_000_000 + number * 1_000_000
    end = start + (9_000_000 if place < 2 else 900_000)
    return TraceSpan(
        trace_id=f"{1:032x}",
        span_id=f"{number + 1:016x}",
        parent_id=None if parent is None else f"{parent + 1:016x}",
        name=name,
        start_ns=start,
        end_ns=start + count * 1_000_000 if number == 0 else end,
        attributes=attributes,
        service=SERVICE,
        scope=SCOPE,
    )


if __name__ == "__main__":
    sys.exit(main())
