"""Closing a JSON schema, as strict tools and strict structured output want it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

Schema = Mapping[str, Any]

_DEFS = "$defs"
_NOT_STRICT = frozenset({"oneOf", "allOf", "not", "if", "patternProperties", "prefixItems"})
_SAYS_WHAT = frozenset({"type", "enum", "const", "anyOf", "$ref"})


class _NotStrictError(Exception):
    """A schema allows what strict mode cannot express."""


def closed_schema(schema: Schema) -> dict[str, Any] | None:
    """Return a copy in strict form, or None when the schema has none.

    In strict form objects take no other keys, all keys are required, those that were optional may
    be null, and defaults are left out. A schema has none where it leaves something open: a value
    of any kind, an object of any keys, a tuple. Recursive schemas are fine.
    """
    root = _with_root_reference_resolved(schema)
    if not root.get("properties") and not root.get("additionalProperties"):
        root = {**root, "properties": {}, "additionalProperties": False}
    try:
        return _closed({**root, "type": "object"})
    except _NotStrictError:
        return None


def _with_root_reference_resolved(schema: Schema) -> Schema:
    """Return a root that is an object itself: strict mode takes no reference there."""
    name = str(schema.get("$ref", "")).removeprefix(f"#/{_DEFS}/")
    target = schema.get(_DEFS, {}).get(name)
    if target is None:
        return schema
    return {**target, _DEFS: schema[_DEFS]}


def _closed(schema: object) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        raise _NotStrictError
    given = cast("Schema", schema)
    if _NOT_STRICT & given.keys() or not _SAYS_WHAT & given.keys():
        raise _NotStrictError
    closed = {key: value for key, value in given.items() if key != "default"}
    if _DEFS in closed:
        closed[_DEFS] = {name: _closed(value) for name, value in closed[_DEFS].items()}
    if "$ref" in closed and len(closed) > 1:
        closed["anyOf"] = [{"$ref": closed.pop("$ref")}]  # a reference may stand beside nothing
    elif "anyOf" in closed:
        closed["anyOf"] = [_closed(choice) for choice in closed["anyOf"]]
    kinds = closed.get("type", ())
    if kinds == "array" or "array" in kinds:
        closed["items"] = _closed(closed.get("items"))
    if kinds == "object" or "object" in kinds:
        _close_object(closed)
    return closed


def _close_object(closed: dict[str, Any]) -> None:
    """Close an object; one that names no properties would take any, unless it says it takes none."""
    properties: dict[str, Any] | None = closed.get("properties")
    open_for: object = closed.get("additionalProperties", properties is None)
    if open_for not in (False, None) and (open_for is not True or not properties):
        raise _NotStrictError
    required = closed.get("required", ())
    closed["properties"] = {
        name: _closed(value) if name in required else _nullable(_closed(value))
        for name, value in (properties or {}).items()
    }
    closed["required"] = list(closed["properties"])
    closed["additionalProperties"] = False


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type", ())
    if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return schema
    if any(choice.get("type") == "null" for choice in schema.get("anyOf", ())):
        return schema
    return {"anyOf": [schema, {"type": "null"}]}
