"""A collector for tests: takes OTLP over HTTP on loopback and decodes what it is sent."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class OtlpReceiver:
    """Keeps the spans and metrics that reach it."""

    def __init__(self, *, status: int = 200, is_stuck: bool = False) -> None:
        """Answer with `status`; a stuck one answers nothing until it is closed."""
        self.spans: list[Any] = []
        self.metrics: dict[str, Any] = {}
        self.headers: list[dict[str, str]] = []
        self.raw = b""
        self.status = status
        self.is_stuck = is_stuck
        self.let_go = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver.take(self)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def take(self, request: BaseHTTPRequestHandler) -> None:
        """Keep one request and answer it."""
        body = request.rfile.read(int(request.headers["content-length"]))
        if self.is_stuck:
            self.let_go.wait(20)
        self.raw += body
        self.headers.append({key.lower(): value for key, value in request.headers.items()})
        if request.path == "/v1/traces":
            for group in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in group.scope_spans:
                    self.spans.extend(scope.spans)
        elif request.path == "/v1/metrics":
            for measured in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for meter in measured.scope_metrics:
                    self.metrics.update({metric.name: metric for metric in meter.metrics})
        request.send_response(self.status)
        request.send_header("content-length", "0")
        request.end_headers()

    def __enter__(self) -> Self:
        """Listen."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Stop."""
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()


def attributes_of(thing: Any) -> dict[str, Any]:
    """Return the attributes of a decoded span or data point as plain values."""
    return {pair.key: _plain(pair.value) for pair in thing.attributes}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(item) for item in value.array_value.values]
    return getattr(value, kind)
