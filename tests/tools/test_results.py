"""Results of any kind become text or content parts; nothing raises, nothing is dumped raw."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import io
import json
import pathlib
import types
import uuid
from array import array
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.tools import FileContent, ImageContent, TextContent
from podium.tools._results import (
    MAX_RESULT_BYTES,
    MAX_RESULT_NODES,
    result_parts,
    result_text,
)

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 4000
IMAGE = ImageContent.from_bytes(b"123")
PDF = FileContent.from_bytes(b"123456", mime_type="application/pdf", filename="r.pdf")


class Level(enum.Enum):
    HIGH = "high"


class Colour(str, enum.Enum):  # noqa: UP042  the older form is still common
    RED = "red"


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Account:
    name: str
    password: str = field(default="hunter2", repr=False)
    parent: Account | None = None


@dataclass(init=False)
class Unfinished:
    name: str


class Profile(pydantic.BaseModel):
    name: str
    token: pydantic.SecretStr = pydantic.SecretStr("hunter2")
    internal: str = pydantic.Field(default="hidden", exclude=True)
    picture: bytes = b"\xff"


class Numbers(pydantic.RootModel[list[int]]):
    pass


class Path(str):
    __slots__ = ()


class Plain:
    pass


class Scalar:
    def tolist(self) -> int:
        return 7


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class BrokenDict(dict[str, int]):
    def items(self) -> Any:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        ("", ""),
        ("before \ud83d after", "before \ufffd after"),
        (None, "null"),
        (True, "true"),
        (7, "7"),
        (1.5, "1.5"),
        (float("nan"), "nan"),
        (datetime.datetime(2026, 3, 1, 12, 30), "2026-03-01T12:30:00"),
        (datetime.time(12, 30), "12:30:00"),
        (datetime.timedelta(days=1), "1 day, 0:00:00"),
        (decimal.Decimal("12.50"), "12.50"),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (pathlib.PurePosixPath("/tmp/x"), "/tmp/x"),
        (Level.HIGH, "high"),
        (Colour.RED, "red"),
        ([Path("/x")], '["/x"]'),
        ({"ä": [1, "ö"]}, '{"ä": [1, "ö"]}'),
        ({"k": "\ud83d"}, '{"k": "\ufffd"}'),
        ([float("inf"), None, Colour.RED], '["inf", null, "red"]'),
        (
            {1: "a", None: "b", ("x", 1): "c", Level.HIGH: "d", b"k": "e"},
            '{"1": "a", "null": "b", "[\\"x\\", 1]": "c", "high": "d", "<1 bytes>": "e"}',
        ),
        ({"b", "a", 3}, '[3, "a", "b"]'),
        (frozenset({2}), "[2]"),
        (Point(1, 2), "[1, 2]"),
        (range(3), "[0, 1, 2]"),
        (collections.deque([1]), "[1]"),
        ({"a": 1}.values(), "[1]"),
        ({"a": 1}.keys(), '["a"]'),
        (types.MappingProxyType({"a": 1}), '{"a": 1}'),
        (array("i", [1, 2]), "[1, 2]"),
        (Scalar(), "7"),
        (Account("ann"), '{"name": "ann", "parent": null}'),
        (Unfinished(), "{}"),
        (Account, "<class 'tests_results.Account'>"),
        (
            Profile(name="ann"),
            '{"name": "ann", "token": "**********", "picture": "<1 bytes>"}',
        ),
        (Numbers([1, 2]), "[1, 2]"),
        (PNG, "<4008 bytes, image/png>"),
        (bytearray(b"abc"), "<3 bytes>"),
        (memoryview(b"abc"), "<3 bytes>"),
        (b"RIFF0000WEBP", "<12 bytes, image/webp>"),
        (b"RIFF0000WAVE", "<12 bytes>"),
        (IMAGE, "<image/png, 3 bytes>"),
        ([TextContent("see"), IMAGE, PDF], '["see", "<image/png, 3 bytes>", "<r.pdf, 6 bytes>"]'),
        (io.StringIO("x"), "<_io.StringIO object>"),
        (ValueError("oops"), "oops"),
        (Unprintable(), "<Unprintable>"),
        ([Unprintable(), 1], '["<Unprintable>", 1]'),
        (BrokenDict(a=1), "{'a': 1}"),
    ],
)
def test_any_value_has_a_text(value: object, text: str) -> None:
    shown = result_text(value).replace(f"{__name__}.", "tests_results.")

    assert shown == text


def test_an_integer_that_python_does_not_write_out_is_named() -> None:
    assert result_text([10**5_000]) == '["<integer of 16,610 bits>"]'


def test_objects_are_shown_without_their_address() -> None:
    assert result_text(Plain()) == result_text(Plain())


def test_a_structure_that_holds_itself_ends() -> None:
    ring: dict[str, Any] = {"name": "ring"}
    ring["self"] = ring
    account = Account("ann")
    account.parent = account

    assert result_text(ring) == '{"name": "ring", "self": "<circular: dict>"}'
    assert result_text(account) == '{"name": "ann", "parent": "<circular: Account>"}'


def test_a_value_that_stands_twice_is_no_circle() -> None:
    shared = [1]

    assert result_text([shared, shared]) == "[[1], [1]]"


def test_what_is_too_deep_is_left_out() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]

    text = result_text(deep)

    assert text.count("[") == 65
    assert "<left out: the result is too large>" in text


def test_what_multiplies_without_end_is_left_out() -> None:
    bomb: list[Any] = ["boom"]
    for _ in range(40):
        bomb = [bomb, bomb]

    text = result_text(bomb)

    assert text.count("boom") < MAX_RESULT_NODES
    assert "<left out: the result is too large>" in text


def test_long_collections_are_cut() -> None:
    names = result_text({str(number): [1] for number in range(MAX_RESULT_NODES // 2 + 10)})
    items = result_text([1] * (MAX_RESULT_NODES + 10))

    assert names.endswith('"<left out: the result is too large>"]}')
    assert items.endswith('"<left out: the result is too large>"]')


@pytest.mark.parametrize("letter", ["x", "é", "\U0001f378"])
def test_long_text_is_cut_on_a_character_and_says_so(letter: str) -> None:
    text = result_text(letter * 1_100_000)
    size = len(letter.encode()) * 1_100_000

    assert MAX_RESULT_BYTES - 4 < len(text.encode()) <= MAX_RESULT_BYTES
    assert text.endswith(f"{letter}\n[cut here: the whole result has {size:,} bytes]")


def test_text_of_exactly_the_limit_is_whole() -> None:
    text = "x" * MAX_RESULT_BYTES

    assert result_text(text) == text


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (IMAGE, (IMAGE,)),
        ([IMAGE, PDF], (IMAGE, PDF)),
        (("see", IMAGE, {"a": 1}), (TextContent("see"), IMAGE, TextContent('{"a": 1}'))),
        (TextContent("see"), (TextContent("see"),)),
        ("text", "text"),
        ([1, 2], "[1, 2]"),
        ([], "[]"),
        ({"a": IMAGE}, '{"a": "<image/png, 3 bytes>"}'),
    ],
)
def test_content_parts_stay_parts_where_they_are_asked_for(value: object, parts: object) -> None:
    assert result_parts(value) == parts


def test_a_long_text_part_is_cut_too() -> None:
    parts = result_parts([TextContent("x" * (MAX_RESULT_BYTES + 1))])

    assert isinstance(parts[0], TextContent)
    assert parts[0].text.endswith("[cut here: the whole result has 1,048,577 bytes]")


plain_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(plain_json) | st.dictionaries(st.text(), plain_json))
def test_plain_data_reads_back_as_it_was(value: object) -> None:
    assert json.loads(result_text(value)) == value
