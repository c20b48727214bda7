"""What an agent can do: tools, the state they share, and the calls that run them.

Example:
    from podium.tools import tool

    @tool
    def add(a: int, b: int) -> int:
        '''Add two numbers.'''
        return a + b

    add.invoke(a=2, b=3)  # 5
"""

from podium.tools._arguments import parse_arguments
from podium.tools._calls import ToolCall, ToolCallResult
from podium.tools._context import CallContext
from podium.tools._decorator import create_tool_from_function, tool
from podium.tools._schedule import plan_batches
from podium.tools._state import MergeHandler, State, StateSchema, merge_lists, replace_values
from podium.tools._text import clean_json, clean_text, printable
from podium.tools._threads import in_tool_thread, run_in_thread
from podium.tools._tool import Tool
from podium.tools._toolset import Toolset, flatten_tools
from podium.tools.content import ContentPart, FileContent, ImageContent, TextContent
from podium.tools.errors import (
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
    "ContentPart",
    "FileContent",
    "ImageContent",
    "MergeHandler",
    "PodiumError",
    "SchemaGenerationError",
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
    "flatten_tools",
    "in_tool_thread",
    "merge_lists",
    "parse_arguments",
    "plan_batches",
    "printable",
    "replace_values",
    "run_in_thread",
    "tool",
]
