"""The two shapes of JSON data that hold other data, told apart for people and type checkers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether `value` is a dict, as JSON objects are."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Return whether `value` is a list, as JSON arrays are."""
    return isinstance(value, list)


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Return whether `value` maps names to values, be it a dict or not."""
    return isinstance(value, Mapping)
