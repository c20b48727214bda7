"""What a session gets to see of a server's messages: what it can take, and no more than that.

One thing wrong in a list would otherwise cost the whole list, and checking a million things that
are wrong would take minutes.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from podium.tools._shapes import is_array, is_object
from podium.tracing._text import printable

logger = logging.getLogger(__name__)

MAX_PARTS = 1_000
"""Content parts of one result; the rest is left out, and the result says so."""
MAX_TOOLS = 500
"""Tools of one server; the rest is left out, with a warning."""
MAX_SERVER_REQUESTS = 1_000
"""Requests of a server that are answered in one session (all but ping with a refusal)."""
MAX_SCHEMA_CHARS = 64 * 1024
"""How long the schema of one tool may be, as JSON."""

_WANTED = ("notifications/progress", "notifications/cancelled")
_CHANGED = "notifications/tools/list_changed"
_PARTS: Mapping[str, tuple[str, ...]] = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}
_RESOURCE = ("uri", "mimeType", "text", "blob")
_ODD_PART_CHARS = 1_000


class Screen:
    """The stream of a server's messages, without what the session should not see."""

    def __init__(
        self, stream: Any, label: str, *, on_end: Callable[[], None], on_change: Callable[[], None]
    ) -> None:
        """Look at what comes from `stream`.

        `on_end` is called when nothing comes any more, `on_change` when the server says that its
        tools are not what they were: as often as it says so, so it is to be cheap.
        """
        self._stream = stream
        self._label = label
        self._on_end = on_end
        self._on_change = on_change
        self._requests = 0

    @property
    def last_context(self) -> Any:
        """The context the last message was sent in, where the transport tells."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage:
        """Return the next message for the session."""
        while True:
            try:
                item: object = await self._stream.receive()
            except (anyio.EndOfStream, anyio.ClosedResourceError):
                self._on_end()
                raise
            if isinstance(item, SessionMessage) and self._is_wanted(item.message):
                return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        """Go through the messages."""
        return self

    async def __anext__(self) -> SessionMessage:
        """Return the next message; there is none once the stream has ended."""
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        """Open nothing: the stream is open."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the stream."""
        await self.aclose()

    def _is_wanted(self, message: JSONRPCMessage) -> bool:
        if isinstance(message, JSONRPCNotification):
            if message.method == _CHANGED:
                self._on_change()
            return message.method in _WANTED
        if isinstance(message, JSONRPCRequest):
            self._requests += 1
            return self._requests <= MAX_SERVER_REQUESTS
        if isinstance(message, JSONRPCResponse):
            result = message.result
            if is_array(result.get("tools")):
                result["tools"] = _usable_tools(result["tools"], self._label)
            elif is_array(result.get("content")) or "structuredContent" in result:
                result["content"] = _known_parts(result.get("content"))
        return True


def _usable_tools(tools: list[Any], label: str) -> list[dict[str, Any]]:
    """Return the tools that can be: what is wrong with one never costs the others."""
    if len(tools) > MAX_TOOLS:
        logger.warning(
            "MCP server %r lists %d tools at once; all after the first %d are left out",
            label,
            len(tools),
            MAX_TOOLS,
        )
    found: list[dict[str, Any]] = []
    for tool in tools[:MAX_TOOLS]:
        name: object = tool.get("name") if is_object(tool) else None
        if not is_object(tool) or not isinstance(name, str) or not name:
            logger.warning("MCP server %r lists a tool without a name; it is left out", label)
            continue
        problem = _schema_problem(tool.get("inputSchema"))
        if problem is not None:
            shown = printable(name, limit=80)
            logger.warning("Tool %r of MCP server %r is left out: %s", shown, label, problem)
            continue
        found.append(_plain_tool(name, tool, label))
    return found


def _schema_problem(schema: object) -> str | None:
    if schema is None:
        return None
    if not is_object(schema):
        return f"its input schema is {schema!r:.40}, not an object"
    if schema.get("type", "object") != "object":
        return f"its arguments would be {schema['type']!r:.40}, and only an object can be sent"
    if len(json.dumps(schema)) > MAX_SCHEMA_CHARS:
        return f"its input schema is longer than {MAX_SCHEMA_CHARS:,} characters"
    return None


def _plain_tool(name: str, tool: dict[str, Any], label: str) -> dict[str, Any]:
    """Return what podium uses of a tool's definition, and nothing else."""
    schema: dict[str, Any] = tool.get("inputSchema") or {}
    if "type" not in schema:
        shown = printable(name, limit=80)
        logger.info("Tool %r of MCP server %r has no type; it is read as object", shown, label)
    plain: dict[str, Any] = {"name": name, "inputSchema": {**schema, "type": "object"}}
    if isinstance(tool.get("description"), str):
        plain["description"] = tool["description"]
    output: object = tool.get("outputSchema")
    if is_object(output) and output.get("type") == "object":
        if len(json.dumps(output)) <= MAX_SCHEMA_CHARS:
            plain["outputSchema"] = output
    return plain


def _known_parts(content: object) -> list[dict[str, Any]]:
    parts: list[Any] = content if is_array(content) else []
    known = [_known_part(part) for part in parts[:MAX_PARTS]]
    if len(parts) > MAX_PARTS:
        known.append(_text(f"[cut here: the result has {len(parts):,} parts]"))
    return known


def _known_part(part: Any) -> dict[str, Any]:
    """Return a part in its plainest form; one that no protocol knows is shown as text."""
    kind: Any = part.get("type") if is_object(part) else None
    if kind == "resource" and is_object(part.get("resource")):
        held = {key: part["resource"].get(key) for key in _RESOURCE}
        texts = {key: value for key, value in held.items() if isinstance(value, str)}
        if "uri" in texts and ("text" in texts or "blob" in texts):
            return {"type": kind, "resource": texts}
    needed = _PARTS.get(kind) if isinstance(kind, str) else None
    if needed and all(isinstance(part.get(key), str) for key in needed):
        return {"type": kind, **{key: part[key] for key in needed}}
    return _text(json.dumps(part)[:_ODD_PART_CHARS])


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
