"""Handing traces on: the documents that Jaeger's UI and collectors read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from recorded import NOON, SECOND, TRACE, agent, chat, span, team

from podium.tracing import Trace
from podium.tracing.export import encode, jaeger_document, otlp_document
from podium.tracing.reading import Source, SpanEvent, SpanLink, TraceSpan

SHOP = Source(name="shop", attributes={"service.name": "shop", "host.name": "h"})


def full_span() -> TraceSpan:
    return TraceSpan(
        trace_id=TRACE,
        span_id="2".zfill(16),
        parent_id="1".zfill(16),
        name="chat m",
        kind="client",
        start_ns=NOON + 1_999,
        end_ns=NOON + SECOND,
        attributes={"text": "t", "many": ("a", 1)},
        events=(SpanEvent(name="podium.retry", time_ns=NOON, attributes={"n": 1}),),
        links=(SpanLink(trace_id="b" * 32, span_id="c" * 16),),
        status="error",
        status_message="no",
        service=SHOP,
        scope=Source(name="podium", version="1", attributes={"k": "v"}),
    )


def jaeger(*spans: TraceSpan) -> Any:
    return json.loads(encode(jaeger_document(Trace(spans))))["data"][0]


def test_jaeger_gets_the_fields_that_its_ui_reads() -> None:
    trace = jaeger(span(1), full_span())

    assert trace["traceID"] == TRACE
    assert trace["processes"] == {
        "p1": {"serviceName": "unknown_service", "tags": []},
        "p2": {
            "serviceName": "shop",
            "tags": [{"key": "host.name", "type": "string", "value": "h"}],
        },
    }
    assert trace["spans"][1] == {
        "traceID": TRACE,
        "spanID": "2".zfill(16),
        "operationName": "chat m",
        "references": [
            {"refType": "CHILD_OF", "traceID": TRACE, "spanID": "1".zfill(16)},
            {"refType": "FOLLOWS_FROM", "traceID": "b" * 32, "spanID": "c" * 16},
        ],
        "startTime": NOON // 1000 + 1,
        "duration": 999_999,
        "tags": [
            {"key": "text", "type": "string", "value": "t"},
            {"key": "many", "type": "string", "value": '["a", 1]'},
            {"key": "span.kind", "type": "string", "value": "client"},
            {"key": "otel.status_code", "type": "string", "value": "ERROR"},
            {"key": "otel.status_description", "type": "string", "value": "no"},
            {"key": "otel.scope.name", "type": "string", "value": "podium"},
            {"key": "otel.scope.version", "type": "string", "value": "1"},
            {"key": "error", "type": "bool", "value": True},
        ],
        "logs": [
            {
                "timestamp": NOON // 1000,
                "fields": [
                    {"key": "event", "type": "string", "value": "podium.retry"},
                    {"key": "n", "type": "int64", "value": 1},
                ],
            }
        ],
        "processID": "p2",
        "warnings": None,
    }


@pytest.mark.parametrize(
    ("value", "tag"),
    [
        (True, {"type": "bool", "value": True}),
        (2**53, {"type": "int64", "value": str(2**53)}),
        (0.5, {"type": "float64", "value": 0.5}),
        (float("inf"), {"type": "float64", "value": "inf"}),
        (b"\x00", {"type": "binary", "value": "AA=="}),
        ("\ud800 \x00", {"type": "string", "value": "? \x00"}),
        ({"a": b"x"}, {"type": "string", "value": '{"a": "b\'x\'"}'}),
        (None, {"type": "string", "value": "null"}),
    ],
)
def test_jaeger_gets_values_of_any_kind(value: object, tag: dict[str, object]) -> None:
    (found,) = [
        each for each in jaeger(span(1, key=value))["spans"][0]["tags"] if each["key"] == "key"
    ]

    assert found == {"key": "key", **tag}


def test_jaeger_gets_an_orphans_parent_but_no_circle_and_what_was_wrong() -> None:
    circle = [span(1, below=2), span(2, below=1, start=1)]

    trace = jaeger(*circle, span(3, below=9, start=2))

    assert [len(each["references"]) for each in trace["spans"]] == [0, 1, 1]
    assert trace["spans"][2]["references"][0]["spanID"] == "9".zfill(16)
    assert len(trace["spans"][0]["warnings"]) == 2


def test_jaeger_gets_several_traces_in_one_document() -> None:
    other = [span(1, trace_id="b" * 32)]

    document = jaeger_document(Trace(team()), Trace(other), Trace([]))

    assert len(json.loads(encode(document))["data"]) == 2


def test_otlp_groups_spans_by_service_and_library() -> None:
    document = json.loads(encode(otlp_document([full_span(), *team(), full_span()])))

    shop, unnamed = document["resourceSpans"]
    assert shop["resource"]["attributes"][0] == {
        "key": "service.name",
        "value": {"stringValue": "shop"},
    }
    assert unnamed["resource"]["attributes"] == []
    (part,) = shop["scopeSpans"]
    assert (part["scope"]["name"], len(part["spans"])) == ("podium", 2)


def test_otlp_keeps_parents_as_recorded_and_leaves_out_what_is_not_known() -> None:
    spans = [agent(1, "a", took=None), chat(2, below=9, used=(1, 1))]

    document: Any = otlp_document(spans)

    one, other = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
    assert "endTimeUnixNano" not in one
    assert other["parentSpanId"] == "9".zfill(16)
