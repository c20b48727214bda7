"""Every error podium raises on purpose, from its one root down to tools.

    PodiumError
    ├── ToolError                     (here) a tool cannot be built or its call cannot be answered
    │   ├── ToolDefinitionError       the tool itself is wrong: name, schema, mappings
    │   │   └── SchemaGenerationError no JSON schema can be made from a signature
    │   ├── ToolArgumentsError        what the model sent does not fit the schema
    │   ├── ToolInvocationError       the tool's own code raised
    │   ├── ToolNotFoundError         no tool has the name the model used
    │   ├── FetchError                something on the web that may not, or could not, be fetched
    │   └── MCPError                  an MCP server, or the connection to it, does not do its part
    │       ├── MCPConnectionError    it cannot be started or reached, or was lost
    │       ├── MCPToolNotFoundError  it has no tool of the name that was asked for
    │       └── MCPInvocationError    it answered a call with an error (a ToolInvocationError too)
    ├── StateError                    a state key or value that the schema does not allow
    └── AgentError                    (podium.agent.errors)

Wrong arguments from a caller raise ValueError or TypeError as well: the classes that mean
"you passed something wrong" inherit from ValueError, so either can be caught.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "FetchError",
    "MCPConnectionError",
    "MCPError",
    "MCPInvocationError",
    "MCPToolNotFoundError",
    "PodiumError",
    "SchemaGenerationError",
    "StateError",
    "ToolArgumentsError",
    "ToolDefinitionError",
    "ToolError",
    "ToolInvocationError",
    "ToolNotFoundError",
]


class PodiumError(Exception):
    """Root of podium's errors."""


class ToolError(PodiumError):
    """A tool could not be built, found or run; `tool_name` says which one."""

    def __init__(self, message: str, *, tool_name: str = "") -> None:
        """Keep the message and the name of the tool it is about."""
        super().__init__(message)
        self.tool_name = tool_name

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling although `tool_name` is keyword-only."""
        return (_rebuild, (type(self), str(self), self.tool_name))


def _rebuild(kind: type[ToolError], message: str, tool_name: str) -> ToolError:
    return kind(message, tool_name=tool_name)


class ToolDefinitionError(ToolError, ValueError):
    """A tool was declared in a way that cannot work; raised when it is built."""


class SchemaGenerationError(ToolDefinitionError):
    """No JSON schema can be made from a function's signature."""


class ToolArgumentsError(ToolError, ValueError):
    """Arguments that do not fit a tool's parameters; the text is written for the model."""


class ToolInvocationError(ToolError):
    """A tool's own code raised; the original error is `__cause__`."""


class ToolNotFoundError(ToolError, LookupError):
    """No tool has the name that was asked for."""


class MCPError(ToolError):
    """An MCP server, or the connection to it, does not do its part."""


class MCPConnectionError(MCPError, ConnectionError):
    """An MCP server cannot be started or reached, or the connection to it was lost."""


class MCPToolNotFoundError(MCPError, LookupError):
    """An MCP server has no tool of the name that was asked for."""


class MCPInvocationError(MCPError, ToolInvocationError):
    """An MCP server answered a call with an error."""


class FetchError(ToolError):
    """Something on the web could not be fetched, or may not be; the text is for the model."""


class StateError(PodiumError, ValueError):
    """A state key or value that the state schema does not allow."""


def nearest(name: str, choices: Iterable[str], *, most: int = 8) -> str:
    """Say which choices there are and which one was probably meant.

    Returns text that starts with a space, such as " Did you mean 'research'? There are: a, b.",
    for the end of an error message. At most `most` choices are listed, sorted.
    """
    known = sorted(set(choices))
    if not known:
        return " There are none."
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    shown = ", ".join(known[:most]) + (
        f" and {len(known) - most} more" if len(known) > most else ""
    )
    return f"{hint} There are: {shown}."
