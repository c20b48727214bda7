"""Sending spans and metrics to a collector: OTLP over HTTP, which Jaeger and most others take.

Imported only where it is asked for: the exporter belongs to the extra `otlp`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult

from podium.tracing._addresses import shown_address
from podium.tracing._quiet import Quiet
from podium.tracing._span_bytes import request_bytes

logger = logging.getLogger(__name__)

BASE_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""The variable that holds the root of a collector."""
DEFAULT_ENDPOINT = "http://localhost:4318"


class Collector:
    """Where a collector is, and whether it was said that it does not take what it is sent."""

    def __init__(self, endpoint: str | None) -> None:
        """Keep the address; None leaves it to the environment, as the exporters read it."""
        self._endpoint = endpoint
        self._has_failed = False
        self._senders: list[SpanSender | MetricSender] = []
        self.quiet = Quiet(says_why_itself=True)

    def url(self, signal: str) -> str | None:
        """Return where a signal is sent: below the root, or in the place of another signal."""
        if self._endpoint is None:
            return None
        root = self._endpoint.rstrip("/")
        for known in ("traces", "metrics"):
            root = root.removesuffix(f"/v1/{known}")
        return f"{root}/v1/{signal}"

    def span_exporter(self) -> SpanSender:
        """Return what sends spans there."""
        sender = SpanSender(self)
        self._senders.append(sender)
        return sender

    def metric_exporter(self) -> MetricSender:
        """Return what sends metrics there."""
        sender = MetricSender(self)
        self._senders.append(sender)
        return sender

    def give_up(self) -> None:
        """Let the senders try no longer: that they were too slow has been said."""
        self._has_failed = True
        for sender in self._senders:
            sender.shutdown()

    def failed(self, error: Exception | None = None) -> None:
        """Say that something could not be sent, the first time."""
        if self._has_failed:
            return
        self._has_failed = True
        why = "no answer" if self.quiet.status is None else f"status {self.quiet.status}"
        logger.warning(
            "Traces could not be sent to %s (%s); runs go on without, and this is said once. "
            "Check that a collector listens there for OTLP over HTTP, on port 4318 as a rule.",
            self.address,
            why if error is None else type(error).__name__,
        )

    @property
    def address(self) -> str:
        """The address without user, password and query, which may hold secrets."""
        named = (self._endpoint, *map(os.environ.get, _VARIABLES), DEFAULT_ENDPOINT)
        return next(shown_address(address) for address in named if address)


_VARIABLES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", BASE_VARIABLE)


class SpanSender(OTLPSpanExporter):
    """Sends spans; whatever fails is said once."""

    def __init__(self, collector: Collector) -> None:
        """Send to a collector."""
        super().__init__(endpoint=collector.url("traces"))
        self._collector, self._is_shut = collector, False
        self._send_bytes = _way_for_bytes(self)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send a batch."""
        with self._collector.quiet:
            try:
                is_sent = self._send(spans)
            except Exception as error:
                self._collector.failed(error)
                return SpanExportResult.FAILURE
        if is_sent:
            return SpanExportResult.SUCCESS
        self._collector.failed()
        return SpanExportResult.FAILURE

    def _send(self, spans: Sequence[ReadableSpan]) -> bool:
        if self._send_bytes is not None and not self._is_shut:
            body = request_bytes(spans)
            if len(body) <= _LARGE_BYTES:
                return bool(self._send_bytes(body).success)
        return super().export(spans) is SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Send no more; a second time does nothing."""
        if not self._is_shut:
            self._is_shut = True
            super().shutdown()  # type: ignore[no-untyped-call]


_LARGE_BYTES = 2**24
"""Larger requests are left to the library, which knows what size is too much."""


def _way_for_bytes(exporter: OTLPSpanExporter) -> Callable[[bytes], Any] | None:
    """Return how the library sends a request that is encoded already; its versions differ.

    It has no public name for that. None where there is none, or where it counts what it sends.
    """
    if os.environ.get("OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED", "").strip().lower() == "true":
        return None
    return getattr(getattr(exporter, "_client", None), "export", None)


class MetricSender(OTLPMetricExporter):
    """Sends metrics; whatever fails is said once."""

    def __init__(self, collector: Collector) -> None:
        """Send to a collector."""
        super().__init__(endpoint=collector.url("metrics"))
        self._collector, self._is_shut = collector, False

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **kwargs: Any
    ) -> MetricExportResult:
        """Send what was measured; a collector that takes no metrics, such as Jaeger, is left be."""
        with self._collector.quiet:
            try:
                return super().export(metrics_data, timeout_millis, **kwargs)  # pyright: ignore[reportUnknownMemberType]  # its **kwargs have no type
            except Exception:
                return MetricExportResult.FAILURE

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
        """Send no more; a second time does nothing."""
        if not self._is_shut:
            self._is_shut = True
            super().shutdown(timeout_millis, **kwargs)  # pyright: ignore[reportUnknownMemberType]  # as above
