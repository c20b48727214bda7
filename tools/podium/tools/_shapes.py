"""The two shapes of JSON data that hold other data, told apart for people and type checkers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def is_deeper_than(levels: int, value: object) -> bool:
    """Return whether arrays and objects are nested in each other more than `levels` times."""
    level = [value]
    for _ in range(levels):
        level = [
            child for one in level for child in _children(one) if isinstance(child, list | dict)
        ]
        if not level:
            return False
    return True


def _children(value: object) -> Iterable[object]:
    if is_object(value):
        return value.values()
    return value if is_array(value) else ()
