"""The values given to a prompt, turned into plain data before a template can touch them.

A template sees text, numbers, dates, lists and dicts as they are, and the fields of dataclasses,
pydantic models and enums. Of any other object it sees the text, and nothing it could call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from uuid import UUID

from podium.agent.prompts._limits import MAX_DEPTH, Allowance, PromptError
from podium.tools import FileContent, ImageContent, TextContent, clean_text

ATOMS: frozenset[type] = frozenset(
    {bool, int, float, type(None), Decimal, date, datetime, time, timedelta, UUID}
)
"""Types that are taken over as they are: they cannot change and do not grow."""

_BYTES: tuple[Any, ...] = (bytes, bytearray, memoryview)

PARTS = (ImageContent, FileContent, TextContent)
"""What the filter `templatize_part` takes."""


class Record:
    """An object of the user's as a template sees it: its fields, and its text when printed."""

    __slots__ = ("_text", "fields", "source")

    def __init__(self, source: object, fields: dict[str, object]) -> None:
        """Keep the object, to print and compare it, and the plain data of its fields."""
        self.source = source
        self.fields = fields
        self._text: str | None = None

    @property
    def has_text(self) -> bool:
        """Whether it can be printed: it has fields, or a text form of its own."""
        if isinstance(self.source, PARTS):
            return False
        own_text = type(self.source).__str__ is not object.__str__
        return bool(self.fields) or (own_text and not callable(self.source))

    def __str__(self) -> str:
        """Return the object's text, made once."""
        if self._text is None:
            if not self.has_text:
                raise PromptError(_no_text(self.source))
            self._text = clean_text(str(self.source))
        return self._text

    # Inside a list, a date or a model reads better as its text than as the code that makes it.
    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """Compare the objects themselves."""
        return isinstance(other, Record) and bool(self.source == other.source)

    def __hash__(self) -> int:
        """Hash the object itself."""
        return hash(self.source)


def type_name(value: object) -> str:
    """Return the name of the user's type, also where the value stands behind a `Record`."""
    return type(value.source if isinstance(value, Record) else value).__name__


def plain(value: object, allowance: Allowance, depth: int = 0) -> object:
    """Return `value` as plain data, copied; texts in it are cleaned.

    Raises:
        PromptError: it holds more items or text than `allowance` has, or nests too deep.
    """
    if isinstance(value, str):
        allowance.text(len(value))
        return clean_text(str.__str__(value))
    if type(value) in ATOMS:
        return value
    if depth > MAX_DEPTH:
        raise PromptError(
            f"It nests more than {MAX_DEPTH} levels deep, or holds itself. Pass flatter data."
        )
    if isinstance(value, int | float):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, Mapping):
        mapping = cast("Mapping[Any, object]", value)
        allowance.items(len(mapping))
        return {_key(key): plain(mapping[key], allowance, depth + 1) for key in mapping}
    if isinstance(value, Set | Sequence) and not isinstance(value, _BYTES):
        return _items(cast("Set[object] | Sequence[object]", value), allowance, depth)
    return _record(cast("object", value), allowance, depth)


def _key(key: object) -> object:
    return key if type(key) in ATOMS else clean_text(str(key))


def _items(
    value: Set[object] | Sequence[object], allowance: Allowance, depth: int
) -> list[object] | tuple[object, ...]:
    allowance.items(len(value))
    # A set has no order of its own; without one, equal prompts would differ between processes.
    ordered = sorted(value, key=str) if isinstance(value, Set) else value
    items = [plain(item, allowance, depth + 1) for item in ordered]
    return tuple(items) if isinstance(value, tuple) else items


def _record(value: object, allowance: Allowance, depth: int) -> Record:
    names = [name for name in _field_names(value) if not name.startswith("_")]
    allowance.items(len(names))
    return Record(
        value, {name: plain(getattr(value, name, None), allowance, depth + 1) for name in names}
    )


def _field_names(value: object) -> list[str]:
    if isinstance(value, type) or isinstance(value, PARTS):
        return []
    if isinstance(value, Enum):
        return ["name", "value"]
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    # How pydantic marks its models; asking it directly would load it.
    return list(getattr(type(value), "__pydantic_fields__", ()))


def _no_text(source: object) -> str:
    kind = type(source).__name__
    if isinstance(source, PARTS):
        return (
            f"A value of type {kind!r} cannot be printed as text. "
            "Write it as {{ value | templatize_part }} to make it a part of the message."
        )
    return (
        f"A value of type {kind!r} is not plain data and has no text of its own. "
        "Pass text, numbers, lists, dicts, dataclasses or pydantic models."
    )
