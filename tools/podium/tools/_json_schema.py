"""JSON schemas as data: what makes one usable for a tool, what types it admits, how it reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from podium.tools._shapes import is_array, is_mapping, is_object
from podium.tools.errors import ToolDefinitionError, nearest

JSON_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
MAX_SCHEMA_NODES = 10_000
MAX_SCHEMA_DEPTH = 64

_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = (
    *("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
_OPEN_ROOT = ("$ref", "anyOf", "oneOf", "allOf", "if", "patternProperties", "additionalProperties")
_DATA = ("default", "enum", "const", "examples", "required", "discriminator")
_SHOWN_VALUES = 8


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


def is_closed(schema: Mapping[str, Any]) -> bool:
    """Return whether the names in `properties` are all there are."""
    return not any(schema.get(key) for key in _OPEN_ROOT)


def resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that `schema`'s `$ref` points to in `root`, with what stands beside it."""
    for _ in range(MAX_SCHEMA_DEPTH):
        reference = schema.get("$ref")
        if reference is None:
            return schema
        target = _target(reference, root)
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**target, **beside} if is_mapping(target) else beside
    return {}  # references in a circle say nothing, so everything fits


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
        found &= _names(plain["type"])
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
        if key in _NAMED and is_object(value):
            copy[key] = {name: without_titles(one) for name, one in value.items()}
        elif key in _DATA:
            if key != "default" or _is_plain(value):
                copy[key] = value
        elif key != "title":
            copy[key] = without_titles(value)
    return copy


def _plain_copy(schema: object) -> dict[str, Any]:
    if not is_mapping(schema):
        raise _Unusable(f"it is {schema!r:.60}. Pass a dict such as {{'type': 'object'}}.")
    copy: dict[str, Any] = json.loads(json.dumps(dict(schema), allow_nan=False))
    return copy


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


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
    for key in _NAMED:
        if key in schema:
            if not is_object(schema[key]):
                raise _Unusable(f"its {key!r} is {schema[key]!r:.60}. Make it an object by name.")
            yield from schema[key].values()
    for key in _LISTED:
        if key in schema:
            if not isinstance(schema[key], list) or not schema[key]:
                raise _Unusable(f"its {key!r} is {schema[key]!r:.60}. Make it a list of schemas.")
            yield from schema[key]
    for key in _SINGLE:
        if key in schema:
            yield schema[key]


def _check_part(part: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    unknown = sorted(_names(part["type"]) - set(JSON_TYPES)) if "type" in part else []
    if unknown:
        raise _Unusable(f"the type {unknown[0]!r} does not exist.{nearest(unknown[0], JSON_TYPES)}")
    if "enum" in part and (not isinstance(part["enum"], list) or not part["enum"]):
        raise _Unusable(f"its 'enum' is {part['enum']!r:.60}. List at least one value.")
    required: object = part.get("required", [])
    if not is_array(required) or not all(isinstance(name, str) for name in required):
        raise _Unusable(f"its 'required' is {required!r:.60}. Make it a list of names.")
    if "$ref" in part:
        _target(part["$ref"], root)


def _check_required(schema: Mapping[str, Any]) -> None:
    absent = [name for name in schema.get("required", ()) if name not in schema["properties"]]
    if absent and is_closed(schema):
        raise _Unusable(
            f"it requires {absent[0]!r}, which is not among its properties."
            f"{nearest(absent[0], schema['properties'])} Declare it, or do not require it."
        )


def _target(reference: object, root: Mapping[str, Any]) -> object:
    """Return what a `$ref` points to."""
    found: object = root
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise _Unusable(f"$ref {reference!r} points outside. Copy what it names into '$defs'.")
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if (
            isinstance(found, list)
            and name.isdigit()
            and int(name) < len(cast("list[object]", found))
        ):
            found = cast("list[object]", found)[int(name)]
        elif isinstance(found, Mapping) and name in found:
            found = cast("Mapping[str, object]", found)[name]
        else:
            raise _Unusable(f"$ref {reference!r} leads nowhere. Add what it names to '$defs'.")
    return found


def _names(kind: object) -> frozenset[str]:
    names: list[object] = kind if is_array(kind) else [kind]
    return frozenset(str(name) for name in names)


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
