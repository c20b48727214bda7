"""Attribute values: whatever is given becomes what every exporter can send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import cast

from podium.tracing import _redaction

MAX_TEXT_BYTES = 8 * 1024
MAX_NAME_BYTES = 256
MAX_ITEMS = 128
MAX_INT = 2**63 - 1

AttributeValue = str | bool | int | float | tuple[str, ...]


def span_attributes(attributes: Mapping[str, object]) -> dict[str, AttributeValue]:
    """Return attributes any exporter can send: no None, bounded text that encodes as UTF-8."""
    if _redaction.is_active():
        attributes = {
            key: None if value is None else _redaction.redacted(key, _with_texts(value))
            for key, value in attributes.items()
        }
    told: dict[str, AttributeValue] = {}
    for key, value in attributes.items():
        if value is None:
            continue
        # Short plain text nearly always, and each span has a dozen of them.
        if isinstance(value, str) and len(value) <= MAX_TEXT_BYTES and value.isascii():
            told[key] = value
        else:
            told[key] = _attribute_value(value)
    return told


def _attribute_value(value: object) -> AttributeValue:
    if isinstance(value, str):
        return cut(value, MAX_TEXT_BYTES)
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if -MAX_INT <= value <= MAX_INT else as_text(value)
    if isinstance(value, Decimal) and isfinite(number := float(value)):
        return number
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)[:MAX_ITEMS]
        return tuple(as_text(item) for item in items)
    return as_text(value)


def _with_texts(value: object) -> object:
    """Return a value in which whatever will become text is text, so that it can be redacted."""
    if isinstance(value, str | bool | int | float | Decimal):
        return value
    if isinstance(value, list | tuple):
        return [text_of(item) for item in cast("Sequence[object]", value)[:MAX_ITEMS]]
    return text_of(value)


def as_text(value: object) -> str:
    """Return the text of any value, bounded."""
    return cut(text_of(value), MAX_TEXT_BYTES)


def text_of(value: object) -> str:
    """Return the text of any value."""
    try:
        return str(value)
    except Exception:  # a value whose text fails is named by its kind
        return f"<{type(value).__name__}>"


def cut(text: str, size_bytes: int) -> str:
    """Return `text` cut on a character to so many bytes; a lone surrogate becomes '?'."""
    if text.isascii():
        return text[:size_bytes]
    return text[:size_bytes].encode("utf-8", "replace")[:size_bytes].decode("utf-8", "ignore")
