"""Objects made for schemas: what a guess says where it fits, else the plainest valid value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from podium.agent.models._lexical.filling import Field, fill_object
from podium.agent.models._lexical.schemas import fits


class Guesses:
    """Guesses the same values for every field."""

    def __init__(self, *values: object) -> None:
        self._values = values

    def values(self, field: Field) -> Iterator[object]:
        """Yield them all."""
        yield from self._values


def schema(kind: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"it": kind}, "required": ["it"], **more}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ({"type": "string"}, "some words"),
        ({"type": "string", "maxLength": 4}, "some"),
        ({"type": "string", "format": "date"}, "2024-02-29"),
        ({"type": "integer", "maximum": 5}, 5),
        ({"type": "integer", "multipleOf": 4}, 12),
        ({"type": "number", "exclusiveMinimum": 12}, 13),
        ({"type": "array", "items": {"type": "integer"}}, [3]),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"enum": ["red", "blue"]}, "red"),
        ({"const": "fixed"}, "fixed"),
        ({"type": "boolean", "default": True}, True),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, None),
        ({"oneOf": [{"type": "boolean"}, {"type": "integer"}]}, 12),
        ({"type": ["null", "integer"]}, 12),
        ({"allOf": [{"type": "integer"}, {"minimum": 20}]}, 20),
        ({"$ref": "#/$defs/Count"}, 12),
        ({"type": "array", "prefixItems": [{"type": "boolean"}], "minItems": 1}, [True]),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2}, [False, False]),
        ({"type": "object"}, {}),
        (
            {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            {"n": 12},
        ),
    ],
)
def test_a_required_field_gets_the_first_guess_that_fits_or_a_plain_value(
    kind: dict[str, Any], value: object
) -> None:
    wanted = schema(kind, **{"$defs": {"Count": {"type": "integer"}}})

    filled = fill_object(wanted, Guesses("some words", "2024-02-29", 12, [True, 3]))

    expected = {"it": value}
    assert filled == expected
    assert fits(filled, wanted, wanted)


@pytest.mark.parametrize(
    "kind",
    [
        {"type": "string", "pattern": "^(a+)+$"},
        {"type": "string", "format": "email"},
        {"type": "string", "minLength": 1},
        {"$ref": "#/$defs/Missing"},
        {"$ref": "#"},
        {"enum": []},
    ],
)
def test_there_is_no_object_when_no_value_surely_fits(kind: dict[str, Any]) -> None:
    assert fill_object(schema(kind), Guesses(12)) is None


def test_an_optional_field_is_left_out_unless_a_guess_fits() -> None:
    optional = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "array"}}}

    assert fill_object(optional, Guesses("words")) == {}
    assert fill_object(optional, Guesses(7)) == {"a": 7}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, {"type": "integer"}),
        (1, {"type": "boolean"}),
        (1, {"enum": [True]}),
        (2, {"const": 1}),
        ([1, 1], {"type": "array", "uniqueItems": True}),
        ([], {"type": "array", "minItems": 1}),
        ({"x": 1}, {"type": "object", "additionalProperties": False}),
        ({}, {"type": "object", "required": ["x"]}),
        ({"x": "1"}, {"type": "object", "properties": {"x": {"type": "integer"}}}),
        (1, {"type": "unheard of"}),
    ],
)
def test_what_does_not_fit_is_told(value: object, kind: dict[str, Any]) -> None:
    assert not fits(value, kind, kind)
