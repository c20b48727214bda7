"""What providers send as arguments: read, or told why not, and never an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from podium.tools import ToolCall
from podium.tools._arguments import MAX_ARGUMENT_BYTES, MAX_ARGUMENT_DEPTH, parse_arguments


def nested(levels: int) -> str:
    """Return arguments of so many levels, the outermost object included."""
    return '{"a":' + "[" * (levels - 1) + "]" * (levels - 1) + "}"


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ('{"a": 1, "b": [true, null]}', {"a": 1, "b": [True, None]}),
        ({"a": 1}, {"a": 1}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ("", {}),
        (" \n", {}),
        (None, {}),
        ("null", {}),
        ("{}", {}),
        ('""', {}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
    ],
)
def test_arguments_are_read(raw: object, arguments: dict[str, Any]) -> None:
    assert parse_arguments(raw) == (arguments, None)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ('{"order_id": 7, "amount": }', ["not valid JSON", "character 26", '"amount": }']),
        ('{"a": 1', ["not valid JSON", "character 7"]),
        ("{'a': 1}", ["not valid JSON"]),
        ('{"a": 1}{"a": 1}', ["not valid JSON", "Extra data"]),
        ('"{broken}"', ["not valid JSON"]),
        ('"\\"{}\\""', ["not a JSON object but text"]),
        ('"hello"', ["not a JSON object but text 'hello'"]),
        ("[1]", ["not a JSON object but an array"]),
        ("7", ["not a JSON object but integer 7"]),
        ("1.5", ["not a JSON object but number 1.5"]),
        ("true", ["not a JSON object but true"]),
        ([1], ["not a JSON object but an array"]),
        (b"{}", ["not a JSON object but a bytes"]),
        ('{"a": NaN}', ["not valid JSON", "NaN"]),
        ('{"a": -Infinity}', ["not valid JSON", "-Infinity"]),
        ('{"a": 1e999}', ["a number beyond all limits", "1e999"]),
        ({"a": float("nan")}, ["not valid JSON", "nan"]),
        ('{"a": 1, "b": 2, "a": 3}', ["JSON", "the key 'a' twice"]),
        ('{"a": ' + "1" * 5_000 + "}", ["an integer of more than 4,300 digits"]),
        (nested(MAX_ARGUMENT_DEPTH + 1), ["nested deeper than 64 levels"]),
        ("[" * 100_000, ["nested deeper than 64 levels"]),
        ({"a": json.loads(nested(MAX_ARGUMENT_DEPTH))}, ["nested deeper than 64 levels"]),
        ('{"a": "' + "é" * (MAX_ARGUMENT_BYTES // 2) + '"}', ["262,153 bytes", "262,144"]),
        ({1: 2}, ["a key that is not text but integer 1"]),
        ({"a": [0] * 100_000}, ["more than 100,000 values"]),
    ],
)
def test_what_cannot_be_used_is_told(raw: object, words: list[str]) -> None:
    arguments, problem = parse_arguments(raw)

    assert arguments == {}
    assert [word for word in words if word not in str(problem)] == []


def test_a_huge_integer_in_a_dict_is_a_problem() -> None:
    problem = "the arguments hold an integer of more than 4,300 digits"

    assert parse_arguments({"a": 10**5_000}) == ({}, problem)


def test_a_mapping_that_raises_is_a_problem() -> None:
    class Broken(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError("no")

    assert parse_arguments(Broken(a=1)) == ({}, "the arguments cannot be read (RuntimeError)")


def test_a_dict_that_holds_itself_is_a_problem() -> None:
    ring: dict[str, Any] = {}
    ring["left"] = ring["right"] = ring

    assert parse_arguments(ring) == ({}, "the arguments are nested deeper than 64 levels")


def test_the_deepest_allowed_nesting_is_read() -> None:
    _, problem = parse_arguments(nested(MAX_ARGUMENT_DEPTH))

    assert problem is None


def test_many_brackets_side_by_side_are_not_deep() -> None:
    arguments, problem = parse_arguments('{"a": [' + ", ".join(["[]"] * 100) + "]}")

    assert (len(arguments["a"]), problem) == (100, None)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ('{"a": "bar \\ud83c\\udf78"}', "bar \U0001f378"),
        ('{"a": "cut \\ud83c"}', "cut \ufffd"),
        ('{"a": "cut \ud83c"}', "cut \ufffd"),
        ({"a": "cut \ud83c"}, "cut \ufffd"),
        ('{"a": "nul \\u0000 stays"}', "nul \0 stays"),
    ],
)
def test_text_can_always_be_encoded_again(raw: object, value: str) -> None:
    assert parse_arguments(raw) == ({"a": value}, None)


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("1234567890123456789", 1234567890123456789),
        ("1234567890123456789.0", 1234567890123456789),
        ("1.5e3", 1500.0),
        ("9007199254740993.5", 9007199254740994.0),
    ],
)
def test_integers_never_go_through_a_float(number: str, value: float) -> None:
    assert parse_arguments(f'{{"a": {number}}}') == ({"a": value}, None)


@given(st.text() | st.text('{}[]":,\\ue0123456789.ntfaINy \ud800'))
@example('"' * 10)
def test_no_text_makes_it_raise_and_a_problem_comes_with_no_arguments(raw: str) -> None:
    arguments, problem = parse_arguments(raw)

    json.dumps([arguments, problem], ensure_ascii=False, allow_nan=False).encode()
    assert problem is None or arguments == {}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(-1e15, 1e15)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), json_values, max_size=5))
def test_every_json_object_comes_back_as_it_was(arguments: dict[str, Any]) -> None:
    assert parse_arguments(json.dumps(arguments)) == (arguments, None)
    assert parse_arguments(json.dumps(json.dumps(arguments))) == (arguments, None)
    assert parse_arguments(arguments) == (arguments, None)


def test_a_problem_fits_into_the_call() -> None:
    arguments, problem = parse_arguments("[")

    assert ToolCall("search", arguments, problem=problem).problem == problem
