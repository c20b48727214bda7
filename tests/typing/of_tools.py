"""What type checkers see of tools and state. Checked, never run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, assert_type

from podium.tools import (
    CallContext,
    ContentPart,
    ImageContent,
    State,
    TextContent,
    Tool,
    ToolCall,
    ToolCallResult,
    Toolset,
    create_tool_from_function,
    merge_lists,
    tool,
)


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
async def fetch(url: Annotated[str, "where"], context: CallContext) -> list[str]:
    """Fetch a page."""
    assert_type(context.call, ToolCall)
    assert_type(context.state, State)
    return [url]


@tool(name="search", outputs_to_state={"docs": {"handler": merge_lists}}, max_calls=3)
def look_up(query: str, state: State) -> list[str]:
    """Search."""
    return [query, str(state.get("docs"))]


def plain(text: str) -> str:
    return text


assert_type(add, Tool)
assert_type(fetch, Tool)
assert_type(look_up, Tool)
assert_type(tool(plain), Tool)
assert_type(tool(plain, name="echo"), Tool)
assert_type(tool(timeout_seconds=1.5), Callable[[Callable[..., Any]], Tool])
assert_type(create_tool_from_function(plain), Tool)
assert_type(Toolset([add, fetch]), Toolset)

tool(plain, nmae="echo")  # type: ignore[call-overload]  # no such option
Toolset([plain])  # type: ignore[list-item]  # a function is no tool yet


async def what_tools_give() -> None:
    assert_type(add.invoke(a=1, b=2), Any)
    assert_type(await add.invoke_async(a=1, b=2), Any)
    assert_type(add.parameters, dict[str, Any])
    assert_type(add.max_calls, int | None)
    assert_type(add.timeout_seconds, float | None)
    assert_type(add.result_content(3), str | tuple[ContentPart, ...])


def what_calls_hold(call: ToolCall, result: ToolCallResult) -> None:
    assert_type(call.tool_name, str)
    assert_type(call.id, str | None)
    assert_type(result.origin, ToolCall)
    assert_type(result.error, bool)
    assert_type(result.text, str)


def what_state_holds(state: State) -> None:
    assert_type(state.get("docs"), Any)
    assert_type(state.has("docs"), bool)
    assert_type(state.data, dict[str, Any])
    state.set("docs", ["one"], handler_override=merge_lists)
    state.set("docs", ["one"], "merge")  # type: ignore[arg-type]  # a handler is a function


def what_content_is(part: ContentPart) -> None:
    if isinstance(part, TextContent):
        assert_type(part.text, str)
    elif isinstance(part, ImageContent):
        assert_type(part.base64_image, str)
    else:
        assert_type(part.filename, str | None)
