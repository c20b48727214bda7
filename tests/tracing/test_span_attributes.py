"""Attribute values: whatever is given becomes what every exporter can send."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum

import pytest

from podium.tracing._attribute_values import MAX_TEXT_BYTES, span_attributes


class Level(IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("text", "text"),
        (True, True),
        (0.5, 0.5),
        (Level.HIGH, 3),
        (["a", 1, None], ("a", "1", "None")),
        (("a",), ("a",)),
        (2**80, str(2**80)),
        (Decimal("1.5"), 1.5),
        (Decimal("1e999"), "1E+999"),
        ({"a": 1}, "{'a': 1}"),
        ("lone \ud800 half", "lone ? half"),
    ],
)
def test_a_value_becomes_what_every_exporter_can_send(value: object, written: object) -> None:
    assert span_attributes({"key": value}) == {"key": written}


def test_an_attribute_that_is_none_is_left_out() -> None:
    assert span_attributes({"key": None}) == {}


@pytest.mark.parametrize("character", ["a", "é", "日", "😀"])
def test_long_text_is_cut_on_a_character(character: str) -> None:
    written = span_attributes({"key": character * MAX_TEXT_BYTES})["key"]

    size = len(str(written).encode())
    assert MAX_TEXT_BYTES - 4 < size <= MAX_TEXT_BYTES
    assert set(str(written)) == {character}


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError


def test_a_value_whose_text_fails_is_named_by_its_kind() -> None:
    assert span_attributes({"key": Unprintable()}) == {"key": "<Unprintable>"}
