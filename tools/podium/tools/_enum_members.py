"""Members of enums that a schema shows by their values, found again when a model sends one."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from pydantic_core import to_jsonable_python

from podium.tools._shapes import is_array, is_mapping


def member_meant(given: object, complaint: str, core_schema: object) -> Enum | None:
    """Return the one member that `given` is the JSON form of, where `complaint` asks for it.

    pydantic takes the value of an enum's member for the member where the type is the enum, but not
    in `Literal[Color.RED]`, and no array for a tuple.
    """
    found = [
        member
        for member in dict.fromkeys(_members(core_schema))
        if _is_named(member, complaint) and _json_form(member) == given
    ]
    return found[0] if len(found) == 1 else None


def _is_named(member: Enum, complaint: str) -> bool:
    return repr(member) in complaint or repr(member.value) in complaint


def _json_form(member: Enum) -> object:
    return to_jsonable_python(member.value, fallback=repr)


def _members(schema: object) -> Iterator[Enum]:
    """Yield the members in the literals and enums of pydantic's own schema."""
    if is_mapping(schema):
        listed = schema.get("expected", schema.get("members"))
        if schema.get("type") in ("literal", "enum") and is_array(listed):
            yield from (one for one in listed if isinstance(one, Enum))
        for key, value in schema.items():
            if key not in ("metadata", "default"):
                yield from _members(value)
    elif is_array(schema):
        for one in schema:
            yield from _members(one)
