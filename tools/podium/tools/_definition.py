"""What makes a tool's definition usable: checked when it is built, not in the middle of a run."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from podium.tools._json_check import JsonParameters
from podium.tools._signature import EMPTY, Signature
from podium.tools._usable_schema import object_schema
from podium.tools.errors import ToolDefinitionError, nearest

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def is_async(function: Callable[..., Any]) -> bool:
    """Return whether calling `function` gives something to await or to iterate asynchronously."""
    faces: tuple[Any, ...] = (function,)
    if not inspect.isroutine(function):
        faces = (function, type(function).__call__)  # an object that can be called
    return any(inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one) for one in faces)


def check_texts(name: object, description: object) -> None:
    """Refuse a name that providers would refuse, and a description that is no text.

    Raises:
        ToolDefinitionError: one of them cannot be used.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ToolDefinitionError(
            f"{name!r:.80} cannot be a tool's name. Use 1 to 64 letters, digits, '_' or '-', "
            "as in name='get_weather'."
        )
    if not isinstance(description, str):
        raise _bad(name, f"its description is {description!r:.60}, not text", "Say what it does")


def check_functions(name: str, function: object, async_function: object) -> None:
    """Refuse a tool without a function, or with one in the other one's place.

    Raises:
        ToolDefinitionError: there is none, one cannot be called, or sync and async are swapped.
    """
    if function is None and async_function is None:
        raise _bad(name, "it has no function", "Pass function= or async_function=")
    for place, one in (("function", function), ("async_function", async_function)):
        if one is not None and not callable(one):
            raise _bad(name, f"{place} is {one!r:.60}, which cannot be called", "Pass a function")
    if callable(function) and is_async(function):
        raise _bad(name, f"function is async: {function!r:.60}", "Pass it as async_function=")
    if callable(async_function) and not is_async(async_function):
        raise _bad(
            name,
            f"async_function is {async_function!r:.60}, which is not async",
            "Pass it as function=, or make it async def",
        )


def check_limits(name: str, timeout_seconds: float | None, max_calls: int | None) -> None:
    """Refuse limits under which no call could run.

    Raises:
        ToolDefinitionError: a limit is not above zero.
    """
    if timeout_seconds is not None and not (timeout_seconds > 0 and math.isfinite(timeout_seconds)):
        raise _bad(name, f"timeout_seconds is {timeout_seconds!r}", "Give seconds above 0, or None")
    if max_calls is not None and max_calls < 1:
        raise _bad(name, f"max_calls is {max_calls!r}", "Give 1 or more, or None")


def check_inputs(name: str, inputs: Mapping[str, Any], signature: Signature) -> None:
    """Refuse an `inputs_from_state` that fills no parameter of the function.

    Raises:
        TypeError: it names a parameter by something else than text.
        ToolDefinitionError: the function has no such parameter.
    """
    for key, parameter in inputs.items():
        if not isinstance(parameter, str):
            raise TypeError(
                f"Tool {name!r}: inputs_from_state[{key!r}] is {parameter!r:.60}, not text. "
                "Name the parameter that the state key fills."
            )
        if not signature.is_open and parameter not in signature.parameters:
            raise _bad(
                name,
                f"inputs_from_state fills {parameter!r}, which the function does not take",
                "Name one that it takes",
                nearest(parameter, signature.parameters),
            )


def json_parameters(
    name: str, given: object, signature: Signature, inputs: Mapping[str, Any]
) -> JsonParameters:
    """Return the parameters of a hand-written schema, without those that a run fills.

    What the function cannot do without is required, whether the schema says so or not.

    Raises:
        ToolDefinitionError: the schema cannot be used, or does not fit the function.
    """
    schema = object_schema(given, name)
    hidden = [*inputs.values(), *signature.filled]
    shown = {key: one for key, one in schema["properties"].items() if key not in hidden}
    needed = [one.name for one in signature.parameters.values() if one.default is EMPTY]
    for key in () if signature.is_open else shown:
        if key not in signature.parameters:
            raise _bad(
                name,
                f"its schema has {key!r}, which the function does not take",
                "Use the same names in both",
                nearest(key, signature.parameters),
            )
    for key in needed:
        if key not in shown and key not in hidden:
            raise _bad(
                name,
                f"the function needs {key!r}, which nothing fills",
                "Add it to the schema or to inputs_from_state, or give it a default",
            )
    names = dict.fromkeys([*schema.pop("required", ()), *needed])
    required = [key for key in names if key not in hidden]
    schema["properties"] = shown
    if required:
        schema["required"] = required
    return JsonParameters(schema, signature)


def _bad(name: str, what: str, mend: str, choices: str = "") -> ToolDefinitionError:
    return ToolDefinitionError(f"Tool {name!r}: {what}. {mend}.{choices}", tool_name=name)
