"""Values that no honest recorder writes: every question about the trace is still answered."""

from __future__ import annotations

import json
from typing import Any

import pytest
from recorded import agent, chat, span

from podium.tracing import Trace, read_trace
from podium.tracing.export import encode, jaeger_document, otlp_document
from podium.tracing.page import render_page
from podium.tracing.reading import SpanEvent

DEEP = "[" * 800 + "]" * 800


def ask_everything(trace: Trace) -> None:
    """Put each question; none may raise."""
    assert len(trace.usage_trees()) < 10
    assert encode(jaeger_document(trace))
    assert encode(otlp_document(trace.spans))
    assert render_page(trace)
    assert trace.why()
    assert len(trace.diff(trace)) < 10
    assert len(trace.waits()) + len(trace.critical_path()) < 10


@pytest.mark.parametrize(
    "tag", ["stringValue", "intValue", "doubleValue", "bytesValue", "boolValue", "strange"]
)
@pytest.mark.parametrize("fields", ["resourceSpans", "resource_spans"])
def test_a_value_nested_past_any_depth_is_read_as_far_as_it_can_be_told(
    fields: str, tag: str
) -> None:
    document = otlp_document([span(1, key="here")])
    text = json.dumps(document).replace('{"stringValue": "here"}', f'{{"{tag}": {DEEP}}}')

    trace = read_trace(text.replace("resourceSpans", fields))

    assert text.count(DEEP) == 1
    ask_everything(trace)


def test_tagged_values_within_each_other_are_read_as_far_as_they_can_be_told() -> None:
    nested = '{"kvlistValue":{"values":[{"key":"a","value":' * 150 + "{}" + "}]}}" * 150
    text = json.dumps(otlp_document([span(1, key="here")])).replace(
        '{"stringValue": "here"}', nested
    )

    ask_everything(read_trace(text))


@pytest.mark.parametrize("kind", ["string", "int64", "float64", "binary", "strange"])
def test_a_tag_of_jaeger_nested_past_any_depth_is_read_too(kind: str) -> None:
    tag = {"key": "k", "type": kind, "value": "here"}
    one = {"traceID": "7a", "spanID": "1", "operationName": "work", "tags": [tag]}
    text = json.dumps({"data": [{"spans": [one], "processes": {}}]}).replace('"here"', DEEP)

    ask_everything(read_trace(text))


@pytest.mark.parametrize("seconds", [10**400, float("inf"), float("nan"), -1, "soon", DEEP])
def test_a_wait_of_no_possible_length_is_none(seconds: Any) -> None:
    event = SpanEvent(
        name="podium.retry", time_ns=1, attributes={"podium.retry.delay_seconds": seconds}
    )
    trace = Trace([agent(1, "a", events=(event,))])

    ask_everything(trace)

    assert trace.waits() == ()


@pytest.mark.parametrize("cost", ["1e999999", "1e500000000", 10**400, 1e300, "NaN"])
def test_a_cost_that_no_run_has_is_not_known(cost: Any) -> None:
    calls = [chat(number, below=1, used=(1, 1), podium__cost__total_usd=cost) for number in (2, 3)]
    trace = Trace([agent(1, "a", podium__cost__total_usd=cost), *calls])

    ask_everything(trace)

    assert trace.usage_by("model")["m"].cost is None


def test_many_runs_beside_each_other_are_explained_in_time_that_grows_with_their_number() -> None:
    trace = Trace([agent(number, "a", reason="cancelled") for number in range(1, 5_001)])

    assert len(trace.why()) == 1
