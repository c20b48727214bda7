"""Reading JSON of any producer: what is not of the wanted kind counts as absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

Object = Mapping[str, object]
ChoiceT = TypeVar("ChoiceT", bound=str)

_MAX_TIME = 2**63 - 1
MAX_DEPTH = 64
"""How deep a value of an attribute is read; every question about a trace can go so deep."""
_NOTHING: Object = {}


def as_object(value: object) -> Object:
    """Return a JSON object; empty when the value is none."""
    return cast("Object", value) if isinstance(value, dict) else _NOTHING


def as_items(value: object) -> list[object]:
    """Return a JSON array; empty when the value is none."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_objects(value: object) -> list[Object]:
    """Return the objects in a JSON array."""
    return [cast("Object", each) for each in as_items(value) if isinstance(each, dict)]


def as_text(value: object) -> str:
    """Return text; empty when the value is none."""
    return value if isinstance(value, str) else ""


def as_int(value: object) -> int | None:
    """Return a whole number, also one written as text or with a fraction."""
    if type(value) is int:
        return value
    try:
        return int(value) if isinstance(value, str | float) else None
    except (ValueError, OverflowError):  # no number, or an infinite one
        return None


def shallow(value: object, depth: int = 0) -> object:
    """Return a value without what lies deeper in it than can be told; None stands there."""
    if not isinstance(value, dict | list):
        return value
    if depth >= MAX_DEPTH:
        return None
    if isinstance(value, list):
        return [shallow(each, depth + 1) for each in as_items(value)]  # pyright: ignore[reportUnknownArgumentType]
    return {key: shallow(each, depth + 1) for key, each in as_object(value).items()}  # pyright: ignore[reportUnknownArgumentType]


def as_time(value: object) -> int:
    """Return nanoseconds since 1970; 0 when the value is no time that OTLP can hold."""
    number = as_int(value) or 0
    return number if 0 < number <= _MAX_TIME else 0


def as_choice(value: object, choices: Sequence[ChoiceT]) -> ChoiceT:
    """Return what a number or a name such as SPAN_KIND_CLIENT stands for; else the first."""
    if isinstance(value, int):
        return choices[value] if 0 <= value < len(choices) else choices[0]
    said = as_text(value).rpartition("_")[2].lower()
    return next((choice for choice in choices if choice == said), choices[0])
