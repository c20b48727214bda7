"""Sending spans and metrics to a collector, one that answers and one that does not."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from opentelemetry import trace
from otlp_receiver import OtlpReceiver, attributes_of

from podium.tracing import Usage, setup_tracing
from podium.tracing import attributes as names
from podium.tracing._metrics import measure_agent, measure_call, measure_tool
from podium.tracing._spans import agent_span, chat_facts, chat_span, set_chat_result

FACTS = chat_facts(
    model="desk",
    provider="openai",
    agent_name="facts",
    step=1,
    path="facts",
    server_address="localhost",
    server_port=8080,
)


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with OtlpReceiver() as receiver:
        yield receiver


def a_run() -> None:
    agent = agent_span(name="facts", description="", path="facts", depth=0, run_id="r", parent=None)
    chat = chat_span(FACTS, agent.context)
    set_chat_result(chat, Usage(input_tokens=9, output_tokens=3, requests=1))
    chat.end()
    agent.end()


def measure() -> None:
    usage = Usage(input_tokens=9, output_tokens=3, requests=1, tool_calls=2)
    measure_call(FACTS, seconds=0.5, usage=usage, first_chunk_seconds=0.1)
    measure_call(FACTS, seconds=0.5, error=TimeoutError())
    measure_tool("lookup", agent_name="facts", seconds=0.25)
    measure_agent("facts", seconds=2.0, own=usage)


def test_spans_reach_a_collector_with_their_parents(receiver: OtlpReceiver) -> None:
    with setup_tracing(otlp_endpoint=receiver.endpoint):
        a_run()

    chat, agent = receiver.spans
    assert (chat.name, agent.name) == ("chat desk", "invoke_agent facts")
    assert chat.parent_span_id == agent.span_id
    assert chat.trace_id == agent.trace_id
    assert attributes_of(chat)["gen_ai.usage.input_tokens"] == 9
    assert attributes_of(agent)["gen_ai.agent.name"] == "facts"


@pytest.mark.parametrize("path", ["", "/", "/v1/traces", "/v1/metrics"])
def test_the_address_may_be_the_collectors_root_or_that_of_a_signal(
    path: str, receiver: OtlpReceiver
) -> None:
    with setup_tracing(otlp_endpoint=receiver.endpoint + path):
        a_run()
        measure()

    assert len(receiver.spans) == 2
    assert "gen_ai.client.token.usage" in receiver.metrics


def test_a_request_of_many_megabytes_is_sent_as_well(receiver: OtlpReceiver) -> None:
    handle = setup_tracing(otlp_endpoint=receiver.endpoint)
    large = {"body": "x" * (17 * 2**20)}
    trace.get_tracer("the application").start_span("upload", attributes=large).end()

    assert handle.close(timeout_seconds=60)

    assert [span.name for span in receiver.spans] == ["upload"]


def test_metrics_say_durations_tokens_and_counts_by_agent(receiver: OtlpReceiver) -> None:
    with setup_tracing(otlp_endpoint=receiver.endpoint):
        measure()

    metrics = receiver.metrics
    assert sorted(metrics) == [
        "gen_ai.client.operation.duration",
        "gen_ai.client.operation.time_to_first_chunk",
        "gen_ai.client.token.usage",
        "gen_ai.execute_tool.duration",
        "gen_ai.invoke_agent.duration",
        "gen_ai.invoke_agent.inference_calls",
        "gen_ai.invoke_agent.tool_calls",
    ]
    sent, written = metrics["gen_ai.client.token.usage"].histogram.data_points
    assert (sent.sum, written.sum) == (9, 3)
    assert attributes_of(sent)["gen_ai.token.type"] == "input"
    assert attributes_of(sent)["gen_ai.agent.name"] == "facts"
    assert list(sent.explicit_bounds)[:3] == [1, 4, 16]
    good, failed = metrics["gen_ai.client.operation.duration"].histogram.data_points
    assert "error.type" not in attributes_of(good)
    assert attributes_of(failed)["error.type"] == "TimeoutError"
    assert attributes_of(failed)["server.address"] == "localhost"
    assert good.explicit_bounds[0] == 0.01
    (tool,) = metrics["gen_ai.execute_tool.duration"].histogram.data_points
    assert attributes_of(tool)["gen_ai.tool.name"] == "lookup"
    (count,) = metrics["gen_ai.invoke_agent.tool_calls"].histogram.data_points
    assert (count.sum, attributes_of(count)["gen_ai.agent.name"]) == (2, "facts")


def test_metrics_are_not_sent_where_the_environment_wants_none(
    receiver: OtlpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")

    with setup_tracing(otlp_endpoint=receiver.endpoint):
        a_run()
        measure()

    assert len(receiver.spans) == 2
    assert receiver.metrics == {}


def test_the_endpoint_and_headers_of_the_environment_are_used(
    receiver: OtlpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=shop")

    with setup_tracing():
        a_run()

    assert len(receiver.spans) == 2
    assert receiver.headers[0]["x-tenant"] == "shop"


@pytest.mark.parametrize("endpoint", ["localhost:4318", "grpc://localhost:4317", "", "http://"])
def test_an_address_that_is_none_is_refused(endpoint: str) -> None:
    with pytest.raises(ValueError, match=r"no URL of a collector. Write it as 'http://localhost"):
        setup_tracing(otlp_endpoint=endpoint)


def test_without_the_exporter_the_error_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "podium.tracing._otlp", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.metric_exporter", None)

    with pytest.raises(ImportError, match=r"pip install 'podium\[otlp\]'"):
        setup_tracing(otlp_endpoint="http://localhost:4318")


def unused_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_a_collector_that_is_not_there_costs_two_seconds_at_the_end_and_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = f"http://127.0.0.1:{unused_port()}"
    handle = setup_tracing(otlp_endpoint=f"{place}?key=secret-4711")
    started = time.monotonic()
    a_run()
    ran = time.monotonic() - started

    closed = handle.close()

    took = time.monotonic() - started
    assert not closed
    assert ran < 0.5
    assert took < 2.5
    (record,) = caplog.records
    assert f"exported to {place} within 2.0 seconds" in record.getMessage()
    assert "secret-4711" not in caplog.text


def test_after_closing_nobody_tries_a_dead_collector_any_more() -> None:
    before = set(threading.enumerate())
    handle = setup_tracing(otlp_endpoint=f"http://127.0.0.1:{unused_port()}")
    a_run()
    measure()
    started = set(threading.enumerate()) - before

    assert not handle.close(timeout_seconds=0.2)

    assert started
    for thread in started:
        thread.join(2)
    assert [thread.name for thread in started if thread.is_alive()] == []


def test_a_collector_that_takes_but_never_answers_is_waited_for_as_long(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with OtlpReceiver(is_stuck=True) as receiver:
        handle = setup_tracing(otlp_endpoint=receiver.endpoint)
        a_run()
        started = time.monotonic()

        closed = handle.close(timeout_seconds=0.3)

        took = time.monotonic() - started
    assert not closed
    assert took < 1.0
    assert len(caplog.records) == 1


def test_a_collector_that_refuses_is_said_once_with_its_status(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with OtlpReceiver(status=401) as receiver:
        handle = setup_tracing(otlp_endpoint=receiver.endpoint)
        a_run()
        handle.flush()
        a_run()
        handle.close()

    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1
    assert f"could not be sent to {receiver.endpoint} (status 401)" in said[0]


def test_log_lines_of_the_applications_own_exporters_are_left_alone(
    caplog: pytest.LogCaptureFixture, receiver: OtlpReceiver
) -> None:
    with setup_tracing(otlp_endpoint=receiver.endpoint):
        logger = logging.getLogger("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        logger.warning("mine")
        logger.warning("mine")

    assert [record.getMessage() for record in caplog.records] == ["mine", "mine"]


LEAVE_OPEN = """
import time
from podium.tracing import setup_tracing
from podium.tracing._open_span import open_span

setup_tracing(otlp_endpoint={endpoint!r})
open_span("work", kind="internal", parent=None, attributes={{}}).end()
print(time.time())
"""


def test_a_process_that_ends_without_closing_still_sends_its_spans(
    run_python: Callable[..., str], receiver: OtlpReceiver
) -> None:
    run_python("-c", LEAVE_OPEN.format(endpoint=receiver.endpoint))

    assert [span.name for span in receiver.spans] == ["work"]


def test_where_the_sdk_counts_what_it_sends_that_is_sent_as_well(
    run_python: Callable[..., str], receiver: OtlpReceiver
) -> None:
    variables = {"OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED": "true"}

    run_python("-c", LEAVE_OPEN.format(endpoint=receiver.endpoint), **variables)

    assert [span.name for span in receiver.spans] == ["work"]
    assert "otel.sdk.span.started" in receiver.metrics


def test_a_process_that_ends_waits_no_longer_for_a_dead_collector(
    run_python: Callable[..., str],
) -> None:
    endpoint = f"http://127.0.0.1:{unused_port()}"

    printed = run_python("-c", LEAVE_OPEN.format(endpoint=endpoint))

    assert time.time() - float(printed) < 4


def rotel() -> Path:
    spec = find_spec("rotel")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "rotel-agent"


def test_a_real_collector_understands_the_spans(tmp_path: Path) -> None:
    port, log = unused_port(), tmp_path / "rotel.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                rotel(),
                "start",
                f"--otlp-http-endpoint=127.0.0.1:{port}",
                f"--otlp-grpc-endpoint=127.0.0.1:{unused_port()}",
                "--exporter=blackhole",
                "--debug-log=traces",
                "--debug-log-verbosity=detailed",
            ],
            stdout=output,
            stderr=output,
        )
    try:
        wait_for_port(port)
        with setup_tracing(otlp_endpoint=f"http://127.0.0.1:{port}"):
            a_run()
        wait_for_text(log, "invoke_agent facts")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(10)

    told = log.read_text("utf-8")
    assert "Name           : chat desk" in told
    assert "gen_ai.usage.input_tokens: Int(9)" in told
    agent_id = told.partition("Name           : invoke_agent facts")[0].rpartition(
        "ID             : "
    )
    assert f"Parent ID      : {agent_id[2].split()[0]}" in told
    assert f"{names.SCHEMA_KEY}: Str(genai-0.1)" in told


def wait_for_port(port: int) -> None:
    end = time.monotonic() + 15
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"nobody listens on {port}")


def wait_for_text(path: Path, text: str) -> None:
    end = time.monotonic() + 15
    while time.monotonic() < end and text not in path.read_text("utf-8", "replace"):
        time.sleep(0.05)
