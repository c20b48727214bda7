"""A trace as Jaeger JSON, which the Upload tab of Jaeger's UI reads by itself."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping

from podium.tracing.reading import SpanEvent, Trace, TraceSpan
from podium.tracing.reading import _jaeger_json as names

_MAX_EXACT = 2**53 - 1
"""JavaScript holds no larger integers exactly; Jaeger itself writes those as text."""
_UNNAMED = "unknown_service"
"""The name that OpenTelemetry has for a service without one."""


def jaeger_document(*traces: Trace) -> dict[str, object]:
    """Return traces as the object of a Jaeger JSON document.

    What was wrong with a record stands as warnings on its first span. Times are cut to
    microseconds.
    """
    return {
        "data": [_trace(trace) for trace in traces if trace.spans],
        "total": len(traces),
        "limit": 0,
        "offset": 0,
        "errors": None,
    }


def _trace(trace: Trace) -> dict[str, object]:
    processes: dict[str, str] = {}
    described: dict[str, object] = {}
    spans: list[dict[str, object]] = []
    for span in trace.spans:
        service = repr(span.service)
        if service not in processes:
            processes[service] = f"p{len(processes) + 1}"
            described[processes[service]] = _process(span)
        spans.append(_span(trace, span, processes[service]))
    if trace.problems:
        spans[0]["warnings"] = list(trace.problems)
    return {
        "traceID": trace.trace_id,
        "spans": spans,
        "processes": described,
        "warnings": None,
    }


def _process(span: TraceSpan) -> dict[str, object]:
    tags = {key: value for key, value in span.service.attributes.items() if key != "service.name"}
    return {"serviceName": span.service.name or _UNNAMED, "tags": _pairs(tags)}


def _span(trace: Trace, span: TraceSpan, process: str) -> dict[str, object]:
    start_us = span.start_ns // 1000
    return {
        "traceID": span.trace_id,
        "spanID": span.span_id,
        "operationName": span.name,
        "references": _references(trace, span),
        "startTime": start_us,
        "duration": (span.start_ns + span.duration_ns) // 1000 - start_us,
        "tags": _pairs({**span.attributes, **_own_tags(span)}),
        "logs": [_log(event) for event in span.events],
        "processID": process,
        "warnings": None,
    }


def _references(trace: Trace, span: TraceSpan) -> list[dict[str, str]]:
    """Return the parent and the links; a parent that would close a circle is left out."""
    parent = trace.parent(span)
    parent_id = span.parent_id if parent is None else parent.span_id
    if parent is None and parent_id is not None and trace.has(parent_id):
        parent_id = None
    found = [] if parent_id is None else [(names.CHILD_OF, span.trace_id, parent_id)]
    found += [(names.FOLLOWS_FROM, link.trace_id, link.span_id) for link in span.links]
    return [
        {"refType": kind, "traceID": trace_id, "spanID": span_id}
        for kind, trace_id, span_id in found
    ]


def _own_tags(span: TraceSpan) -> dict[str, object]:
    """Return the fields of a span that are tags in Jaeger."""
    tags: dict[str, object] = {
        names.KIND: "" if span.kind == "unspecified" else span.kind,
        names.STATUS: "" if span.status == "unset" else span.status.upper(),
        names.STATUS_MESSAGE: span.status_message,
        names.SCOPE_NAME: span.scope.name,
        names.SCOPE_VERSION: span.scope.version,
        names.ERROR: span.status == "error",
    }
    return {key: value for key, value in tags.items() if value}


def _log(event: SpanEvent) -> dict[str, object]:
    fields = {names.EVENT: event.name, **event.attributes}
    return {"timestamp": event.time_ns // 1000, "fields": _pairs(fields)}


def _pairs(values: Mapping[str, object]) -> list[dict[str, object]]:
    return [{"key": key, **_typed(value)} for key, value in values.items()]


def _typed(value: object) -> dict[str, object]:
    match value:
        case bool():
            return {"type": "bool", "value": value}
        case int():
            return {"type": "int64", "value": value if abs(value) <= _MAX_EXACT else str(value)}
        case float():
            return {"type": "float64", "value": value if math.isfinite(value) else str(value)}
        case bytes():
            return {"type": "binary", "value": base64.b64encode(value).decode("ascii")}
        case str():
            return {"type": "string", "value": value}
        case _:
            text = json.dumps(value, ensure_ascii=False, default=str)
            return {"type": "string", "value": text}
