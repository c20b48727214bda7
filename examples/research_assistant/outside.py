"""Tools that are not the assistant's own: those of MCP servers, named on the command line."""

from __future__ import annotations

import os
import shlex
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from podium.agent import Secret
from podium.tools import (
    MCPError,
    MCPToolset,
    SSEServerInfo,
    StdioServerInfo,
    StreamableHttpServerInfo,
    printable,
)
from research_assistant.documents import ResearchError

TOKEN = "MCP_TOKEN"
"""The environment variable with the token of servers at an address, where they want one."""


@contextmanager
def mcp_tools(places: Sequence[str]) -> Generator[list[MCPToolset]]:
    """Start or reach MCP servers, and give their tools until the block ends.

    Raises:
        ResearchError: a server cannot be started, reached or understood.
    """
    with ExitStack() as stack:
        toolsets: list[MCPToolset] = []
        for place in places:
            try:
                toolset = MCPToolset(_server(place))
                stack.callback(toolset.close)
                toolset.warm_up()
            except (MCPError, ImportError, ValueError) as problem:
                raise ResearchError(f"--mcp {place!r} gives no tools. {problem}") from problem
            toolsets.append(toolset)
            print(f"Tools: {printable(', '.join(tool.name for tool in toolset))} of {place}")
        yield toolsets


def _server(place: str) -> StdioServerInfo | StreamableHttpServerInfo | SSEServerInfo:
    """Return the server at an address, or the one that a command starts."""
    if place.startswith(("http://", "https://")):
        kind = SSEServerInfo if urlsplit(place).path.endswith("/sse") else StreamableHttpServerInfo
        return kind(place, token=Secret.from_env_var(TOKEN) if os.environ.get(TOKEN) else None)
    command, *arguments = shlex.split(place) or [""]
    return StdioServerInfo(command, arguments)
