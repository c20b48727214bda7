"""MCP servers for tests: an honest one, and one that misbehaves on request."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from podium.tools import StdioServerInfo

_SUPPORT = str(Path(__file__).parents[1])


def scripted(behaviour: str = "honest", *notes: Path, **options: Any) -> StdioServerInfo:
    """Return a scripted server over stdio; `notes` is a file where it says what happens to it."""
    return _python("mcp_peers.stdio_server", behaviour, *map(str, notes), **options)


def honest(**options: Any) -> StdioServerInfo:
    """Return a server made with the `mcp` package, over stdio."""
    return _python("mcp_peers.honest_server", "stdio", **options)


def _python(module: str, *arguments: str, **options: Any) -> StdioServerInfo:
    options["env"] = {"PYTHONPATH": _SUPPORT, **options.get("env", {})}
    options.setdefault("name", "peer")
    options.setdefault("base_delay", 0.01)
    return StdioServerInfo(sys.executable, ["-m", module, *arguments], **options)
