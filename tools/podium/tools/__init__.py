"""What an agent can do: tools, the state they share, and the calls that run them.

Example:
    from podium.tools import tool

    @tool
    def add(a: int, b: int) -> int:
        '''Add two numbers.'''
        return a + b

    add.invoke(a=2, b=3)  # 5
"""

import importlib
from typing import TYPE_CHECKING, Any

from podium.tools._calls import ToolCall, ToolCallResult
from podium.tools._component_tool import ComponentTool
from podium.tools._context import CallContext
from podium.tools._decorator import create_tool_from_function, tool
from podium.tools._state import MergeHandler, State, StateSchema, merge_lists, replace_values
from podium.tools._text import clean_json
from podium.tools._tool import Tool
from podium.tools._toolset import Toolset
from podium.tools.content import ContentPart, FileContent, ImageContent, TextContent
from podium.tools.errors import (
    FetchError,
    MCPConnectionError,
    MCPError,
    MCPInvocationError,
    MCPToolNotFoundError,
    PodiumError,
    SchemaGenerationError,
    StateError,
    ToolArgumentsError,
    ToolDefinitionError,
    ToolError,
    ToolInvocationError,
    ToolNotFoundError,
)
from podium.tracing._text import clean_text, printable

if TYPE_CHECKING:
    from podium.tools._mcp.servers import SSEServerInfo, StdioServerInfo, StreamableHttpServerInfo
    from podium.tools._mcp.tool import MCPTool
    from podium.tools._mcp.toolset import MCPToolset
    from podium.tools._searchable import SearchableToolset

__all__ = [
    "CallContext",
    "ComponentTool",
    "ContentPart",
    "FetchError",
    "FileContent",
    "ImageContent",
    "MCPConnectionError",
    "MCPError",
    "MCPInvocationError",
    "MCPTool",
    "MCPToolNotFoundError",
    "MCPToolset",
    "MergeHandler",
    "PodiumError",
    "SSEServerInfo",
    "SchemaGenerationError",
    "SearchableToolset",
    "State",
    "StateError",
    "StateSchema",
    "StdioServerInfo",
    "StreamableHttpServerInfo",
    "TextContent",
    "Tool",
    "ToolArgumentsError",
    "ToolCall",
    "ToolCallResult",
    "ToolDefinitionError",
    "ToolError",
    "ToolInvocationError",
    "ToolNotFoundError",
    "Toolset",
    "clean_json",
    "clean_text",
    "create_tool_from_function",
    "merge_lists",
    "printable",
    "replace_values",
    "tool",
]


_LAZY = {
    "podium.tools._mcp.servers": ("SSEServerInfo", "StdioServerInfo", "StreamableHttpServerInfo"),
    "podium.tools._mcp.tool": ("MCPTool",),
    "podium.tools._mcp.toolset": ("MCPToolset",),
    "podium.tools._searchable": ("SearchableToolset",),
}


def __getattr__(name: str) -> Any:
    """Load what not every program needs when it is first asked for."""
    for module, names in _LAZY.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'podium.tools' has no attribute {name!r}")
