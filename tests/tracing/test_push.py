"""Sending a record to a collector, over OTLP/HTTP."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from answering_server import AnsweringServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from recorded import TRACE, agent, span, team

from podium.tracing import read_trace
from podium.tracing.export import _push, push
from podium.tracing.reading import TraceSpan


def decoded(body: bytes) -> list[Span]:
    request = ExportTraceServiceRequest.FromString(body)
    return [
        each
        for group in request.resource_spans
        for part in group.scope_spans
        for each in part.spans
    ]


def test_a_collector_gets_protobuf_that_says_the_same() -> None:
    with AnsweringServer() as collector:
        (report,) = push(team(), collector.address, headers={"x-key": "k"})

    (request,) = collector.requests
    spans = decoded(request.body)
    assert (report.spans, report.rejected, request.target) == (8, 0, "/v1/traces")
    assert request.headers["content-type"] == "application/x-protobuf"
    assert request.headers["x-key"] == "k"
    assert [each.name for each in spans] == [each.name for each in team()]
    assert spans[1].trace_id.hex() == TRACE
    assert spans[1].parent_span_id == spans[0].span_id
    assert {each.key: each.value.int_value for each in spans[1].attributes}[
        "gen_ai.usage.input_tokens"
    ] == 100


def test_values_of_any_kind_reach_a_collector() -> None:
    odd = span(1, a="\ud800", b=b"\x00", c=(1, None), d={"k": 1.5}, e=2**70, f=float("nan"))

    with AnsweringServer() as collector:
        list(push([odd], collector.address))

    values = {each.key: each.value for each in decoded(collector.requests[0].body)[0].attributes}
    assert values["a"].string_value == "\ufffd"
    assert values["b"].bytes_value == b"\x00"
    assert len(values["c"].array_value.values) == 2
    assert values["d"].kvlist_value.values[0].value.double_value == 1.5
    assert values["e"].string_value == str(2**70)
    assert values["f"].double_value != values["f"].double_value


@pytest.mark.parametrize("encoding", ["json", None])
def test_without_protobuf_a_collector_gets_json(
    encoding: Literal["json"] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(_push, "find_spec", missing)

    with AnsweringServer(content_type="application/x-protobuf") as collector:
        list(push(team(), collector.address + "/", encoding=encoding))

    (request,) = collector.requests
    assert request.headers["content-type"] == "application/json"
    assert len(read_trace(json.loads(request.body))) == 8


def test_many_and_large_spans_go_in_several_requests() -> None:
    many = [span(number) for number in range(1, 600)]
    large = [span(number, text="x" * 1_500_000) for number in (600, 601)]

    with AnsweringServer() as collector:
        reports = list(push([*many, *large], f"{collector.address}/custom/path"))

    assert [report.spans for report in reports] == [512, 88, 1]
    assert {request.target for request in collector.requests} == {"/custom/path"}
    assert max(len(request.body) for request in collector.requests) < 2_000_000


PARTIAL = ExportTraceServiceResponse(
    partial_success=ExportTracePartialSuccess(rejected_spans=3, error_message="too old")
)


@pytest.mark.parametrize(
    ("body", "content_type", "told"),
    [
        (PARTIAL.SerializeToString(), "application/x-protobuf", (3, "too old")),
        (
            b'{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}',
            "application/json",
            (3, "too old"),
        ),
        (b"\xff\xff", "application/x-protobuf", (0, "")),
        (b"OK", "text/plain", (0, "")),
    ],
)
def test_what_a_collector_leaves_out_is_reported(
    body: bytes, content_type: str, told: tuple[int, str]
) -> None:
    with AnsweringServer(body, content_type=content_type) as collector:
        (report,) = push(team(), collector.address)

    assert (report.rejected, report.message) == told


@pytest.mark.parametrize(("body", "said"), [(b"no\x1b[2J  key", r"no\\x1b\[2J key"), (b"", "Forb")])
def test_a_refusal_is_told_in_one_sentence(body: bytes, said: str) -> None:
    with (
        AnsweringServer(body, status=403) as collector,
        pytest.raises(ValueError, match=rf"refused 8 spans with status 403: {said}.* Check the"),
    ):
        list(push(team(), collector.address))


def test_a_collector_that_cannot_be_reached_is_told_in_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"cannot be sent to 'http.*': .* Start the collector"):
        list(push(team(), "http://127.0.0.1:9"))


@pytest.mark.parametrize(
    "endpoint", ["", "localhost:4318", "ftp://x", "http://", "http://[x", "http://x:99999"]
)
def test_what_is_no_address_is_refused_before_anything_is_sent(endpoint: str) -> None:
    with pytest.raises(ValueError, match=r"is no address of a collector. Write it as in http"):
        list(push([agent(1, "a")], endpoint))


def test_nothing_to_send_sends_nothing() -> None:
    spans: list[TraceSpan] = []

    with AnsweringServer() as collector:
        reports = list(push(spans, collector.address))

    assert (reports, collector.requests) == ([], [])
