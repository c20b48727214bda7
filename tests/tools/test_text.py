"""Text that came in from anywhere can go out anywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.tools import clean_json, clean_text, printable


@given(st.text(st.characters()))
def test_cleaned_text_can_be_encoded_and_is_the_same_when_it_could_be(text: str) -> None:
    cleaned = clean_text(text)

    assert len(cleaned) == len(text)
    assert cleaned.encode().decode() == cleaned
    assert clean_text(cleaned) == cleaned


def test_json_data_is_cleaned_to_its_leaves_and_keys() -> None:
    assert clean_json({"\ud800": ["\udfff", {"a": "\ud800"}, 7, None]}) == {
        "\ufffd": ["\ufffd", {"a": "\ufffd"}, 7, None]
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä\n\t", "plain ä\n\t"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\rb", "a\\rb"),
        ("abc\u202etxt", "abc\\u202etxt"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_could_steer_a_terminal_or_hide_text_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut_before_it_is_escaped() -> None:
    assert printable("\x1b" * 9, limit=2) == "\\x1b\\x1b…"
    assert printable("ab", limit=2) == "ab"
