"""Attribute values of OTLP JSON, each in an object that says its kind, as plain ones."""

from __future__ import annotations

import base64
import binascii
import sys
from collections.abc import Callable

from podium.tracing.reading._json import (
    MAX_DEPTH,
    as_int,
    as_items,
    as_object,
    as_objects,
    as_text,
    shallow,
)


def attributes_of(pairs: object, depth: int = 0) -> dict[str, object]:
    """Return OTLP's list of keys and values as a dict."""
    found: dict[str, object] = {}
    for pair in as_objects(pairs):
        key, tagged = pair.get("key"), pair.get("value")
        text = as_object(tagged).get("stringValue")  # nearly always
        # The same few keys stand on every span; kept once, a large trace needs half the memory.
        name = sys.intern(key) if isinstance(key, str) else ""
        found[name] = text if isinstance(text, str) else value_of(tagged, depth)
    return found


def value_of(tagged: object, depth: int = 0) -> object:
    """Return a tagged value as a plain one; one without a known tag stays as it is.

    What lies too deep in it is left out.
    """
    if depth >= MAX_DEPTH:
        return None
    for kind, value in as_object(tagged).items():
        if kind in _PLAIN:
            return _PLAIN[kind](value)
        if kind == "arrayValue":
            items = as_items(as_object(value).get("values"))
            return tuple([value_of(each, depth + 1) for each in items])
        if kind == "kvlistValue":
            return attributes_of(as_object(value).get("values"), depth + 1)
    return shallow(tagged) or None


def int_of(value: object) -> object:
    """Return a whole number, which may be written as text."""
    number = as_int(value)
    return shallow(value) if number is None else number


def float_of(value: object) -> object:
    """Return a number; JSON has none for infinity, so it may be written as text."""
    try:
        return float(value) if isinstance(value, str | int | float) else shallow(value)
    except (ValueError, OverflowError):  # no number, or an integer too large for one
        return value


def bytes_of(value: object) -> object:
    """Return the bytes that base64 text stands for."""
    try:
        return base64.b64decode(as_text(value), validate=True)
    except (binascii.Error, ValueError):  # ValueError: not ASCII
        return shallow(value)


_PLAIN: dict[str, Callable[[object], object]] = {
    "stringValue": shallow,
    "boolValue": shallow,
    "intValue": int_of,
    "doubleValue": float_of,
    "bytesValue": bytes_of,
}
"""How the values of each kind are read that hold no others."""
