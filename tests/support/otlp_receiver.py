"""A collector for tests: takes OTLP over HTTP on loopback and decodes what it is sent."""

from __future__ import annotations

import threading
from typing import Any

from answering_server import AnsweringServer, Request
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class OtlpReceiver(AnsweringServer):
    """Keeps the spans and metrics that reach it."""

    def __init__(self, *, status: int = 200, is_stuck: bool = False) -> None:
        """Answer with `status`; a stuck one answers nothing until it is closed."""
        super().__init__(status=status)
        self.endpoint = self.address
        self.spans: list[Any] = []
        self.metrics: dict[str, Any] = {}
        self._is_stuck = is_stuck
        self._let_go = threading.Event()

    @property
    def headers(self) -> list[dict[str, str]]:
        """The headers of all requests."""
        return [request.headers for request in self.requests]

    @property
    def raw(self) -> bytes:
        """The bodies of all requests."""
        return b"".join(request.body for request in self.requests)

    def take(self, request: Request) -> None:
        """Decode a request."""
        if self._is_stuck:
            self._let_go.wait(20)
        if request.target == "/v1/traces":
            for group in ExportTraceServiceRequest.FromString(request.body).resource_spans:
                for scope in group.scope_spans:
                    self.spans.extend(scope.spans)
        elif request.target == "/v1/metrics":
            for measured in ExportMetricsServiceRequest.FromString(request.body).resource_metrics:
                for meter in measured.scope_metrics:
                    self.metrics.update({metric.name: metric for metric in meter.metrics})

    def __exit__(self, *error: object) -> None:
        """Stop."""
        self._let_go.set()
        super().__exit__(*error)


def attributes_of(thing: Any) -> dict[str, Any]:
    """Return the attributes of a decoded span or data point as plain values."""
    return {pair.key: _plain(pair.value) for pair in thing.attributes}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(item) for item in value.array_value.values]
    return getattr(value, kind)
