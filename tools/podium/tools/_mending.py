"""What pydantic found wrong: mended where it can mean one thing only, else put into words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from podium.tools._arguments import copy_json, decode_container
from podium.tools._enum_members import member_meant
from podium.tools._json_schema import is_optional
from podium.tools._problems import missing, wrong

_WANTED = {
    "list_type": "an array",
    "tuple_type": "an array",
    "set_type": "an array",
    "frozen_set_type": "an array",
    "deque_type": "an array",
    "sequence_str": "an array",
    "named_tuple_type": "an array or an object",
    "dict_type": "an object",
    "mapping_type": "an object",
    "ordered_dict_type": "an object",
    "counter_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dataclass_type": "an object",
}
"""pydantic's error types that say a value is no array or object, and what belongs there."""

_MEMBER_WANTED = ("literal_error", "enum")
_MEMBER = re.compile(r"<[\w.]+: ([^<>]*)>")  # how Python shows one, with the value that is sent


def mended(
    name: str, given: object, error: ValidationError, schema: Mapping[str, Any], core_schema: object
) -> Any:
    """Return a copy of `given` with what can only be meant one way put right; None if nothing is.

    Models sometimes encode a nested value twice: text is decoded, once, where an array or object
    belongs. Strict schemas make them send null for what they leave out: it is left out where
    `schema` lets it be. The value of an enum's member stands for the member. Only the places that
    the check complains about are touched, so a text that happens to look like JSON stays text.
    """
    holder: dict[str, Any] = {name: copy_json(given)}
    changed = False
    for detail in _details(error):
        path = _path(holder, (name, *detail["loc"]))
        parent = _reach(holder, path[:-1])
        if parent[path[-1]] is not detail["input"]:
            continue  # a container, or a place that an earlier detail has led to
        if detail["input"] is None and is_optional(schema, path[1:]):
            del parent[path[-1]]
            changed = True
        elif (better := _meant(detail, core_schema)) is not None:
            parent[path[-1]] = better
            changed = True
    return holder[name] if changed else None


def _meant(detail: ErrorDetails, core_schema: object) -> object:
    """Return what stands for the refused value, if there is one such thing; else None."""
    given = detail["input"]
    if detail["type"] in _MEMBER_WANTED:
        return member_meant(given, detail["msg"], core_schema)
    if detail["type"] in _WANTED and isinstance(given, str):
        return decode_container(given)
    return None


def explained(name: str, given: object, error: ValidationError) -> Iterator[str]:
    """Yield each thing that is wrong, once, with its place and what was there instead."""
    seen: set[str] = set()
    for detail in _details(error):
        path = _path({name: given}, (name, *detail["loc"]))
        if detail["type"] == "missing":
            told = missing(_dotted([*path, detail["loc"][-1]]))
        else:
            told = wrong(_dotted(path), _rule(detail), detail["input"])
        if told not in seen:
            seen.add(told)
            yield told


def _details(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False, include_context=False)


def _rule(detail: ErrorDetails) -> str:
    wanted = _WANTED.get(detail["type"])
    if wanted is not None:
        return f"should be {wanted}"
    told = detail["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return _MEMBER.sub(r"\1", told)


def _path(holder: dict[str, Any], location: tuple[str | int, ...]) -> list[str | int]:
    """Return the steps of `location` that lead through the data; union members are no such step."""
    steps: list[str | int] = []
    value: Any = holder
    for step in location:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            continue
        steps.append(step)
    return steps


def _reach(holder: Any, steps: list[str | int]) -> Any:
    for step in steps:
        holder = holder[step]
    return holder


def _dotted(path: list[str | int]) -> str:
    return ".".join(str(step) for step in path)
