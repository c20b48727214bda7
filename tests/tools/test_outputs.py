"""What becomes of a result: what the model reads of it, and what goes into the state."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from podium.tools import ImageContent, TextContent, Tool, merge_lists, tool

IMAGE = ImageContent.from_bytes(b"123")


def made(**options: Any) -> Tool:
    def look() -> None:
        """Look."""

    return tool(**options)(look)


def shout(value: object) -> str:
    return f"{value}!"


def seen(value: object) -> dict[str, object]:
    return {"seen": value}


def draw(value: object) -> ImageContent:
    return IMAGE


def fail(value: object) -> str:
    raise ValueError("no luck")


@pytest.mark.parametrize(
    ("config", "value", "content"),
    [
        (None, {"a": 1}, '{"a": 1}'),
        ({}, [1], "[1]"),
        ({"source": "a"}, {"a": 1, "b": 2}, "1"),
        ({"source": "a"}, "no dict", "no dict"),
        ({"handler": shout}, 7, "7!"),
        ({"source": "a", "handler": shout}, {"a": 1}, "1!"),
        ({"handler": seen}, 7, '{"seen": 7}'),
        ({"raw_result": True}, ["see", IMAGE], (TextContent("see"), IMAGE)),
        ({"raw_result": False}, IMAGE, "<image/png, 3 bytes>"),
        ({"source": "pic", "raw_result": True}, {"pic": IMAGE}, (IMAGE,)),
        ({"raw_result": True, "handler": draw}, 7, (IMAGE,)),
        (
            {"one": {"source": "a", "handler": shout}, "two": {"source": "b"}},
            {"a": 1, "b": [2]},
            '{"one": "1!", "two": [2]}',
        ),
        ({"source": {"source": "a"}}, {"a": 1}, '{"source": 1}'),
    ],
)
def test_outputs_to_string_says_what_the_model_reads(
    config: dict[str, Any] | None, value: object, content: object
) -> None:
    assert made(outputs_to_string=config).result_content(value) == content


@pytest.mark.parametrize(
    "config",
    [
        {"source": "gone"},
        {"handler": fail},
        {"one": {"source": "gone"}},
        {"source": "a", "handler": fail},
    ],
)
def test_where_it_fails_the_whole_result_is_shown_with_a_warning(
    config: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    content = made(outputs_to_string=config).result_content({"a": 1})

    assert content == '{"a": 1}'
    assert "outputs_to_string of tool 'look' failed" in caplog.text


def handler(current: object, new: object) -> object:
    return new


@pytest.mark.parametrize(
    ("entry", "value", "update"),
    [
        ({"source": "a"}, {"a": 1, "b": 2}, (1, None)),
        ({"source": "a"}, {"a": None}, (None, None)),
        ({}, {"a": 1}, ({"a": 1}, None)),
        ({}, "text", ("text", None)),
        ({"handler": merge_lists}, [1], ([1], merge_lists)),
        ({"source": "a", "handler": handler}, {"a": 1}, (1, handler)),
    ],
)
def test_outputs_to_state_says_what_goes_into_the_state(
    entry: dict[str, Any], value: object, update: tuple[Any, Callable[..., Any] | None]
) -> None:
    look = made(outputs_to_state={"seen": entry})

    assert look.writes == {"seen"}
    assert look.state_updates(value) == [("seen", *update)]


@pytest.mark.parametrize("value", [{"b": 1}, "text", None])
def test_an_entry_whose_source_is_not_there_leaves_the_state_as_it_is(
    value: object, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)

    assert made(outputs_to_state={"seen": {"source": "a"}}).state_updates(value) == []
    assert "Result of tool 'look' has no 'a', so state key 'seen' is left as it is" in caplog.text


def test_a_tool_without_mappings_writes_nothing() -> None:
    assert (made().writes, made().state_updates({"a": 1})) == (frozenset(), [])
