"""JSON schemas as data: where references lead, what types they admit, how they read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.tools._shapes import is_array, is_mapping, is_object

JSON_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
"""The names of JSON's types."""
MAX_SCHEMA_DEPTH = 64
"""How deep a schema may be nested, and how many references may follow each other."""
NAMED_SCHEMAS = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
"""Keywords that hold schemas by name."""
LISTED_SCHEMAS = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords that hold a list of schemas."""

_OPEN_ROOT = ("$ref", "anyOf", "oneOf", "allOf", "if", "patternProperties", "additionalProperties")
_DATA = ("default", "enum", "const", "examples", "required", "discriminator")
_SHOWN_VALUES = 8


def is_closed(schema: Mapping[str, Any]) -> bool:
    """Return whether the names in `properties` are all there are."""
    return not any(schema.get(key) for key in _OPEN_ROOT)


def resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that `schema`'s `$ref` points to in `root`, with what stands beside it."""
    for _ in range(MAX_SCHEMA_DEPTH):
        reference = schema.get("$ref")
        if reference is None:
            return schema
        target = target_of(reference, root)
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**target, **beside} if is_mapping(target) else beside
    return {}  # references in a circle say nothing, so everything fits


def target_of(reference: str, root: Mapping[str, Any]) -> object:
    """Return what a local `$ref` points to in `root`; None when it leads nowhere."""
    found: object = root
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if is_array(found) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            found = found.get(name) if is_mapping(found) else None
    return found


def admitted_types(
    schema: object, root: Mapping[str, Any], seen: dict[int, frozenset[str]] | None = None
) -> frozenset[str]:
    """Return the names of the JSON types that `schema` lets through.

    `seen` remembers parts by identity, so that shared or circular references cost nothing twice.
    """
    seen = {} if seen is None else seen
    found = frozenset(JSON_TYPES)
    if not is_mapping(schema) or id(schema) in seen:
        return seen.get(id(schema), found)
    seen[id(schema)] = found
    plain = resolved(schema, root)
    if "type" in plain:
        found &= type_names(plain["type"])
    if "number" in found:
        found |= {"integer"}
    if "const" in plain or "enum" in plain:
        found &= {type_name(value) for value in plain.get("enum", [plain.get("const")])}
    for key in ("anyOf", "oneOf"):
        if key in plain:
            found &= frozenset[str]().union(
                *(admitted_types(one, root, seen) for one in plain[key])
            )
    for one in plain.get("allOf", ()):
        found &= admitted_types(one, root, seen)
    seen[id(schema)] = found
    return found


def is_optional(root: Mapping[str, Any], path: Sequence[str | int]) -> bool:
    """Return whether `path` leads to a property that its object can do without."""
    places: list[Mapping[str, Any]] = list(_forms(root, root))
    for step in path[:-1]:
        inner = [place.get("properties", {}).get(step, place.get("items")) for place in places]
        places = [form for one in inner if is_mapping(one) for form in _forms(one, root)]
    return any(
        name in place.get("properties", {}) and name not in place.get("required", ())
        for place in places
        for name in path[-1:]
    )


def type_names(kind: object) -> frozenset[str]:
    """Return the names in a `type`, which may be one or a list."""
    names: list[object] = kind if is_array(kind) else [kind]
    return frozenset(str(name) for name in names)


def type_name(value: object) -> str:
    """Return the JSON type of a Python value."""
    if value is None:
        return "null"
    for kinds, name in _TYPE_OF:
        if isinstance(value, kinds):
            return name
    return "object"


def described_parameters(schema: Mapping[str, Any]) -> list[str]:
    """Return each parameter of an object schema in words, such as `limit (integer, required)`."""
    required = schema.get("required", ())
    return [
        f"{name} ({_in_words(one, schema)}{', required' if name in required else ''})"
        for name, one in schema["properties"].items()
    ]


def without_titles(schema: Any) -> Any:
    """Return a copy of `schema` without `title` keywords; properties of that name stay."""
    if is_array(schema):
        return [without_titles(one) for one in schema]
    if not is_object(schema):
        return schema
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key in NAMED_SCHEMAS and is_object(value):
            copy[key] = {name: without_titles(one) for name, one in value.items()}
        elif key in _DATA:
            if key != "default" or _is_plain(value):
                copy[key] = value
        elif key != "title":
            copy[key] = without_titles(value)
    return copy


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _forms(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a schema with its reference followed, and each form it offers."""
    plain = resolved(schema, root)
    yield plain
    for choice in plain.get("anyOf", ()):
        yield from _forms(choice, root)


def _in_words(schema: Any, root: Mapping[str, Any]) -> str:
    plain: Mapping[str, Any] = resolved(schema, root) if is_mapping(schema) else {}
    values: Sequence[Any] = plain.get("enum", [plain["const"]] if "const" in plain else [])
    if values:
        shown = ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:_SHOWN_VALUES])
        more = len(values) - _SHOWN_VALUES
        return f"one of {shown}" + (f" and {more} more" if more > 0 else "")
    kinds = admitted_types(plain, root)
    if len(kinds) == len(JSON_TYPES):
        return "any value"
    return " or ".join(sorted(kinds - ({"integer"} if "number" in kinds else set())))


_TYPE_OF: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    ((list, tuple), "array"),
)
