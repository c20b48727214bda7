"""Reading a trace from Jaeger's query address."""

from __future__ import annotations

import pytest
from answering_server import AnsweringServer
from recorded import TRACE, team

from podium.tracing import Trace, read_trace
from podium.tracing.export import encode, jaeger_document
from podium.tracing.reading import read_traces

DOCUMENT = encode(jaeger_document(Trace(team())))


@pytest.mark.parametrize(
    ("path", "trace_id", "asked"),
    [
        ("", TRACE, f"/api/traces/{TRACE}"),
        ("/", TRACE.upper(), f"/api/traces/{TRACE}"),
        (f"/trace/{TRACE}?uiFind=x", None, f"/api/traces/{TRACE}"),
        (f"/api/traces/{TRACE}", None, f"/api/traces/{TRACE}"),
        ("/jaeger/ui", TRACE, f"/jaeger/ui/api/traces/{TRACE}"),
    ],
)
def test_a_trace_is_asked_for_by_its_id(path: str, trace_id: str | None, asked: str) -> None:
    with AnsweringServer(DOCUMENT) as jaeger:
        trace = read_trace(jaeger.address + path, trace_id=trace_id)

    assert [each.name for each in trace.spans] == [each.name for each in Trace(team()).spans]
    assert [request.target for request in jaeger.requests] == [asked]


def test_the_newest_traces_of_a_service_are_asked_for() -> None:
    with AnsweringServer(DOCUMENT) as jaeger:
        (trace,) = read_traces(jaeger.address, service="shop & co")

    assert trace.trace_id == TRACE
    assert jaeger.requests[0].target == "/api/traces?service=shop+%26+co&limit=20"


@pytest.mark.parametrize("trace_id", [None, "", "../secrets", "7a?x"])
def test_what_is_no_trace_id_is_refused_before_anything_is_asked(trace_id: str | None) -> None:
    with (
        AnsweringServer(DOCUMENT) as jaeger,
        pytest.raises(ValueError, match=r"which is no trace id. Pass its hex digits"),
    ):
        read_trace(jaeger.address, trace_id=trace_id)

    assert jaeger.requests == []


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (
            b'{"data":null,"errors":[{"code":404,"msg":"trace not found"}]}',
            404,
            r"status 404: trace not found. Check the trace id",
        ),
        (b"<html>not Jaeger</html>", 200, r"status 200: no JSON of a trace. Check"),
        (b"[" * 100_000, 200, r"status 200: no JSON of a trace. Check"),
        (b'{"data":[]}', 200, r"holds no spans. It is empty"),
    ],
)
def test_an_answer_without_a_trace_is_told_in_one_sentence(
    body: bytes, status: int, said: str
) -> None:
    with AnsweringServer(body, status=status) as jaeger, pytest.raises(ValueError, match=said):
        read_trace(jaeger.address, trace_id="7a")


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://127.0.0.1:99999", "http://"])
def test_a_jaeger_that_cannot_be_reached_is_told_in_one_sentence(address: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be asked at .*[^.]\. Start it, or give"):
        read_trace(address, trace_id="7a")
