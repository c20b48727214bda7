"""MCPTool: one tool of an MCP server, as a tool of an agent."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from podium.tools._context import CallContext
from podium.tools._json_schema import is_closed
from podium.tools._mcp.connection import Connection, closed_on_failure
from podium.tools._mcp.definitions import Definition, wire_names
from podium.tools._mcp.servers import ServerInfo
from podium.tools._mcp.thread import Future, outcome_of, result_of, waker
from podium.tools._outputs import Content
from podium.tools._state import MergeHandler
from podium.tools._threads import run_in_thread
from podium.tools._tool import Tool
from podium.tools.errors import (
    MCPInvocationError,
    MCPToolNotFoundError,
    ToolDefinitionError,
    ToolError,
    ToolInvocationError,
    nearest,
)
from podium.tracing._text import printable

if TYPE_CHECKING:
    from podium.tools._mcp.results import MCPResult
    from podium.tools._mcp.session import OnProgress

Mappings = tuple[
    Mapping[str, str] | None, Mapping[str, Mapping[str, Any]] | None, Mapping[str, Any] | None
]
"""Inputs from state, outputs to state, outputs to string."""
Report = Callable[[float, float | None, str], None]

_MAX_WAITING = 64  # pieces of progress that wait for a loop that is busy
_PROGRESS_CHARS = 200
_ANY_ARGUMENTS: Mapping[str, Any] = {"type": "object", "additionalProperties": True}


class MCPTool(Tool):
    """One tool of an MCP server.

    The server is asked what the tool takes when the tool is warmed up, which runs do by themselves;
    until then it has no description of its own. Where several tools of a server are wanted, an
    MCPToolset gives them one connection.
    """

    def __init__(
        self,
        name: str,
        server_info: ServerInfo,
        *,
        description: str | None = None,
        connection_timeout: float = 30.0,
        invocation_timeout: float = 30.0,
        eager_connect: bool = False,
        inputs_from_state: Mapping[str, str] | None = None,
        outputs_to_state: Mapping[str, Mapping[str, Any]] | None = None,
        outputs_to_string: Mapping[str, Any] | None = None,
    ) -> None:
        """Describe the tool `name` of a server, by the server's name for it.

        `description` replaces the server's. Timeouts are in seconds, for starting or reaching the
        server and for each call. Mappings work as those of Tool; state and handlers get the
        structured content where there is any, else JSON in the text, else the text.

        Raises:
            ImportError: the extra `mcp` is not installed.
            ToolDefinitionError: a mapping cannot work.
            ValueError: a timeout is not above zero.
            MCPError: with `eager_connect`, the server cannot be used or has no such tool.
        """
        self._connection = Connection(server_info, connection_timeout, invocation_timeout)
        self._is_alone = True
        self._original_name = name
        self._own_description = description
        self._mappings = (inputs_from_state, outputs_to_state, outputs_to_string)
        self._set_up(wire_names([name])[name], None)
        if eager_connect:
            with closed_on_failure(self._connection):
                self.warm_up()

    @property
    def server_name(self) -> str:
        """What the server is called."""
        return self._connection.server.label

    @property
    def original_name(self) -> str:
        """The server's name for the tool."""
        return self._original_name

    @property
    def definition_hash(self) -> str | None:
        """SHA-256 of the definition that the server is held to; None before the first warm-up."""
        return None if self._definition is None else self._definition.digest

    @property
    def origin(self) -> str:
        """Where the tool comes from, for messages."""
        return f"MCP server {self.server_name!r}"

    def warm_up(self) -> None:
        """Ask the server what the tool takes, once.

        Raises:
            MCPError: the server cannot be used or has no such tool.
            ToolDefinitionError: the tool takes no parameter that is to be filled from state.
        """
        if self._definition is None:
            self._find_in(result_of(self._connection.definitions()))

    async def warm_up_async(self) -> None:
        """Ask the server what the tool takes, once; raises as `warm_up` does."""
        if self._definition is None:
            self._find_in(await outcome_of(self._connection.definitions()))

    def close(self) -> None:
        """Close the connection, if it is the tool's own; the next call opens it again."""
        if self._is_alone:
            self._connection.close()

    async def close_async(self) -> None:
        """Close the connection, if it is the tool's own; the next call opens it again."""
        if self._is_alone:
            await run_in_thread(self._connection.close)

    async def call(self, arguments: dict[str, Any], context: CallContext) -> MCPResult:
        """Call the tool on the server and return what came."""
        return await self._ask(arguments, context.report)

    def result_content(self, value: Any) -> Content:
        """Return what the model reads: the text, or what `outputs_to_string` says."""
        if not self.outputs_to_string:
            return str(value)
        is_raw = self.outputs_to_string.get("raw_result") is True
        return self._outputs.content(list(value.parts) if is_raw else value.data)

    def state_updates(self, value: Any) -> list[tuple[str, Any, MergeHandler | None]]:
        """Return what goes into the state, by `outputs_to_state`."""
        return self._outputs.updates(value.data) if self._outputs.keys else []

    def _failed(self, error: Exception) -> ToolInvocationError:
        if isinstance(error, ToolError):  # it names the tool and the server
            return MCPInvocationError(str(error), tool_name=self.name)
        return super()._failed(error)

    def _set_up(self, name: str, definition: Definition | None) -> None:
        """Become the tool that the definition describes; without one, what any tool is."""

        async def ask(**arguments: Any) -> MCPResult:
            return await self._ask(arguments, None)

        def ask_and_wait(**arguments: Any) -> MCPResult:
            return result_of(self._sent(arguments, None))

        inputs, to_state, to_string = self._mappings
        schema = _ANY_ARGUMENTS if definition is None else definition.schema
        if definition is not None:
            self._check_inputs(name, inputs or {}, definition.schema)
        Tool.__init__(
            self,
            name,
            self._own_description or (definition.description if definition is not None else ""),
            schema,
            ask_and_wait,
            async_function=ask,
            inputs_from_state=inputs,
            outputs_to_state=to_state,
            outputs_to_string=to_string,
        )
        needed = schema.get("required", ())
        self._needed = [item for item in self.inputs_from_state.items() if item[1] in needed]
        self._definition = definition

    def _check_inputs(
        self, name: str, inputs: Mapping[str, str], schema: Mapping[str, Any]
    ) -> None:
        taken = schema["properties"]
        for key, parameter in inputs.items():
            if parameter not in taken and is_closed(schema):
                raise ToolDefinitionError(
                    f"Tool {name!r} of {self.origin}: inputs_from_state fills {parameter!r:.80} "
                    f"from {key!r:.80}, which the tool does not take. Name one that it takes."
                    f"{nearest(parameter, taken)}",
                    tool_name=name,
                )

    def _find_in(self, definitions: list[Definition]) -> None:
        known = {one.name: one for one in definitions}
        if self._original_name not in known:
            raise MCPToolNotFoundError(
                f"MCP server {self.server_name!r} has no tool {self._original_name!r:.80}."
                f"{nearest(self._original_name, known)} Name one of them.",
                tool_name=self._original_name,
            )
        self._set_up(self.name, known[self._original_name])

    def _sent(self, arguments: dict[str, Any], on_progress: OnProgress | None) -> Future[MCPResult]:
        if self._definition is None:
            self.warm_up()
        assert self._definition is not None
        return self._connection.call(self._definition, arguments, on_progress)

    async def _ask(self, arguments: dict[str, Any], report: Report | None) -> MCPResult:
        await self.warm_up_async()
        if report is None:
            return await outcome_of(self._sent(arguments, None))
        relay = _Relay(report)
        try:
            return await outcome_of(self._sent(arguments, relay.send))
        finally:
            relay.close()


class SharedMCPTool(MCPTool):
    """A tool of a toolset: defined already, and one of several that share a connection."""

    def __init__(
        self, definition: Definition, connection: Connection, name: str, mappings: Mappings
    ) -> None:
        """Be the tool that the definition describes, under the name that the model sees."""
        self._connection = connection
        self._is_alone = False
        self._original_name = definition.name
        self._own_description = None
        self._mappings = mappings
        self._set_up(name, definition)


class _Relay:
    """Brings progress to the loop that makes this; what comes too fast is left out."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: deque[tuple[float, float | None, str]] = deque()
        self._wake = waker()

    async def send(self, progress: float, total: float | None, message: str | None) -> None:
        """Take in what the server says, on another loop."""
        if len(self._waiting) < _MAX_WAITING:
            words = printable(message or "", limit=_PROGRESS_CHARS)
            self._waiting.append((progress, total, words))
            self._wake(self._tell)

    def close(self) -> None:
        """Report nothing any more."""
        self._waiting.clear()

    def _tell(self) -> None:
        if self._waiting:
            self._report(*self._waiting.popleft())
