"""Setting up tracing: spans reach the file and the processor that were asked for."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from podium.tracing import setup_tracing
from podium.tracing._open_span import open_span
from podium.tracing._otlp_file import OtlpFileExporter


def a_span(name: str = "work", attributes: Mapping[str, object] | None = None) -> None:
    outer = open_span(name, kind="internal", parent=None, attributes=attributes or {})
    inner = open_span(f"{name} inside", kind="client", parent=outer.context, attributes={})
    inner.fail(ValueError("private"))
    inner.end()
    outer.event("half way", {"done": 0.5})
    outer.end()


def spans_in(path: Path) -> dict[str, dict[str, Any]]:
    documents = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {
        span["name"]: span
        for document in documents
        for resource in document["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    }


def test_the_file_holds_otlp_json_with_hex_ids_and_times_as_text(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "trace.jsonl"

    with setup_tracing(file=path):
        a_span()

    spans = spans_in(path)
    outer, inner = spans["work"], spans["work inside"]
    assert len(outer["traceId"]) == 32
    assert len(outer["spanId"]) == 16
    assert inner["traceId"] == outer["traceId"]
    assert inner["parentSpanId"] == outer["spanId"]
    assert "parentSpanId" not in outer
    assert (outer["kind"], inner["kind"]) == (1, 3)
    assert int(outer["startTimeUnixNano"]) <= int(inner["startTimeUnixNano"])
    assert int(inner["endTimeUnixNano"]) <= int(outer["endTimeUnixNano"])
    assert inner["status"] == {"code": 2}
    assert "status" not in outer
    assert outer["events"][0]["attributes"] == [{"key": "done", "value": {"doubleValue": 0.5}}]


def test_the_file_says_who_wrote_it_and_by_which_conventions(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"

    with setup_tracing(file=str(path)):
        a_span()

    group = json.loads(path.read_text("utf-8"))["resourceSpans"][0]
    assert {"key": "service.name", "value": {"stringValue": "podium"}} in group["resource"][
        "attributes"
    ]
    scope = group["scopeSpans"][0]["scope"]
    assert scope["name"] == "podium"
    assert scope["attributes"] == [
        {"key": "podium.telemetry.schema", "value": {"stringValue": "genai-0.1"}}
    ]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("text é", {"stringValue": "text é"}),
        (True, {"boolValue": True}),
        (7, {"intValue": "7"}),
        (0.5, {"doubleValue": 0.5}),
        (float("nan"), {"doubleValue": "NaN"}),
        (float("-inf"), {"doubleValue": "-Infinity"}),
        (b"\x00\x01", {"bytesValue": "AAE="}),
        (["a", None], {"arrayValue": {"values": [{"stringValue": "a"}, {}]}}),
        ({"a": 1}, {"kvlistValue": {"values": [{"key": "a", "value": {"intValue": "1"}}]}}),
        ("lone \ud800 half", {"stringValue": "lone ? half"}),
    ],
)
def test_spans_of_the_application_are_written_with_values_of_any_kind(
    value: Any, written: object, tmp_path: Path
) -> None:
    path = tmp_path / "trace.jsonl"

    with setup_tracing(file=path):
        trace.get_tracer("app").start_span("request", attributes={"key": value}).end()

    assert spans_in(path)["request"]["attributes"] == [{"key": "key", "value": written}]


def test_links_are_written(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    tracer = trace.get_tracer("app")

    with setup_tracing(file=path):
        other = tracer.start_span("other")
        tracer.start_span("request", links=[trace.Link(other.get_span_context())]).end()
        other.end()

    spans = spans_in(path)
    assert spans["request"]["links"] == [
        {"traceId": spans["other"]["traceId"], "spanId": spans["other"]["spanId"]}
    ]


def test_the_file_is_continued_also_after_half_a_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('{"resourceSpans":[]}\n{"resour')

    with setup_tracing(file=path):
        a_span()

    first, half, ours = path.read_text("utf-8").splitlines()
    assert (first, half) == ('{"resourceSpans":[]}', '{"resour')
    assert json.loads(ours)["resourceSpans"]


def test_flush_writes_what_has_ended_so_far(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    handle = setup_tracing(file=path)

    a_span()

    assert handle.flush()
    assert set(spans_in(path)) == {"work", "work inside"}
    assert handle.close()


def test_a_closed_handle_gets_no_more_spans_and_closes_once(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    handle = setup_tracing(file=path)

    handle.close()
    a_span()

    assert handle.close()
    assert path.read_text() == ""


def test_two_handles_each_get_the_spans_of_their_time(tmp_path: Path) -> None:
    with setup_tracing(file=tmp_path / "one.jsonl"):
        with setup_tracing(file=tmp_path / "two.jsonl"):
            a_span("both")
        a_span("first")

    assert set(spans_in(tmp_path / "one.jsonl")) == {
        "both",
        "both inside",
        "first",
        "first inside",
    }
    assert set(spans_in(tmp_path / "two.jsonl")) == {"both", "both inside"}


def test_a_span_processor_of_the_callers_own_is_used_and_shut_down() -> None:
    exporter = InMemorySpanExporter()

    with setup_tracing(span_processor=SimpleSpanProcessor(exporter)):
        a_span()

    a_span("too late")
    assert [span.name for span in exporter.get_finished_spans()] == ["work inside", "work"]


@pytest.mark.parametrize("path", ["", "file.txt/trace.jsonl"], ids=["a folder", "below a file"])
def test_a_file_that_cannot_be_written_is_refused_by_name(path: str, tmp_path: Path) -> None:
    (tmp_path / "file.txt").touch()

    with pytest.raises(ValueError, match=r"cannot be written: .* Give the path of a file"):
        setup_tracing(file=tmp_path / path)


def test_no_place_for_spans_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Pass file='trace.jsonl', or another place"):
        setup_tracing()


def test_a_file_that_fails_later_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    exporter = OtlpFileExporter(tmp_path / "trace.jsonl")
    exporter.shutdown()

    with caplog.at_level(logging.WARNING, "podium.tracing"):
        first, second = exporter.export([]), exporter.export([])

    assert not (first.value == 0 or second.value == 0)
    assert len(caplog.records) == 1


class Stuck(SpanProcessor):
    """A processor whose endpoint is dead: it blocks until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def shutdown(self) -> None:
        self.let_go.wait(20)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self.let_go.wait(20)


def test_closing_waits_a_bounded_time_for_a_dead_endpoint(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stuck = Stuck()
    handle = setup_tracing(span_processor=stuck)

    flushed, closed = handle.flush(timeout_seconds=0.05), handle.close(timeout_seconds=0.05)

    stuck.let_go.set()
    assert (flushed, closed) == (False, False)
    assert "exported to Stuck within 0.05 seconds" in caplog.text


class Failing(SpanProcessor):
    def shutdown(self) -> None:
        raise RuntimeError("no such host")


def test_a_processor_that_fails_to_close_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    closed = setup_tracing(span_processor=Failing()).close()

    assert not closed
    assert "could not be flushed or closed: RuntimeError" in caplog.text
    assert "no such host" not in caplog.text  # it may be an address with a key in it


OPEN_AND_LEAVE = """
from podium.tracing import setup_tracing
from podium.tracing._open_span import open_span

setup_tracing(file="trace.jsonl")
open_span("work", kind="internal", parent=None, attributes={}).end()
"""


def test_spans_reach_the_file_when_the_process_ends_without_closing(
    run_python: Callable[..., str], tmp_path: Path
) -> None:
    run_python("-c", OPEN_AND_LEAVE)

    assert set(spans_in(tmp_path / "trace.jsonl")) == {"work"}


@pytest.mark.parametrize(
    "variables", [{"OTEL_SERVICE_NAME": "shop"}, {"OTEL_RESOURCE_ATTRIBUTES": "service.name=shop"}]
)
def test_the_service_name_of_the_environment_is_kept(
    variables: dict[str, str], run_python: Callable[..., str], tmp_path: Path
) -> None:
    run_python("-c", OPEN_AND_LEAVE, **variables)

    written = (tmp_path / "trace.jsonl").read_text("utf-8")
    assert '{"key":"service.name","value":{"stringValue":"shop"}}' in written
    assert '"podium"}}' not in written


def test_a_provider_that_the_application_set_up_is_used_as_it_is(
    run_python: Callable[..., str], tmp_path: Path
) -> None:
    run_python(
        "-c",
        "from opentelemetry import trace\n"
        "from opentelemetry.sdk.resources import Resource\n"
        "from opentelemetry.sdk.trace import TracerProvider\n"
        "trace.set_tracer_provider(TracerProvider(resource=Resource({'service.name': 'shop'})))"
        + OPEN_AND_LEAVE,
    )

    written = (tmp_path / "trace.jsonl").read_text("utf-8")
    assert '{"key":"service.name","value":{"stringValue":"shop"}}' in written


def test_a_provider_that_takes_no_processors_is_refused(run_python: Callable[..., str]) -> None:
    printed = run_python(
        "-c",
        "from opentelemetry import trace\n"
        "from podium.tracing import setup_tracing\n"
        "trace.set_tracer_provider(trace.NoOpTracerProvider())\n"
        "try: setup_tracing(file='trace.jsonl')\n"
        "except ValueError as error: print(error)",
    )

    assert "NoOpTracerProvider" in printed
    assert "Configure it to export" in printed


def test_without_setup_no_span_is_made_and_the_sdk_stays_unloaded(
    run_python: Callable[..., str],
) -> None:
    printed = run_python(
        "-c",
        "import sys\n"
        "from podium.tracing._open_span import NO_SPAN, open_span, tracing_enabled\n"
        "span = open_span('work', kind='internal', parent=None, attributes={})\n"
        "print(span is NO_SPAN, tracing_enabled(), 'opentelemetry.sdk' in sys.modules)",
    )

    assert printed.split() == ["True", "False", "False"]
