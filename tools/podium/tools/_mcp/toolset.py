"""MCPToolset: the tools of an MCP server, over one connection."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from podium.tools._mcp.connection import Connection, closed_on_failure
from podium.tools._mcp.definitions import Definition, wire_names
from podium.tools._mcp.servers import ServerInfo
from podium.tools._mcp.thread import outcome_of, result_of
from podium.tools._mcp.tool import SharedMCPTool
from podium.tools._threads import run_in_thread
from podium.tools._tool import Tool
from podium.tools._toolset import Toolset
from podium.tools.errors import MCPToolNotFoundError, nearest

ByTool = Mapping[str, Mapping[str, Any]]
"""A mapping of a tool for each of some tools, by the server's names for them."""


class MCPToolset(Toolset):
    """The tools of an MCP server, or those that are selected.

    It is empty until it is warmed up, which runs do by themselves: only then is the server started
    or reached. One connection serves any number of runs at once, on any event loop; when it is
    lost, the next call opens another. Tools stay as the server first listed them: one that a server
    changes afterwards is not called until `accept_changes` says so.
    """

    def __init__(
        self,
        server_info: ServerInfo,
        *,
        tool_names: Sequence[str] | None = None,
        prefix: str = "",
        connection_timeout: float = 30.0,
        invocation_timeout: float = 30.0,
        eager_connect: bool = False,
        inputs_from_state: ByTool | None = None,
        outputs_to_state: ByTool | None = None,
        outputs_to_string: ByTool | None = None,
    ) -> None:
        """Describe the tools of a server.

        Args:
            server_info: The server.
            tool_names: Which of its tools, by its own names; None for all.
            prefix: Put before each name that the model sees.
            connection_timeout: Seconds within which the server must be started or reached.
            invocation_timeout: Seconds within which it must answer a call.
            eager_connect: Whether to connect now, in place of with the first run.
            inputs_from_state: For each tool, which state keys fill which of its parameters; these
                are hidden from the model.
            outputs_to_state: For each tool, which pieces of its result go into the state.
            outputs_to_string: For each tool, what of its result the model reads; images only with
                `{"raw_result": True}`.

        Raises:
            ImportError: the extra `mcp` is not installed.
            TypeError: `tool_names` is one text, or the server is described by something else.
            ValueError: a timeout is not above zero.
            MCPError: with `eager_connect`, the server cannot be used or lacks a tool.
        """
        super().__init__()
        if isinstance(tool_names, str):
            raise TypeError(
                f"tool_names is {tool_names!r:.60}, which is text and not a list. "
                f"Write it as tool_names=[{tool_names!r:.60}]."
            )
        self._connection = Connection(server_info, connection_timeout, invocation_timeout)
        self._selected = None if tool_names is None else list(tool_names)
        self._prefix = prefix
        self._mappings = (inputs_from_state or {}, outputs_to_state or {}, outputs_to_string or {})
        self._is_warm = False
        if eager_connect:
            with closed_on_failure(self._connection):
                self.warm_up()

    @property
    def changes(self) -> Mapping[str, str]:
        """Which tools the server has changed since it first listed them, and what changed."""
        return dict(self._connection.changes)

    def warm_up(self) -> None:
        """Connect and list the tools, once.

        Raises:
            MCPError: the server cannot be used, or lacks a tool that was selected.
            ToolDefinitionError: a mapping does not fit its tool.
        """
        if not self._is_warm:
            self._take(result_of(self._connection.definitions()))

    async def warm_up_async(self) -> None:
        """Connect and list the tools, once; raises as `warm_up` does."""
        if not self._is_warm:
            definitions = await outcome_of(self._connection.definitions())
            await run_in_thread(self._take, definitions)  # there may be hundreds

    def accept_changes(self) -> None:
        """Take the tools as the server lists them now; runs that have begun keep theirs.

        Raises:
            MCPError: the server cannot be used, or lacks a tool that was selected.
        """
        self._take(result_of(self._connection.latest()))

    def spawn(self, selected: Collection[str] | None = None) -> Toolset:
        """Return the toolset for one run: itself, or only the tools whose names are selected."""
        return self if selected is None else _Selection(self, selected)

    def close(self) -> None:
        """Close the connection; the server it started has ended. The next call opens it again."""
        self._connection.close()

    async def close_async(self) -> None:
        """Close the connection; the server it started has ended. The next call opens it again."""
        await run_in_thread(self._connection.close)

    def __repr__(self) -> str:
        """Show the server and the tools' names."""
        names = ", ".join(one.name for one in self) if self._is_warm else "not connected yet"
        return f"<{type(self).__name__} of {self._connection.server.label!r}: {names}>"

    def _take(self, definitions: list[Definition]) -> None:
        """Make tools of the definitions; nothing changes when one of them cannot be made."""
        known = {one.name: one for one in definitions}
        label = self._connection.server.label
        mapped = [name for mapping in self._mappings for name in mapping]
        for name in [*(self._selected or ()), *mapped]:
            if name not in known:
                raise MCPToolNotFoundError(
                    f"MCP server {label!r} has no tool {name!r:.80}.{nearest(name, known)} "
                    "Name one of them.",
                    tool_name=name,
                )
        names = list(known) if self._selected is None else self._selected
        shown = wire_names(names, self._prefix)
        to_inputs, to_state, to_string = self._mappings
        tools: list[Tool] = [
            SharedMCPTool(
                known[name],
                self._connection,
                shown[name],
                (to_inputs.get(name), to_state.get(name), to_string.get(name)),
            )
            for name in dict.fromkeys(names)
        ]
        self._tools[:] = tools
        self._is_warm = True


class _Selection(Toolset):
    """Some tools of a toolset, which may have to connect before it knows them."""

    def __init__(self, whole: MCPToolset, names: Collection[str]) -> None:
        super().__init__()
        self._whole = whole
        self._names = frozenset(names)

    def warm_up(self) -> None:
        self._whole.warm_up()

    async def warm_up_async(self) -> None:
        await self._whole.warm_up_async()

    def close(self) -> None:
        self._whole.close()

    async def close_async(self) -> None:
        await self._whole.close_async()

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._chosen())

    def __len__(self) -> int:
        return len(self._chosen())

    def __getitem__(self, index: int) -> Tool:
        return self._chosen()[index]

    def _chosen(self) -> list[Tool]:
        return [one for one in self._whole if one.name in self._names]
