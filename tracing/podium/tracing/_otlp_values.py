"""Attribute values, events, links and scopes as OTLP JSON writes them."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

_MAX_INT = 2**63 - 1
_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def without_empty(fields: Mapping[str, object]) -> dict[str, object]:
    """Leave out fields that hold their default, as OTLP JSON does."""
    return {key: value for key, value in fields.items() if value not in ("", 0, [], {})}


def otlp_attributes(attributes: Mapping[str, Any] | None) -> list[dict[str, object]]:
    """Return attributes as OTLP JSON's list of keys and tagged values."""
    return [{"key": key, "value": otlp_value(value)} for key, value in (attributes or {}).items()]


def otlp_value(value: object) -> dict[str, object]:
    """Return a value in an object that says its kind."""
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue" if -_MAX_INT <= value <= _MAX_INT else "stringValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value if math.isfinite(value) else _NOT_FINITE[str(value)]}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode("ascii")}
    if isinstance(value, Mapping):
        return {"kvlistValue": {"values": otlp_attributes(cast("Mapping[str, Any]", value))}}
    if isinstance(value, Sequence):
        items = cast("Sequence[object]", value)
        return {"arrayValue": {"values": [otlp_value(item) for item in items]}}
    return {}  # None, the only other value that OpenTelemetry lets through


def otlp_scope(name: str, version: str, attributes: Mapping[str, Any] | None) -> dict[str, object]:
    """Return the library that opened spans."""
    return without_empty(
        {"name": name, "version": version, "attributes": otlp_attributes(attributes)}
    )


def otlp_event(name: str, time_ns: int, attributes: Mapping[str, Any] | None) -> dict[str, object]:
    """Return an event within a span."""
    return without_empty(
        {
            "timeUnixNano": str(time_ns),
            "name": name,
            "attributes": otlp_attributes(attributes),
        }
    )


def otlp_link(
    trace_id: str, span_id: str, attributes: Mapping[str, Any] | None
) -> dict[str, object]:
    """Return a link to a span elsewhere; ids are hex digits."""
    return without_empty(
        {"traceId": trace_id, "spanId": span_id, "attributes": otlp_attributes(attributes)}
    )
