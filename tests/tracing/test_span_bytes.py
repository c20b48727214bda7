"""Spans as bytes: what a collector reads is what the library itself would have sent."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceState

from podium.tracing._span_bytes import request_bytes

MOST = 2**63 - 1
SHOP, DESK = Resource({"service.name": "shop"}), Resource({"service.name": "desk"}, "schema/1")
ORIGINS = [
    (resource, scope)
    for resource in (SHOP, DESK)
    for scope in (InstrumentationScope("podium", "1", "schema/2", {"a": 1}), None)
]

texts = st.text(st.characters(codec="utf-8"), max_size=200)
scalars = (
    texts
    | st.booleans()
    | st.integers(-MOST - 1, MOST)
    | st.floats(allow_nan=False)
    | st.just(-0.0)
)
values = scalars | st.lists(scalars, max_size=3).map(tuple) | st.binary(max_size=5)
attributes = st.dictionaries(texts, values, max_size=6)
times = st.integers(0, MOST)
places = st.builds(
    SpanContext,
    st.integers(1, 2**128 - 1),
    st.integers(1, 2**64 - 1),
    st.booleans(),
    trace_state=st.dictionaries(st.text(string.ascii_lowercase, min_size=1), st.just("v")).map(
        lambda state: TraceState(list(state.items()))
    ),
)
statuses = st.sampled_from([Status(), Status(StatusCode.OK)]) | st.builds(
    Status, st.just(StatusCode.ERROR), st.none() | texts
)


@st.composite
def recorded(draw: st.DrawFn) -> ReadableSpan:
    resource, scope = draw(st.sampled_from(ORIGINS))
    is_plain = draw(st.booleans())
    return ReadableSpan(
        draw(texts),
        context=draw(places),
        parent=draw(st.none() | places),
        resource=resource,
        attributes=draw(attributes),
        events=() if is_plain else [Event("event", draw(attributes), draw(times))],
        links=() if is_plain else [Link(draw(places), draw(attributes))],
        kind=draw(st.sampled_from(SpanKind)),
        status=draw(statuses),
        start_time=draw(times),
        end_time=draw(times),
        instrumentation_scope=scope,
    )


def by_origin(request: ExportTraceServiceRequest) -> dict[bytes, dict[bytes, list[bytes]]]:
    """Return the spans by what is said of their resource and scope, each message as bytes."""
    told: dict[bytes, dict[bytes, list[bytes]]] = {}
    for origin in request.resource_spans:
        by_scope = told.setdefault(origin.resource.SerializeToString(deterministic=True), {})
        for scope in origin.scope_spans:
            spans = by_scope.setdefault(scope.scope.SerializeToString(deterministic=True), [])
            spans += [span.SerializeToString(deterministic=True) for span in scope.spans]
    return told


def read(spans: list[ReadableSpan]) -> ExportTraceServiceRequest:
    return ExportTraceServiceRequest.FromString(request_bytes(spans))


@given(st.lists(recorded(), max_size=8))
def test_a_request_says_what_the_librarys_own_says(spans: list[ReadableSpan]) -> None:
    assert by_origin(read(spans)) == by_origin(encode_spans(spans))


def test_the_schemas_of_resource_and_scope_are_told() -> None:
    resource, scope = ORIGINS[2]
    place = SpanContext(1, 1, is_remote=False)

    (told,) = read(
        [ReadableSpan("a", place, resource=resource, instrumentation_scope=scope)]
    ).resource_spans

    assert (told.schema_url, told.scope_spans[0].schema_url) == ("schema/1", "schema/2")


def attributes_told(given: dict[str, Any]) -> list[str]:
    span = ReadableSpan("a", SpanContext(1, 1, is_remote=False), attributes=given)
    (told,) = read([span]).resource_spans[0].scope_spans[0].spans
    return [each.key for each in told.attributes]


def test_of_a_span_with_an_attribute_that_cannot_be_sent_the_others_are() -> None:
    for wrong in (2**63, "\ud800", object()):
        assert attributes_told({"good": 1, "wrong": wrong}) == ["good"]


def test_rare_values_are_sent_as_the_library_does() -> None:
    assert attributes_told({"map": {"a": 1}, "gap": (None, "a"), "bytes": b"a"}) == [
        "map",
        "gap",
        "bytes",
    ]


def test_true_and_one_are_told_apart_however_often_they_come() -> None:
    place = SpanContext(1, 1, is_remote=False)
    spans = [
        ReadableSpan("a", place, resource=SHOP, attributes={"key": value})
        for value in (1, True, 1.0, "1", 1, True)
    ]

    told = read(spans).resource_spans[0].scope_spans[0].spans

    assert [each.attributes[0].value.WhichOneof("value") for each in told] == [
        "int_value",
        "bool_value",
        "double_value",
        "string_value",
        "int_value",
        "bool_value",
    ]
