"""Variables of the environment that mean nothing are refused before anything has changed."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from podium.tracing import setup_tracing

SECRET = "sk-canary"


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (
            ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "100000"),
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE: max_export",
        ),
        (("OTEL_BSP_MAX_QUEUE_SIZE", "0"), "OTEL_BSP_MAX_QUEUE_SIZE: max_queue_size must be"),
        (("OTEL_METRIC_EXPORT_INTERVAL", "-5"), "OTEL_METRIC_EXPORT_INTERVAL: interval value -5"),
        (
            ("OTEL_EXPORTER_OTLP_HEADERS", f"a=b,Authorization: {SECRET}"),
            "no header at place 2 of 2",
        ),
        (("OTEL_EXPORTER_OTLP_TRACES_HEADERS", SECRET), "no header at place 1 of 1"),
    ],
)
def test_a_setting_that_the_sdk_refuses_is_told_and_nothing_is_left_open(
    setting: tuple[str, str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv(*setting)
    threads = set(threading.enumerate())
    caplog.set_level(logging.DEBUG)

    with pytest.raises(ValueError, match=said) as caught:
        setup_tracing(otlp_endpoint="http://127.0.0.1:9", file=tmp_path / "t.jsonl")

    assert SECRET not in str(caught.value) + caplog.text
    assert {one for one in threading.enumerate() if one.is_alive()} <= threads


@pytest.mark.parametrize("address", ["http://[bad", "collector", f"ftp://ann:{SECRET}@c"])
@pytest.mark.parametrize(
    "variable", ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
)
def test_an_address_in_the_environment_that_is_none_is_told_by_its_variable(
    variable: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, address)

    with pytest.raises(ValueError, match=f"{variable}='.*' is no URL of a collector") as caught:
        setup_tracing()

    assert SECRET not in str(caught.value)
