"""An honest MCP server, made with the `mcp` package: `honest_server.py stdio|http|sse [PORT]`."""

from __future__ import annotations

import os
import sys

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("honest")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def process() -> str:
    """Return the number of this process."""
    return str(os.getpid())


@server.tool()
async def wait(seconds: float) -> str:
    """Wait, then say so."""
    await anyio.sleep(seconds)
    return f"waited {seconds} s"


@server.tool()
async def count(to: int, context: Context) -> str:
    """Count, and say how far it is."""
    for number in range(1, to + 1):
        await context.report_progress(number, to, f"at {number}")
    return f"counted to {to}"


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("the disk is full")


if __name__ == "__main__":
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if sys.argv[1] == "stdio":
        server.run("stdio")
    elif sys.argv[1] == "http":
        server.run("streamable-http", host="127.0.0.1", port=port)
    else:
        server.run("sse", host="127.0.0.1", port=port)
