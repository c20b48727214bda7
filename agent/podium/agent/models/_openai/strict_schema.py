"""Closing a JSON schema, as strict tools and strict structured output want it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

Schema = Mapping[str, Any]

_DEFS = "$defs"
_NOT_STRICT = frozenset({"oneOf", "allOf", "not", "if", "patternProperties", "prefixItems"})
_SAYS_WHAT = frozenset({"type", "enum", "const", "anyOf", "$ref"})


class _NotStrictError(Exception):
    """A schema allows what strict mode cannot express."""


def closed_schema(
    schema: Schema, *, optional: Literal["null", "required"] = "null"
) -> dict[str, Any] | None:
    """Return a copy in strict form, or None when the schema has none.

    In strict form objects take no other keys, all keys are required and defaults are left out. What
    was optional may be null, or is plainly required. A schema has no strict form where it leaves
    something open: a value of any kind, an object of any keys, a tuple. Recursion is fine.
    """
    root = {**_with_root_reference_resolved(schema), "type": "object"}
    if not root.get("properties") and not root.get("additionalProperties"):
        root["additionalProperties"] = False
    try:
        return _Closing(optional == "null").closed(root)
    except _NotStrictError:
        return None


def _with_root_reference_resolved(schema: Schema) -> Schema:
    """Return a root that is an object itself: strict mode takes no reference there."""
    name = str(schema.get("$ref", "")).removeprefix(f"#/{_DEFS}/")
    target = schema.get(_DEFS, {}).get(name)
    if target is None:
        return schema
    return {**target, _DEFS: schema[_DEFS]}


class _Closing:
    """One pass over a schema."""

    def __init__(self, nullable: bool) -> None:
        self._nullable = nullable

    def closed(self, schema: object) -> dict[str, Any]:
        if not isinstance(schema, Mapping):
            raise _NotStrictError
        given = cast("Schema", schema)
        if _NOT_STRICT & given.keys() or not _SAYS_WHAT & given.keys():
            raise _NotStrictError
        closed = {key: value for key, value in given.items() if key != "default"}
        if _DEFS in closed:
            closed[_DEFS] = {name: self.closed(value) for name, value in closed[_DEFS].items()}
        if "$ref" in closed and len(closed) > 1:
            closed["anyOf"] = [{"$ref": closed.pop("$ref")}]  # nothing may stand beside a reference
        elif "anyOf" in closed:
            closed["anyOf"] = [self.closed(choice) for choice in closed["anyOf"]]
        kinds = closed.get("type", ())
        if kinds == "array" or "array" in kinds:
            closed["items"] = self.closed(closed.get("items"))
        if kinds == "object" or "object" in kinds:
            self._close_object(closed)
        return closed

    def _close_object(self, closed: dict[str, Any]) -> None:
        """Close an object. Without named properties it takes any, unless it says it takes none."""
        properties: dict[str, Any] | None = closed.get("properties")
        others: object = closed.get("additionalProperties", properties is None)
        if others not in (False, None) and not (others is True and properties):
            raise _NotStrictError
        required = closed.get("required", ())
        closed["properties"] = {
            name: self.closed(value)
            if name in required or not self._nullable
            else _nullable(self.closed(value))
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
