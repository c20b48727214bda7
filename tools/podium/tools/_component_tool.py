"""ComponentTool: any object with a typed `run` as a tool."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from podium.tools._definition import check_inputs, check_texts, is_async
from podium.tools._signature import read_signature
from podium.tools._threads import run_in_thread
from podium.tools._tool import Tool

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class ComponentTool(Tool):
    """A tool that calls the `run` of an object, or its `run_async`, where it has one."""

    def __init__(
        self,
        component: object,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        *,
        inputs_from_state: Mapping[str, str] | None = None,
        outputs_to_state: Mapping[str, Mapping[str, Any]] | None = None,
        outputs_to_string: Mapping[str, Any] | None = None,
        timeout_seconds: float | None = None,
        max_calls: int | None = None,
    ) -> None:
        """Make a tool of `component`; it is shared by all calls, so it must bear being so.

        The name is the class's in snake case, the description what the class or else `run` is
        documented by, the parameters those of `run`, unless given. What warms the component up or
        closes it, is called with the tool.

        Raises:
            TypeError: `component` is a class, or has no `run`.
            ToolDefinitionError: the name, a limit or a mapping cannot work.
            SchemaGenerationError: a parameter has no annotation, or none that JSON can express.
        """
        body, async_body = _bodies(component)
        kind = type(component)
        self.component = component
        name = _WORD_START.sub("_", kind.__name__).lower() if name is None else name
        check_texts(name, description or "")
        # pydantic and the docstring parser take longer to import than the rest of podium
        from podium.tools._docstrings import read_docs
        from podium.tools._schema import FunctionParameters

        typed: Any = async_body or body
        docs = read_docs(typed)
        shown: Any = parameters
        if parameters is None:
            mapped = inputs_from_state or {}
            signature = read_signature(typed, name, strict=True)
            check_inputs(name, mapped, signature)
            shown = FunctionParameters(name, signature, set(mapped.values()), docs.parameters)
        super().__init__(
            name,
            (_own_docs(kind) or docs.description) if description is None else description,
            shown,
            body,
            async_function=async_body,
            inputs_from_state=inputs_from_state,
            outputs_to_state=outputs_to_state,
            outputs_to_string=outputs_to_string,
            timeout_seconds=timeout_seconds,
            max_calls=max_calls,
        )

    def warm_up(self) -> None:
        """Call the component's `warm_up`, if it has one."""
        _call(self.component, "warm_up")

    async def warm_up_async(self) -> None:
        """Call the component's `warm_up_async`, or its `warm_up` in a worker thread."""
        await _call_async(self.component, "warm_up")

    def close(self) -> None:
        """Call the component's `close`, if it has one."""
        _call(self.component, "close")

    async def close_async(self) -> None:
        """Call the component's `close_async`, or its `close` in a worker thread."""
        await _call_async(self.component, "close")


def _bodies(component: object) -> tuple[Callable[..., Any] | None, Callable[..., Any] | None]:
    """Return the component's `run` and `run_async`, each where it is what its name says."""
    if isinstance(component, type):
        raise TypeError(
            f"ComponentTool got the class {component.__name__}. "
            f"Make an object of it first, as in ComponentTool({component.__name__}(...))."
        )
    run, run_async = getattr(component, "run", None), getattr(component, "run_async", None)
    if not callable(run) and not callable(run_async):
        raise TypeError(
            f"ComponentTool got a {type(component).__name__}, which has no run: "
            f"{component!r:.60}. Give it a run method, or use @tool for a function."
        )
    if callable(run) and is_async(run):
        run, run_async = None, run_async if callable(run_async) else run
    return run if callable(run) else None, run_async if callable(run_async) else None


def _own_docs(kind: type) -> str:
    """Return what a class says of itself, not what a dataclass or a base class says for it."""
    text = inspect.cleandoc(kind.__dict__.get("__doc__") or "")
    return "" if text.startswith(f"{kind.__name__}(") else text


def _call(component: object, what: str) -> None:
    method = getattr(component, what, None)
    if not callable(method):
        return
    if is_async(method):
        raise TypeError(
            f"{what} of the component {type(component).__name__} is async, so it cannot be called "
            f"here. Await the tool's {what}_async()."
        )
    method()


async def _call_async(component: object, what: str) -> None:
    method, plain = getattr(component, f"{what}_async", None), getattr(component, what, None)
    if not callable(method):
        if not (callable(plain) and is_async(plain)):
            return await run_in_thread(_call, component, what)
        method = plain
    outcome: object = method()
    if inspect.isawaitable(outcome):
        await outcome
    return None
