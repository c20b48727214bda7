"""Spans as OTLP JSON lines, the file form that collectors read: one export a line."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanContext, format_span_id, format_trace_id

from podium.tracing._encode import encode
from podium.tracing._otlp_values import (
    otlp_attributes,
    otlp_event,
    otlp_link,
    otlp_scope,
    without_empty,
)

logger = logging.getLogger(__name__)


class OtlpFileExporter(SpanExporter):
    """Appends each batch of spans to a file as one line, written through to the system."""

    def __init__(self, path: Path) -> None:
        """Open the file for appending; missing folders are made.

        Raises:
            ValueError: the file cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
            if self._file.tell() and self._ends_mid_line():
                self._file.write(b"\n")
        except OSError as error:
            raise ValueError(
                f"The trace file {str(path)!r} cannot be written: {error.strerror}. "
                "Give the path of a file in a folder you may write to."
            ) from error
        self.path = path
        self._failed = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write the spans; a failure is logged once and loses no more than this batch."""
        try:
            self._file.write(encode_spans(spans) + b"\n")
            self._file.flush()
        except (OSError, ValueError) as error:  # ValueError: the file was closed
            if not self._failed:
                logger.warning("Spans could not be written to %s: %s", self.path, error)
                self._failed = True
            return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Close the file."""
        self._file.close()

    def _ends_mid_line(self) -> bool:
        """Return whether a writer that died left half a line, which would swallow our first."""
        self._file.seek(-1, 2)
        return self._file.read(1) != b"\n"


def encode_spans(spans: Sequence[ReadableSpan]) -> bytes:
    """Return spans as one line of OTLP JSON, grouped by resource and instrumentation scope."""
    groups: dict[Any, dict[Any, list[ReadableSpan]]] = defaultdict(lambda: defaultdict(list))
    for span in spans:
        groups[span.resource][span.instrumentation_scope].append(span)
    document = {
        "resourceSpans": [
            {
                "resource": {"attributes": otlp_attributes(resource.attributes)},
                "scopeSpans": [
                    {"scope": _scope(scope), "spans": [_span(span) for span in members]}
                    for scope, members in scopes.items()
                ],
            }
            for resource, scopes in groups.items()
        ]
    }
    return encode(document)


def _scope(scope: Any) -> dict[str, object]:
    if scope is None:
        return {}
    return otlp_scope(scope.name, scope.version or "", scope.attributes)


def _span(span: ReadableSpan) -> dict[str, object]:
    own = cast("SpanContext", span.get_span_context())
    return without_empty(
        {
            "traceId": format_trace_id(own.trace_id),
            "spanId": format_span_id(own.span_id),
            "traceState": own.trace_state.to_header(),
            "parentSpanId": format_span_id(span.parent.span_id) if span.parent else "",
            "flags": int(own.trace_flags),
            "name": span.name,
            "kind": span.kind.value + 1,  # OTLP counts from UNSPECIFIED
            "startTimeUnixNano": str(span.start_time),
            "endTimeUnixNano": str(span.end_time),
            "attributes": otlp_attributes(span.attributes),
            "droppedAttributesCount": span.dropped_attributes,
            "events": [
                otlp_event(event.name, event.timestamp, event.attributes) for event in span.events
            ],
            "droppedEventsCount": span.dropped_events,
            "links": [
                otlp_link(
                    format_trace_id(link.context.trace_id),
                    format_span_id(link.context.span_id),
                    link.attributes,
                )
                for link in span.links
            ],
            "status": without_empty(
                {"code": span.status.status_code.value, "message": span.status.description or ""}
            ),
        }
    )
