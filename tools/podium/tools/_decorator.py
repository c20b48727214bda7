"""`@tool`: a tool from a function, its schema read from the signature and the docstring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, overload

from podium.tools._definition import check_inputs, check_texts, is_async
from podium.tools._signature import read_signature, underlying
from podium.tools._tool import Tool


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    inputs_from_state: Mapping[str, str] | None = None,
    outputs_to_state: Mapping[str, Mapping[str, Any]] | None = None,
    outputs_to_string: Mapping[str, Any] | None = None,
    timeout_seconds: float | None = None,
    max_calls: int | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...


@overload
def tool(
    function: Callable[..., Any],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    inputs_from_state: Mapping[str, str] | None = None,
    outputs_to_state: Mapping[str, Mapping[str, Any]] | None = None,
    outputs_to_string: Mapping[str, Any] | None = None,
    timeout_seconds: float | None = None,
    max_calls: int | None = None,
) -> Tool: ...


def tool(
    function: Callable[..., Any] | None = None, /, **options: Any
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function, as `@tool` or `@tool(name=..., max_calls=...)`.

    Takes the options of `create_tool_from_function`.

    Raises:
        ToolDefinitionError: see `create_tool_from_function`.
    """
    if function is not None:
        return create_tool_from_function(function, **options)

    def decorate(function: Callable[..., Any]) -> Tool:
        return create_tool_from_function(function, **options)

    return decorate


def create_tool_from_function(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    inputs_from_state: Mapping[str, str] | None = None,
    outputs_to_state: Mapping[str, Mapping[str, Any]] | None = None,
    outputs_to_string: Mapping[str, Any] | None = None,
    timeout_seconds: float | None = None,
    max_calls: int | None = None,
) -> Tool:
    """Return a tool that calls `function`, sync or async.

    Name and description are the function's own unless given. Each parameter needs an annotation;
    its description is the first text in `Annotated`, else what the docstring says. Parameters typed
    State, CallContext or Callable, those mapped by `inputs_from_state`, and `*args` and `**kwargs`
    are hidden from the model.

    Raises:
        ToolDefinitionError: the name, a limit or a mapping cannot work.
        SchemaGenerationError: a parameter has no annotation, or none that JSON can express.
        TypeError: `function` cannot be called, or an entry of a mapping has the wrong type.
    """
    # pydantic and the docstring parser take longer to import than the rest of podium
    from podium.tools._docstrings import read_docs
    from podium.tools._schema import FunctionParameters

    if not callable(function):
        raise TypeError(f"tool() got {function!r:.60}, which cannot be called. Pass a function.")
    name = _name_of(function) if name is None else name
    check_texts(name, description or "")
    signature = read_signature(function, name, strict=True)
    mapped = inputs_from_state or {}
    check_inputs(name, mapped, signature)
    docs = read_docs(function)
    body = "async_function" if is_async(function) else "function"
    return Tool(
        name=name,
        description=docs.description if description is None else description,
        parameters=FunctionParameters(name, signature, set(mapped.values()), docs.parameters),
        inputs_from_state=inputs_from_state,
        outputs_to_state=outputs_to_state,
        outputs_to_string=outputs_to_string,
        timeout_seconds=timeout_seconds,
        max_calls=max_calls,
        **{body: function},
    )


def _name_of(function: Callable[..., Any]) -> str:
    """Return the name of the function, or of the class of a callable object."""
    plain = underlying(function)
    name = str(getattr(plain, "__name__", ""))
    return type(function).__name__ if name == "__call__" else name
