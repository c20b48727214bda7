"""What an agent can do: tools, the state they share, and the calls that run them.

Example:
    from podium.tools import tool

    @tool
    def add(a: int, b: int) -> int:
        '''Add two numbers.'''
        return a + b

    add.invoke(a=2, b=3)  # 5
"""

from podium.tools._calls import ToolCall, ToolCallResult
from podium.tools._component_tool import ComponentTool
from podium.tools._context import CallContext
from podium.tools._decorator import create_tool_from_function, tool
from podium.tools._searchable import SearchableToolset
from podium.tools._state import MergeHandler, State, StateSchema, merge_lists, replace_values
from podium.tools._text import clean_json, clean_text, printable
from podium.tools._tool import Tool
from podium.tools._toolset import Toolset
from podium.tools.content import ContentPart, FileContent, ImageContent, TextContent
from podium.tools.errors import (
    FetchError,
    PodiumError,
    SchemaGenerationError,
    StateError,
    ToolArgumentsError,
    ToolDefinitionError,
    ToolError,
    ToolInvocationError,
    ToolNotFoundError,
)

__all__ = [
    "CallContext",
    "ComponentTool",
    "ContentPart",
    "FetchError",
    "FileContent",
    "ImageContent",
    "MergeHandler",
    "PodiumError",
    "SchemaGenerationError",
    "SearchableToolset",
    "State",
    "StateError",
    "StateSchema",
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
