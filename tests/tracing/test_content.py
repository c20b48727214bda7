"""Content in traces: left out, put where it is wanted, redacted, and cut to a size."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from podium.tracing import _redaction, content, setup_tracing
from podium.tracing import attributes as names
from podium.tracing._open_span import open_span
from podium.tracing.content import CAPTURE_VARIABLE, MAX_CONTENT_BYTES, Capture, content_text
from podium.tracing.testing import SpanRecorder


@pytest.fixture(autouse=True)
def afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each test say by itself what the environment asks for."""
    monkeypatch.delenv(CAPTURE_VARIABLE, raising=False)
    monkeypatch.setattr(content, "_captured", None)
    yield
    content._set_wishes(())


def written(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def a_tool_span(arguments: object = {"q": "ox"}, error: Exception | None = None) -> None:
    span = open_span("execute_tool", kind="internal", parent=None, attributes={"tool": "ann@x.org"})
    span.set_content(names.TOOL_ARGUMENTS, arguments)
    if error is not None:
        span.fail(error)
    span.end()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        (None, Capture.NO_CONTENT),
        (False, Capture.NO_CONTENT),
        ("no_content", Capture.NO_CONTENT),
        (True, Capture.SPAN_ONLY),
        ("true", Capture.SPAN_ONLY),
        ("SPAN_ONLY", Capture.SPAN_ONLY),
        ("EVENT_ONLY", Capture.EVENT_ONLY),
        (" span_and_event ", Capture.SPAN_AND_EVENT),
        (Capture.EVENT_ONLY, Capture.EVENT_ONLY),
    ],
)
def test_words_for_where_content_is_recorded(asked: Any, meant: Capture) -> None:
    assert Capture.of(asked) == meant


@pytest.mark.parametrize("word", ["yes", "SPANS", "1"])
def test_a_word_that_means_nothing_is_refused(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=f"capture_content='{word}' says nothing"):
        setup_tracing(console=True, capture_content=word)

    monkeypatch.setenv(CAPTURE_VARIABLE, word)
    with pytest.raises(ValueError, match=f"{CAPTURE_VARIABLE}='{word}' says nothing"):
        setup_tracing(console=True)


def test_content_is_left_out_unless_asked_for() -> None:
    with SpanRecorder() as recorder:
        a_tool_span(error=ValueError("the ox is mine"))

    assert names.TOOL_ARGUMENTS not in written(recorder.spans[0])
    assert recorder.spans[0].status.description is None
    assert "ox" not in recorder.spans[0].to_json()


def test_content_that_is_asked_for_stands_on_the_span_as_json() -> None:
    with (
        setup_tracing(span_processor=SpanProcessor(), capture_content=True),
        SpanRecorder() as recorder,
    ):
        a_tool_span(error=ValueError("the ox is mine"))

    (span,) = recorder.spans
    assert json.loads(written(span)[names.TOOL_ARGUMENTS]) == {"q": "ox"}
    assert span.status.description == "the ox is mine"
    assert dict(span.events[0].attributes or {})["exception.message"] == "the ox is mine"


def test_the_environment_asks_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CAPTURE_VARIABLE, "SPAN_ONLY")

    with SpanRecorder() as recorder:
        a_tool_span()

    assert names.TOOL_ARGUMENTS in written(recorder.spans[0])


def test_a_place_that_did_not_ask_is_shown_no_content_that_another_asked_for() -> None:
    plain, full = InMemorySpanExporter(), InMemorySpanExporter()

    with (
        setup_tracing(span_processor=SimpleSpanProcessor(plain)),
        setup_tracing(span_processor=SimpleSpanProcessor(full), capture_content=True),
    ):
        a_tool_span(error=ValueError("the ox is mine"))

    assert "ox" in full.get_finished_spans()[0].to_json()
    (span,) = plain.get_finished_spans()
    assert "ox" not in span.to_json()
    assert written(span)[names.ERROR_TYPE] == "ValueError"


def test_content_is_no_longer_recorded_when_who_asked_has_closed() -> None:
    setup_tracing(span_processor=SpanProcessor(), capture_content=True).close()

    with SpanRecorder() as recorder:
        a_tool_span()

    assert names.TOOL_ARGUMENTS not in written(recorder.spans[0])


def masked(key: str, text: str) -> str | None:
    return text.replace("ann@x.org", "***")


def dropped(key: str, text: str) -> str | None:
    return None


def failing(key: str, text: str) -> str | None:
    raise RuntimeError(f"cannot read {text}")


@pytest.mark.parametrize(
    ("redact", "arguments", "tool"),
    [
        (masked, '{"to":"***"}', "***"),
        ([masked], '{"to":"***"}', "***"),
        ("gen_ai.tool.call.*", "[redacted]", "ann@x.org"),
        (["tool", "gen_ai.*"], "[redacted]", "[redacted]"),
        (dropped, '{"[redacted]":"[redacted]"}', "[redacted]"),
        (failing, '{"[redacted]":"[redacted]"}', "[redacted]"),
    ],
)
def test_what_is_redacted_reaches_no_place(redact: Any, arguments: str, tool: str) -> None:
    with (
        setup_tracing(span_processor=SpanProcessor(), capture_content=True, redact=redact),
        SpanRecorder() as recorder,
    ):
        a_tool_span({"to": "ann@x.org"})

    assert written(recorder.spans[0]) == {"tool": tool, names.TOOL_ARGUMENTS: arguments}


def test_lists_are_redacted_item_by_item_and_a_hidden_number_is_hidden() -> None:
    redaction = _redaction.Redaction([masked, "port"])
    _redaction.add(redaction)

    with SpanRecorder() as recorder:
        facts = {"to": ["ann@x.org", 1], "port": 80, "no": None}
        open_span("a", kind="internal", parent=None, attributes=facts).end()

    _redaction.remove(redaction)
    assert written(recorder.spans[0]) == {"to": ("***", "1"), "port": "[redacted]"}


def test_a_redact_function_that_fails_is_said_once_without_the_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    _redaction._said.clear()

    with setup_tracing(span_processor=SpanProcessor(), capture_content=True, redact=failing):
        a_tool_span({"to": "ann@x.org"})

    (record,) = caplog.records
    assert "A redact function failed (RuntimeError)" in record.getMessage()
    assert "ann@x.org" not in caplog.text


def test_something_else_than_a_function_or_a_pattern_is_refused() -> None:
    bad: Any = [42]

    with pytest.raises(TypeError, match="redact=42 is neither a function"):
        setup_tracing(console=True, redact=bad)


def test_a_secret_that_a_cut_would_halve_is_redacted_before() -> None:
    redaction = _redaction.Redaction(masked)
    _redaction.add(redaction)

    text = content_text("key", "x" * (16 * 1024 - 4) + "ann@x.org" + "y" * 9_000)

    _redaction.remove(redaction)
    assert "ann" not in text


@pytest.mark.parametrize("character", ["a", "é", "日", "😀"])
def test_a_long_text_is_cut_on_a_character_and_marked(character: str) -> None:
    text = content_text("key", {"said": character * 50_000})

    said = json.loads(text)["said"]
    assert len(text.encode()) <= MAX_CONTENT_BYTES
    assert said.startswith(character * 1_000)
    assert said.endswith(f"{character}… [cut: {50_000 * len(character.encode()):,} bytes]")


def test_many_texts_are_shortened_until_they_fit_together() -> None:
    text = content_text("key", [{"said": "word " * 1_000}] * 40)

    assert len(json.loads(text)) == 40
    assert len(text.encode()) <= MAX_CONTENT_BYTES


def test_what_does_not_fit_however_short_its_texts_are_is_cut_as_a_whole() -> None:
    text = content_text("key", ["a word"] * 100_000)

    assert len(text.encode()) <= MAX_CONTENT_BYTES
    assert text.endswith(" bytes]")


def test_text_alone_stays_text() -> None:
    assert content_text("key", "a result") == "a result"


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(json_like)
def test_any_data_becomes_text_that_encodes(data: object) -> None:
    text = content_text("key", {"data": data})

    assert json.loads(text).keys() == {"data"}
    assert text.encode()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (10**5000, '["<int>"]'),
        (float("nan"), '["nan"]'),
        ("\ud800", '["?"]'),
        ("\x00", '["\\u0000"]'),
        ({1: 2}, '[{"1":2}]'),
        (b"\xff", "[\"b'\\\\xff'\"]"),
    ],
    ids=["huge", "nan", "surrogate", "nul", "keys", "bytes"],
)
def test_odd_values_are_told_somehow(value: object, shown: str) -> None:
    assert content_text("key", [value]) == shown


def test_data_nested_too_deep_is_told_as_text() -> None:
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]

    assert "[[[" in content_text("key", deep)


def test_a_wrong_word_in_the_environment_does_not_fail_a_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(CAPTURE_VARIABLE, "perhaps")

    with caplog.at_level(logging.WARNING), SpanRecorder() as recorder:
        a_tool_span()

    assert names.TOOL_ARGUMENTS not in written(recorder.spans[0])
    assert caplog.records == []
