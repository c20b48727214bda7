"""Server-sent events as servers really send them."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agent.models._openai import sse as _sse
from podium.agent.models._openai.sse import BrokenEventError, EventReader


def read(data: bytes, *, size: int = 10_000) -> tuple[list[Any], EventReader]:
    """Return the events of a stream that comes in reads of `size` bytes, and its reader."""
    reader = EventReader()
    events = [e for at in range(0, len(data), size) for e in reader.feed(data[at : at + size])]
    return events + reader.close(), reader


@pytest.mark.parametrize(
    "stream",
    [
        b'data: {"a": 1}\n\ndata: {"a": 2}\n\n',
        b'data:{"a":1}\n\ndata:{"a":2}\n\n',
        b'data: {"a": 1}\r\n\r\ndata: {"a": 2}\r\n\r\n',
        b'data: {"a": 1}\r\rdata: {"a": 2}\r\r',
        b'data: {"a": 1}\ndata: {"a": 2}\n',
        b'data: {"a": 1}\n\ndata: {"a": 2}',
        b'\xef\xbb\xbfdata: {"a": 1}\n\ndata: {"a": 2}\n\n',
        b': hello\n\ndata: {"a": 1}\n\n: ping\n: ping\n\ndata: {"a": 2}\n\n',
        b'id: 1\nevent: message\nretry: 5\ndata: {"a": 1}\n\nid: 2\ndata: {"a": 2}\n\n',
        b'data: {"a": 1}\n\ndata: \n\ndata:\n\ndata: {"a": 2}\n\n',
        b'data: {"a": 1}\n\ndata: PROCESSING\n\ndata: {"a": 2}\n\n',
        b'data: {"a":\ndata:  1}\n\ndata: {"a": 2}\n\n',
        b'\n\n\ndata: {"a": 1}\n\n\n\ndata: {"a": 2}\n\n',
    ],
)
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_events_are_found_in_every_spelling(stream: bytes, size: int) -> None:
    events, reader = read(stream, size=size)

    assert events == [{"a": 1}, {"a": 2}]
    assert not reader.is_done


def test_the_mark_of_the_end_is_noted() -> None:
    events, reader = read(b'data: {"a": 1}\n\ndata: [DONE]')

    assert events == [{"a": 1}]
    assert reader.is_done


def test_line_separators_of_unicode_end_no_line() -> None:
    events, _ = read('data: {"a": "one\u2028two\x85three"}\n\n'.encode(), size=1)

    assert events == [{"a": "one\u2028two\x85three"}]


def test_an_event_of_kind_error_comes_out_as_one() -> None:
    stream = b'event: error\ndata: {"message": "full"}\n\nevent: error\ndata: full\n\n'

    assert read(stream)[0] == [{"error": {"message": "full"}}, {"error": "full"}]


def test_an_error_event_that_says_so_itself_is_not_wrapped_twice() -> None:
    assert read(b'event: error\ndata: {"error": "full"}\n\n')[0] == [{"error": "full"}]


def test_the_kind_of_an_event_holds_for_that_event_only() -> None:
    assert read(b'event: error\n\ndata: {"a": 1}\n\n')[0] == [{"a": 1}]


def test_a_bare_error_between_the_events_is_one_too() -> None:
    assert read(b'data: {"a": 1}\n\n{"error": "full"}\n')[0] == [{"a": 1}, {"error": "full"}]


def test_json_that_is_not_quite_right_is_read() -> None:
    events, _ = read(b'data: {"a": "\\ud83c"}\n\ndata: {"a": "x\x01y"}\n\ndata: {"a": "\xff"}\n\n')

    assert events == [{"a": "\ud83c"}, {"a": "x\x01y"}, {"a": "\ufffd"}]


def test_an_event_cut_off_at_the_end_is_passed_over() -> None:
    assert read(b'data: {"a": 1}\n\ndata: {"a"')[0] == [{"a": 1}]


def test_an_event_that_is_no_json_is_an_error() -> None:
    with pytest.raises(BrokenEventError, match=r'\{"a"'):
        read(b'data: {"a"\n\ndata: {"a": 2}\n\n')


@pytest.mark.parametrize(
    "stream", [b"data: " + b"x" * 200, b"data: {\n" + b"data: " + b"x" * 50 + b"\n" + b"data: yyy"]
)
def test_an_event_without_end_does_not_fill_the_memory(
    stream: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_sse, "MAX_EVENT_BYTES", 50)

    with pytest.raises(BrokenEventError):
        read(stream)


def test_what_is_no_stream_of_events_is_remembered() -> None:
    assert read(b"<html>\n<body>Hello</body>")[1].stray == "<html>"
    assert read(b"<html>Hello")[1].stray == "<html>Hello"
    assert read(b"retry: 5\n: ping\nid: 4\n")[1].stray == ""


def test_a_document_in_the_place_of_events_is_the_only_event() -> None:
    reader = EventReader(is_document=True)

    events = [*reader.feed(b'{"a":\n'), *reader.feed(b" 1}"), *reader.close()]

    assert events == [{"a": 1}]
    assert reader.is_done


def test_a_document_that_is_no_json_is_an_error() -> None:
    reader = EventReader(is_document=True)
    reader.feed(b"{")

    with pytest.raises(BrokenEventError):
        reader.close()


def test_nothing_counts_after_the_end_whether_it_comes_in_the_same_read_or_not() -> None:
    events, _ = read(b'data: {"a": 1}\n\ndata: [DONE]\n\ndata: {"a": 2}\n\n')

    assert events == [{"a": 1}]
