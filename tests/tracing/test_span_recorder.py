"""SpanRecorder: what a test sees of the spans of a block."""

from __future__ import annotations

import pytest

from podium.tracing._open_span import open_span
from podium.tracing.testing import SpanRecorder


def a_span(name: str, **attributes: object) -> None:
    open_span(name, kind="internal", parent=None, attributes=attributes).end()


def test_the_tree_shows_chosen_attributes_behind_the_names() -> None:
    with SpanRecorder() as recorder:
        a_span("one", tokens=5, model="m")
        a_span("two", tokens=7)

    assert recorder.tree("tokens", "model") == "one  tokens=5  model=m\ntwo  tokens=7"


def test_only_the_spans_of_the_block_are_recorded() -> None:
    with SpanRecorder() as first:
        a_span("first")
    a_span("between")
    with SpanRecorder() as second:
        a_span("second")

    assert (first.tree(), second.tree()) == ("first", "second")


def test_siblings_stand_in_the_order_in_which_they_started() -> None:
    with SpanRecorder() as recorder:
        early = open_span("early", kind="internal", parent=None, attributes={})
        a_span("late")
        early.end()

    assert recorder.tree() == "early\nlate"


def test_a_span_that_was_not_ended_shows_as_open() -> None:
    with SpanRecorder() as recorder:
        span = open_span("forgotten", kind="internal", parent=None, attributes={})
        a_span("done")

    assert [each.name for each in recorder.open_spans] == ["forgotten"]
    assert recorder.tree() == "done"
    span.end()
    assert recorder.open_spans == ()


def test_looking_for_a_span_that_is_not_there_names_those_that_are() -> None:
    with SpanRecorder() as recorder:
        a_span("chat m")

    with pytest.raises(LookupError, match=r"No span named 'chat' .* one of \['chat m'\]"):
        recorder.find("chat")
