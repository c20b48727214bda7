"""The tools that a server lists: all pages of them, up to a limit, those that can be used."""

from __future__ import annotations

import logging

from mcp.client.session import ClientSession
from mcp_types import PaginatedRequestParams
from mcp_types import Tool as ListedTool

from podium.tools._mcp.definitions import Definition, defined
from podium.tools._mcp.screen import MAX_TOOLS
from podium.tools.errors import ToolDefinitionError
from podium.tracing._text import printable

logger = logging.getLogger(__name__)

MAX_PAGES = 50
"""Pages of a list that are read."""


async def listed_tools(session: ClientSession, label: str) -> list[Definition]:
    """Return the definitions of a server's tools, in its order.

    What cannot be used, comes twice or is too much is left out, and a warning says so.
    """
    found: dict[str, Definition] = {}
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        for tool in page.tools:
            _take_in(tool, found, label)
        cursor = page.next_cursor
        if cursor is None:
            return list(found.values())
        if len(found) >= MAX_TOOLS:
            break
    logger.warning(
        "MCP server %r goes on listing tools after %d; the rest is left out", label, len(found)
    )
    return list(found.values())[:MAX_TOOLS]


def _take_in(tool: ListedTool, found: dict[str, Definition], label: str) -> None:
    if tool.name in found:
        name = printable(tool.name, limit=80)
        logger.warning("MCP server %r lists %r twice; the first one counts", label, name)
        return
    try:
        found[tool.name] = defined(
            tool.name, tool.description or "", tool.input_schema, tool.output_schema
        )
    except ToolDefinitionError as error:
        logger.warning("A tool of MCP server %r is left out: %s", label, error)
