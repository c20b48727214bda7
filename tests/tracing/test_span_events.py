"""Events on the span of a model call: who repeats a call need not know its span."""

from __future__ import annotations

from podium.tracing._open_span import OpenSpan, open_span
from podium.tracing._span_events import note_fallback, note_retry
from podium.tracing.testing import SpanRecorder


def a_call() -> OpenSpan:
    return open_span("chat m", kind="client", parent=None, attributes={})


def test_a_retry_is_an_event_on_the_current_span_without_the_errors_text() -> None:
    with SpanRecorder() as recorder:
        span = a_call()
        with span.current():
            note_retry(TimeoutError("the key is sk-123"), attempt=1, delay_seconds=0.5, model="m")
        span.end()

    (event,) = recorder.find("chat m").events
    assert event.name == "podium.retry"
    assert dict(event.attributes or {}) == {
        "podium.retry.attempt": 1,
        "podium.retry.delay_seconds": 0.5,
        "gen_ai.request.model": "m",
        "error.type": "TimeoutError",
    }


def test_a_fallback_names_the_model_that_failed_and_the_next_one() -> None:
    with SpanRecorder() as recorder:
        span = a_call()
        with span.current():
            note_fallback("503", attempt=1, model="large", next_model="small")
            note_fallback("503", attempt=2, model="small", next_model=None)
        span.end()

    first, last = (dict(event.attributes or {}) for event in recorder.find("chat m").events)
    assert first == {
        "podium.retry.attempt": 1,
        "gen_ai.request.model": "large",
        "podium.fallback.model": "small",
        "error.type": "503",
    }
    assert "podium.fallback.model" not in last


def test_outside_a_span_nothing_is_noted() -> None:
    note_retry(TimeoutError(), attempt=1)
    note_fallback(TimeoutError(), attempt=1, model="large", next_model="small")
