"""What a call of an MCP tool costs above the bare client of the `mcp` package, over stdio.

    python tests/benchmarks/bench_mcp.py

Both talk to the same kind of server, in turns of a hundred calls each. Wall time is the least of
all rounds, since what others do on the machine only adds to it; CPU time is this process's own,
all its threads, and says the same on a busy machine. The promise: less than a millisecond more.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from podium.tools import MCPToolset, StdioServerInfo

ROUNDS, CALLS = 15, 100
SUPPORT = str(Path(__file__).parents[1] / "support")
SERVER = ["-m", "mcp_peers.honest_server", "stdio"]


async def round_of(call: Callable[[dict[str, int]], Awaitable[object]]) -> tuple[float, float]:
    """Return the milliseconds that a call takes: on the clock, and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    for number in range(CALLS):
        await call({"a": number, "b": 1})
    each = 1000 / CALLS
    return (time.perf_counter() - wall) * each, (time.process_time() - cpu) * each


async def measure() -> dict[str, float]:
    """Return milliseconds a call: of the bare client, and what podium adds."""
    environment = {"PYTHONPATH": SUPPORT}
    parameters = StdioServerParameters(command=sys.executable, args=SERVER, env=environment)
    toolset = MCPToolset(StdioServerInfo(sys.executable, SERVER, env=environment, name="bench"))
    await toolset.warm_up_async()
    async with Client(parameters) as client:
        await client.list_tools()
        rounds = [
            (
                await round_of(lambda values: client.call_tool("add", values)),
                await round_of(lambda values: toolset[0].invoke_async(**values)),
            )
            for _ in range(ROUNDS)
        ]
    await toolset.close_async()
    bare, podium = min(one[0][0] for one in rounds), min(one[1][0] for one in rounds)
    return {
        "bare_wall": bare,
        "added_wall": podium - bare,
        "bare_cpu": statistics.median(one[0][1] for one in rounds),
        "added_cpu": statistics.median(one[1][1] - one[0][1] for one in rounds),
    }


if __name__ == "__main__":
    print(json.dumps(anyio.run(measure)))
