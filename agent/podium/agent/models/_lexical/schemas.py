"""What a JSON schema allows: its plain variants, whether a value fits, the plainest value."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final, TypeGuard

Schema = Mapping[str, Any]

MAX_DEPTH = 8
MAX_VARIANTS = 32
MAX_STEPS = 200
"""A schema that refers to itself is followed for so many steps."""

_FORMATS = {
    "date": re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)"),
    "date-time": re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)T[01]\d:[0-5]\d:[0-5]\dZ"),
    "time": re.compile(r"[01]\d:[0-5]\d:[0-5]\d"),
    "email": re.compile(r"[\w+-]{1,60}@[a-zA-Z]{1,60}\.[a-zA-Z]{2,10}"),
    "uri": re.compile(r"https?://[a-zA-Z][\w-]*(?:\.[a-zA-Z][\w-]*)*(?:/[\w./~-]*)?"),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    "path": re.compile(r"[^\0\n]+"),
    "file-path": re.compile(r"[^\0\n]+"),
}
_TYPES: dict[object, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
_PLAIN: dict[str, object] = {
    "string": "",
    "integer": 0,
    "number": 0,
    "boolean": False,
    "array": [],
    "object": {},
    "null": None,
    "": "",
}


class Nothing:
    """The type of NOTHING."""


NOTHING: Final = Nothing()
"""No value: JSON's null is a value of its own."""


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether `value` is an object of JSON."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Return whether `value` is an array of JSON."""
    return isinstance(value, list)


def mapping_in(value: object) -> Mapping[str, Any]:
    """Return `value` if it is an object of JSON, else an empty one."""
    return value if is_mapping(value) else {}


def list_in(value: object) -> list[Any]:
    """Return `value` if it is an array of JSON, else an empty one."""
    return value if is_list(value) else []


def kind_of(schema: Schema) -> str:
    """Return the JSON type of a plain schema; empty when it names none."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in schema else ""


def variants(schema: Schema, root: Schema) -> list[Schema]:
    """Return the plain schemas that `schema` allows: references followed, each type on its own."""
    plain: list[Schema] = []
    waiting: list[tuple[Schema, int]] = [(schema, 0)]
    for _ in range(MAX_STEPS):
        if not waiting or len(plain) == MAX_VARIANTS:
            break
        item, depth = waiting.pop(0)
        below = _alternatives(item, root)
        if below is None:
            plain.append(item)
        elif depth < MAX_DEPTH:
            waiting[:0] = [(part, depth + 1) for part in below[:MAX_VARIANTS]]
    return plain


def _alternatives(schema: Schema, root: Schema) -> list[Schema] | None:
    """Return what `schema` splits into; None when it is plain."""
    joins = ("$ref", "anyOf", "oneOf", "allOf")
    rest = {key: value for key, value in schema.items() if key not in joins}
    if "$ref" in schema:
        target = _resolved(schema["$ref"], root)
        return [{**target, **rest}] if target else []
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return [{**rest, **mapping_in(item)} for item in list_in(schema[key])]
    if "allOf" in schema:
        return [_merged([*list_in(schema["allOf"]), rest])]
    if isinstance(schema.get("type"), list):
        return [{**schema, "type": kind} for kind in schema["type"] if isinstance(kind, str)]
    return None


def _resolved(reference: object, root: Schema) -> Schema:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return {}
    target: Schema = root
    for step in reference.split("/")[1:]:
        target = mapping_in(target.get(step.replace("~1", "/").replace("~0", "~")))
    return target


def _merged(schemas: list[Any]) -> Schema:
    merged: dict[str, Any] = {}
    for item in map(mapping_in, schemas):
        properties = {**properties_of(merged), **properties_of(item)}
        required = [*required_of(merged), *required_of(item)]
        merged.update(item)
        merged.update({"properties": properties, "required": required} if properties else {})
    return merged


def plainest(schema: Schema, root: Schema) -> object:
    """Return the default of a plain schema, or its first or smallest value; NOTHING if unsure."""
    low = bound(schema, "minimum", bound(schema, "exclusiveMinimum", 0))
    candidates: list[object] = [schema[key] for key in ("default", "const") if key in schema]
    candidates += [*list_in(schema.get("enum"))[:1], *list_in(schema.get("examples"))[:1]]
    candidates.append(_PLAIN.get(kind_of(schema), NOTHING))
    if kind_of(schema) in ("integer", "number"):
        candidates.extend((1, low, low + 1, schema.get("maximum")))
    return next((value for value in candidates if fits(value, schema, root)), NOTHING)


def fits(value: object, schema: object, root: Schema, depth: int = 0) -> bool:
    """Return whether `value` surely fits `schema`; False also where that cannot be told."""
    if isinstance(value, Nothing) or depth > MAX_DEPTH:
        return False
    allowed = variants(mapping_in(schema), root)
    return any(_fits_plain(value, plain, root, depth) for plain in allowed)


def _fits_plain(value: object, schema: Schema, root: Schema, depth: int) -> bool:
    kind = kind_of(schema)
    if kind and not _is_a(value, kind):
        return False
    if "const" in schema and not _same(value, schema["const"]):
        return False
    if "enum" in schema:
        return any(_same(value, choice) for choice in list_in(schema["enum"]))
    if isinstance(value, str):
        return _fits_text(value, schema)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _fits_number(value, schema)
    if is_list(value):
        return _fits_items(value, schema, root, depth)
    if is_mapping(value):
        return _fits_object(value, schema, root, depth)
    return True


def _is_a(value: object, kind: str) -> bool:
    return isinstance(value, _TYPES.get(kind, ())) and isinstance(value, bool) == (
        kind == "boolean"
    )


def _same(value: object, other: object) -> bool:
    return type(value) is type(other) and value == other


def bound(schema: Schema, key: str, otherwise: float) -> float:
    """Return the number that `schema` holds under `key`; `otherwise` when it holds none."""
    value = schema.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return otherwise
    return value


def _fits_text(value: str, schema: Schema) -> bool:
    if "pattern" in schema:
        return False  # a pattern from outside may take for ever, so it is not tried
    form = schema.get("format")
    if form is not None and not (form in _FORMATS and _FORMATS[form].fullmatch(value)):
        return False
    return _fits_length(len(value), schema, "minLength", "maxLength")


def _fits_length(length: int, schema: Schema, least: str, most: str) -> bool:
    return bound(schema, least, 0) <= length <= bound(schema, most, length)


def _fits_number(value: int | float, schema: Schema) -> bool:
    within = bound(schema, "minimum", value) <= value <= bound(schema, "maximum", value)
    above = value > bound(schema, "exclusiveMinimum", value - 1)
    below = value < bound(schema, "exclusiveMaximum", value + 1)
    step = bound(schema, "multipleOf", 0)
    return within and above and below and (not step or value % step == 0)


def _fits_items(value: list[Any], schema: Schema, root: Schema, depth: int) -> bool:
    if not _fits_length(len(value), schema, "minItems", "maxItems"):
        return False
    if schema.get("uniqueItems") and any(item in value[:at] for at, item in enumerate(value)):
        return False
    return all(
        fits(item, item_schema(schema, place), root, depth + 1) for place, item in enumerate(value)
    )


def item_schema(schema: Schema, place: int) -> Schema:
    """Return the schema of the item at `place` of an array that fits `schema`."""
    first = list_in(schema.get("prefixItems"))
    return mapping_in(first[place] if place < len(first) else schema.get("items"))


def _fits_object(value: Mapping[str, Any], schema: Schema, root: Schema, depth: int) -> bool:
    properties = properties_of(schema)
    if any(name not in value for name in required_of(schema)):
        return False
    if schema.get("additionalProperties") is False and value.keys() - properties.keys():
        return False
    return all(
        fits(item, properties[name], root, depth + 1)
        for name, item in value.items()
        if name in properties
    )


def properties_of(schema: Schema) -> dict[str, Schema]:
    """Return the properties that `schema` describes, by name."""
    return {name: mapping_in(below) for name, below in mapping_in(schema.get("properties")).items()}


def required_of(schema: Schema) -> list[str]:
    """Return the names of the properties that `schema` wants in any case."""
    return [name for name in list_in(schema.get("required")) if isinstance(name, str)]
