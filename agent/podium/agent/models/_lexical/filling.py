"""Objects for JSON schemas: in each field the first guess that fits, else what is plainest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from podium.agent.models._lexical.schemas import (
    MAX_DEPTH,
    NOTHING,
    Nothing,
    Schema,
    bound,
    fits,
    is_list,
    item_schema,
    kind_of,
    list_in,
    plainest,
    properties_of,
    required_of,
    variants,
)

MAX_ITEMS = 50


@dataclass(frozen=True, slots=True)
class Field:
    """A place in a schema that wants a value."""

    name: str
    """The property's name; of an array's item, the array's."""
    description: str
    """What the schema says about it."""
    kind: str
    """The JSON type that is wanted; empty when any will do."""
    needed: bool
    """True when it must be filled; else only what the text says may go in."""
    choices: tuple[object, ...] = ()
    """The values of an enum."""


class Guess(Protocol):
    """Says what could go into a field."""

    def values(self, field: Field) -> Iterator[object]:
        """Yield values for `field`, the best first; one that does not fit is passed over."""
        ...


def fill_object(schema: Schema, guess: Guess) -> dict[str, object] | None:
    """Return an object that fits `schema`, filled by `guess`; None when none can be had."""
    filler = _Filler(schema, guess)
    for variant in variants(schema, schema):
        filled = filler.fill(variant, 0)
        if filled is not None:
            return filled
    return None


class _Filler:
    """Walks one schema."""

    def __init__(self, root: Schema, guess: Guess) -> None:
        self._root, self._guess = root, guess

    def fill(self, schema: Schema, depth: int) -> dict[str, object] | None:
        required = required_of(schema)
        filled: dict[str, object] = {}
        for name, below in properties_of(schema).items():
            value = self._value(name, below, name in required, depth + 1)
            if not isinstance(value, Nothing):
                filled[name] = value
        return None if any(name not in filled for name in required) else filled

    def _value(self, name: str, schema: Schema, needed: bool, depth: int) -> object:
        if depth > MAX_DEPTH:
            return NOTHING
        allowed = variants(schema, self._root)
        for variant in allowed:
            value = self._guessed(name, variant, needed, depth)
            if not isinstance(value, Nothing):
                return value
        if not needed:
            return NOTHING
        if any(kind_of(variant) == "null" for variant in allowed):
            return None
        plain = (plainest(variant, self._root) for variant in allowed)
        return next((value for value in plain if not isinstance(value, Nothing)), NOTHING)

    def _guessed(self, name: str, schema: Schema, needed: bool, depth: int) -> object:
        if kind_of(schema) == "object" and schema.get("properties"):
            made = self.fill(schema, depth) if needed else None
            return NOTHING if made is None else made
        for value in self._guess.values(_field(name, schema, needed)):
            fitted = self._fitted(value, schema)
            if fits(fitted, schema, self._root):
                return fitted
        return self._items_made(name, schema, depth) if needed else NOTHING

    def _fitted(self, value: object, schema: Schema) -> object:
        """Return `value` brought within the bounds of `schema`, where that keeps its sense."""
        if isinstance(value, str):
            return value[: int(bound(schema, "maxLength", len(value)))]
        if is_list(value):
            fitting = [item for item in value if fits(item, item_schema(schema, 0), self._root)]
            kept = fitting[: int(bound(schema, "maxItems", MAX_ITEMS))]
            return kept if kept or value == [] else NOTHING
        if isinstance(value, int | float) and not isinstance(value, bool):
            bounded = min(
                max(value, bound(schema, "minimum", value)), bound(schema, "maximum", value)
            )
            whole = isinstance(bounded, float) and bounded.is_integer()
            return int(bounded) if whole and kind_of(schema) == "integer" else bounded
        return value

    def _items_made(self, name: str, schema: Schema, depth: int) -> object:
        """Return an array of one made item, or of as many as there must be."""
        if kind_of(schema) != "array":
            return NOTHING
        least = int(min(bound(schema, "minItems", 0), MAX_ITEMS))
        made = [
            self._value(name, item_schema(schema, place), True, depth + 1)
            for place in range(max(least, 1))
        ]
        return made if fits(made, schema, self._root) else NOTHING


def _field(name: str, schema: Schema, needed: bool) -> Field:
    description = str(schema.get("description", ""))
    return Field(name, description, kind_of(schema), needed, tuple(list_in(schema.get("enum"))))
