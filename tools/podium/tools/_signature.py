"""Which parameters a tool's function has, and which of them podium fills in itself."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from podium.tools._context import CallContext
from podium.tools._state import State
from podium.tools.errors import SchemaGenerationError

Filling = Literal["state", "context", "streaming_callback"]
"""What podium puts into a parameter: the run's state, the call's context, the run's callback."""

EMPTY = inspect.Parameter.empty
"""Stands for an annotation or a default that is not there."""

_CALLABLE: Any = collections.abc.Callable
_Kind = Literal["state", "context", "callable"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that the model or the state fills."""

    name: str
    """Its name."""
    annotation: Any
    """Its type with postponed annotations resolved; EMPTY without one."""
    default: Any
    """Its default; EMPTY without one."""


@dataclass(frozen=True, slots=True)
class Signature:
    """How a tool's function wants to be called."""

    parameters: Mapping[str, Parameter]
    """What must come from outside, by name and in order; `*args` and `**kwargs` are left out."""
    filled: Mapping[str, Filling]
    """What podium fills in, hidden from the model."""
    is_open: bool
    """Whether any other name is taken too: there is a `**kwargs`, or nobody knows."""


def read_signature(function: Callable[..., Any], tool_name: str, *, strict: bool) -> Signature:
    """Return how `function` wants to be called.

    With `strict`, every annotation must be resolvable; without, an unknown one counts as none, and
    a function that hides its signature is open.

    Raises:
        SchemaGenerationError: an annotation names something unknown, a parameter is positional
            only, or a callable without a default that nobody can fill.
    """
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError) as error:
        if strict:
            raise SchemaGenerationError(
                f"Tool {tool_name!r}: {function!r} does not tell its parameters ({error}). "
                "Wrap it in a function with annotated parameters.",
                tool_name=tool_name,
            ) from error
        return Signature({}, {}, True)
    parameters: dict[str, Parameter] = {}
    filled: dict[str, Filling] = {}
    is_open = False
    for one in _still_open(function, found):
        if one.kind is one.VAR_KEYWORD:
            is_open = True
        elif one.kind is not one.VAR_POSITIONAL:
            _check_kind(one, tool_name)
            annotation = _annotation(function, one, tool_name, strict)
            kind = _filled_kind(annotation)
            if kind is None:
                parameters[one.name] = Parameter(one.name, annotation, one.default)
            elif kind != "callable":
                filled[one.name] = kind
            elif one.name == "streaming_callback":
                filled[one.name] = "streaming_callback"
            else:
                _check_default(one, tool_name)
    return Signature(parameters, filled, is_open)


def underlying(function: Callable[..., Any]) -> Any:
    """Return the plain function below partials, wrappers, bound methods and callable objects."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = inspect.unwrap(function)
        elif inspect.isroutine(function) or isinstance(function, type):
            return function
        else:
            function = type(function).__call__


def _still_open(function: Callable[..., Any], found: inspect.Signature) -> list[inspect.Parameter]:
    """Return the parameters of `found` without those that a partial has fixed by keyword."""
    fixed = function.keywords if isinstance(function, functools.partial) else {}
    return [one for one in found.parameters.values() if one.name not in fixed]


def _check_kind(one: inspect.Parameter, tool_name: str) -> None:
    if one.kind is one.POSITIONAL_ONLY:
        raise SchemaGenerationError(
            f"Tool {tool_name!r}: parameter {one.name!r} is positional-only, but a model gives "
            "arguments by name. Remove the '/' from the signature.",
            tool_name=tool_name,
        )


def _check_default(one: inspect.Parameter, tool_name: str) -> None:
    if one.default is EMPTY:
        raise SchemaGenerationError(
            f"Tool {tool_name!r}: parameter {one.name!r} is a callable, which no model can send, "
            "and has no default. Give it one, or bind it with functools.partial.",
            tool_name=tool_name,
        )


def _filled_kind(annotation: Any) -> _Kind | None:
    """Return what the type says podium must fill in, looking through Optional and Annotated."""
    if isinstance(annotation, type):
        if issubclass(annotation, State):
            return "state"
        if issubclass(annotation, CallContext):
            return "context"
        return "callable" if annotation is _CALLABLE else None
    origin = get_origin(annotation)
    if origin is Annotated:
        return _filled_kind(get_args(annotation)[0])
    if origin is Union or origin is types.UnionType:
        members = [one for one in get_args(annotation) if one is not types.NoneType]
        first = _filled_kind(members[0])
        return first if all(_filled_kind(one) == first for one in members) else None
    return "callable" if origin is _CALLABLE else None


def _annotation(
    function: Callable[..., Any], one: inspect.Parameter, tool_name: str, strict: bool
) -> Any:
    if one.annotation is EMPTY or isinstance(one.annotation, type):
        return one.annotation
    names: dict[str, Any] = getattr(underlying(function), "__globals__", {})
    try:
        try:
            return _evaluated(one.annotation, names, None)
        except NameError:
            # A name imported for type checkers only, or one local to the function that defines
            # the tool: the first can be one of ours, the second stands in the caller's frame.
            ours = {"State": State, "CallContext": CallContext, "Callable": Callable}
            return _evaluated(one.annotation, {**ours, **names}, _callers_names())
    except Exception as error:  # evaluating an annotation runs whatever was written there
        if not strict:
            return EMPTY
        raise SchemaGenerationError(
            f"Tool {tool_name!r}: the annotation {one.annotation!r} of parameter {one.name!r} "
            f"cannot be resolved ({error}). Import or define what it names at module level.",
            tool_name=tool_name,
        ) from error


def _evaluated(annotation: Any, names: dict[str, Any], local: dict[str, Any] | None) -> Any:
    def holder() -> None: ...

    holder.__annotations__ = {"it": annotation}
    return typing.get_type_hints(holder, names, local, include_extras=True)["it"]


def _callers_names() -> dict[str, Any]:
    """Return the local names where the tool is being made: the nearest frame outside this part."""
    frame = inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("podium.tools."):
        frame = frame.f_back
    return {} if frame is None else dict(frame.f_locals)
