"""What makes a JSON schema usable for a tool: checked once, when the tool is built."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from podium.tools._json_schema import (
    JSON_TYPES,
    LISTED_SCHEMAS,
    MAX_SCHEMA_DEPTH,
    NAMED_SCHEMAS,
    is_closed,
    target_of,
    type_names,
)
from podium.tools._shapes import is_array, is_mapping, is_object
from podium.tools.errors import ToolDefinitionError, nearest

MAX_SCHEMA_NODES = 10_000
"""How many parts a schema may have."""

_SINGLE = (
    *("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"),
    *("unevaluatedProperties", "unevaluatedItems"),
)


class _Unusable(ValueError):
    """Says what is wrong with a schema, and what to do."""


def object_schema(schema: object, tool_name: str) -> dict[str, Any]:
    """Return a copy of `schema` that providers accept: an object with properties, plain JSON.

    A missing type or missing properties are added, `$schema` is dropped.

    Raises:
        ToolDefinitionError: it is not plain JSON, does not describe an object, or has a part that
            no check can use: an unknown type, a reference that leads nowhere or outside.
    """
    try:
        copy = _plain_copy(schema)
        copy.pop("$schema", None)
        copy.setdefault("type", "object")
        copy.setdefault("properties", {})
        if copy["type"] != "object":
            raise _Unusable(
                f"it describes {copy['type']!r}, but arguments are always an object. "
                'Wrap it: {"type": "object", "properties": {...}}.'
            )
        for part in _parts(copy):
            _check_part(part, copy)
        _check_required(copy)
    except (TypeError, ValueError, RecursionError) as error:
        mend = "" if isinstance(error, _Unusable) else ". Write it as plain JSON data."
        raise ToolDefinitionError(
            f"Tool {tool_name!r}: its parameters are no usable JSON schema: {error}{mend}",
            tool_name=tool_name,
        ) from error
    return copy


def _plain_copy(schema: object) -> dict[str, Any]:
    if not is_mapping(schema):
        raise _Unusable(f"it is {schema!r:.60}. Pass a dict such as {{'type': 'object'}}.")
    copy: dict[str, Any] = json.loads(json.dumps(dict(schema), allow_nan=False))
    return copy


def _parts(root: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield every schema object inside `root`, itself included."""
    waiting: list[tuple[object, int]] = [(root, 0)]
    for _ in range(MAX_SCHEMA_NODES):
        if not waiting:
            return
        part, depth = waiting.pop()
        if isinstance(part, bool):
            continue
        if not is_object(part):
            raise _Unusable(f"{part!r:.60} stands where a schema belongs. Write an object there.")
        if depth > MAX_SCHEMA_DEPTH:
            raise _Unusable(f"it is nested deeper than {MAX_SCHEMA_DEPTH} levels. Flatten it.")
        yield part
        waiting.extend((child, depth + 1) for child in _inner(part))
    raise _Unusable(f"it has more than {MAX_SCHEMA_NODES:,} parts. Split the tool.")


def _inner(schema: dict[str, Any]) -> Iterator[object]:
    for key in NAMED_SCHEMAS:
        if key in schema:
            if not is_object(schema[key]):
                raise _Unusable(f"its {key!r} is {schema[key]!r:.60}. Make it an object by name.")
            yield from schema[key].values()
    for key in LISTED_SCHEMAS:
        if key in schema:
            if not isinstance(schema[key], list) or not schema[key]:
                raise _Unusable(f"its {key!r} is {schema[key]!r:.60}. Make it a list of schemas.")
            yield from schema[key]
    for key in _SINGLE:
        if key in schema:
            yield schema[key]


def _check_part(part: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    unknown = sorted(type_names(part["type"]) - set(JSON_TYPES)) if "type" in part else []
    if unknown:
        raise _Unusable(f"the type {unknown[0]!r} does not exist.{nearest(unknown[0], JSON_TYPES)}")
    if "enum" in part and (not isinstance(part["enum"], list) or not part["enum"]):
        raise _Unusable(f"its 'enum' is {part['enum']!r:.60}. List at least one value.")
    required: object = part.get("required", [])
    if not is_array(required) or not all(isinstance(name, str) for name in required):
        raise _Unusable(f"its 'required' is {required!r:.60}. Make it a list of names.")
    if "$ref" in part:
        _check_reference(part["$ref"], root)


def _check_required(schema: Mapping[str, Any]) -> None:
    absent = [name for name in schema.get("required", ()) if name not in schema["properties"]]
    if absent and is_closed(schema):
        raise _Unusable(
            f"it requires {absent[0]!r}, which is not among its properties."
            f"{nearest(absent[0], schema['properties'])} Declare it, or do not require it."
        )


def _check_reference(reference: object, root: Mapping[str, Any]) -> None:
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise _Unusable(f"$ref {reference!r} points outside. Copy what it names into '$defs'.")
    if not is_mapping(target_of(reference, root)):
        raise _Unusable(f"$ref {reference!r} leads nowhere. Add what it names to '$defs'.")
