"""`@hook`: a function as a hook."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, cast

from podium.tools import State
from podium.tools._definition import is_async

HookFunction = Callable[[State], None]
AsyncHookFunction = Callable[[State], Awaitable[None]]


class FunctionHook:
    """A hook made of a plain function, an async one, or both; made by `@hook`.

    Raises:
        ValueError: no function, one of the wrong kind, or one that does not take exactly the state.
    """

    def __init__(
        self,
        function: HookFunction | None = None,
        async_function: AsyncHookFunction | None = None,
    ) -> None:
        """Check the functions and keep them."""
        if function is None and async_function is None:
            raise ValueError("FunctionHook got neither function nor async_function. Give one.")
        if function is not None:
            _check(function, awaited=False)
        if async_function is not None:
            _check(async_function, awaited=True)
            self.run_async = async_function
        self.function = function
        self.async_function = async_function
        self.name = str(getattr(function or async_function, "__name__", "hook"))

    def run(self, state: State) -> None:
        """Call the plain function; an async hook is awaited by the agent instead."""
        if self.function is None:
            raise TypeError(
                f"Hook {self.name!r} is async and was called without await. "
                "Await hook.run_async(state), as agents do."
            )
        outcome: object = self.function(state)
        if inspect.iscoroutine(outcome):
            outcome.close()  # it has not begun, and nobody will await it
            raise TypeError(
                f"Hook {self.name!r} is a plain function that returned a coroutine, so nothing was "
                "done. Make it an async def, which agents await."
            )

    def __repr__(self) -> str:
        """Return the name of the function."""
        return f"FunctionHook({self.name})"


def hook(function: HookFunction | AsyncHookFunction) -> FunctionHook:
    """Return a hook that calls `function(state)`; plain functions run in a worker thread.

    Raises:
        ValueError: the function does not take exactly one argument, the state.
    """
    if is_async(function):
        return FunctionHook(async_function=cast("AsyncHookFunction", function))
    return FunctionHook(cast("HookFunction", function))


def _check(function: Callable[..., Any], *, awaited: bool) -> None:
    name = getattr(function, "__name__", repr(function))
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ValueError(
            f"Hook function {name!r} yields, so a call would do nothing. Write it without yield."
        )
    if is_async(function) != awaited:
        kind, place = ("async", "async_function") if not awaited else ("plain", "function")
        raise ValueError(f"Hook function {name!r} is {kind}. Pass it as {place}=, or use @hook.")
    parameters = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    ]
    annotation = parameters[0].annotation if parameters else None
    fits = annotation in (State, "State", inspect.Parameter.empty)
    if len(parameters) != 1 or not fits:
        raise ValueError(
            f"Hook function {name!r} takes {len(parameters)} parameters"
            + ("" if fits else f", the first annotated {annotation!r}")
            + f". Write it as def {name}(state: State) -> None."
        )
