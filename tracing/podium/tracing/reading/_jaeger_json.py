"""Spans from Jaeger JSON: what Jaeger's query address and its UI hand out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

from podium.tracing.reading import _ids
from podium.tracing.reading._json import (
    Object,
    as_choice,
    as_int,
    as_object,
    as_objects,
    as_text,
    as_time,
    shallow,
)
from podium.tracing.reading._otlp_values import bytes_of, float_of, int_of
from podium.tracing.reading._problems import Problems
from podium.tracing.reading._span import (
    KINDS,
    UNKNOWN,
    Source,
    SpanEvent,
    SpanLink,
    SpanStatus,
    TraceSpan,
)

KIND, STATUS, STATUS_MESSAGE, ERROR = (
    "span.kind",
    "otel.status_code",
    "otel.status_description",
    "error",
)
SCOPE_NAME, SCOPE_VERSION = "otel.scope.name", "otel.scope.version"
EVENT = "event"
"""Field of a log that holds the name of an event."""
CHILD_OF, FOLLOWS_FROM = "CHILD_OF", "FOLLOWS_FROM"
OWN_TAGS = (KIND, STATUS, STATUS_MESSAGE, SCOPE_NAME, SCOPE_VERSION)
"""Tags in which Jaeger keeps what OTLP has fields for."""


def read_jaeger(document: Object, problems: Problems) -> Iterator[TraceSpan]:
    """Yield the spans of one trace in Jaeger's form."""
    services = {
        key: _service(as_object(process))
        for key, process in as_object(document.get("processes")).items()
    }
    for span in as_objects(document.get("spans")):
        yield _span(span, services, problems)


def _span(span: Object, services: Mapping[str, Source], problems: Problems) -> TraceSpan:
    name = sys.intern(as_text(span.get("operationName")))
    tags = _values(span.get("tags"))
    start_us, duration_us = as_int(span.get("startTime")), as_int(span.get("duration"))
    parent_id, links = _references(span)
    return TraceSpan(
        trace_id=_ids.trace_id(span.get("traceID"), name, problems),
        span_id=_ids.span_id(span.get("spanID"), name, problems),
        parent_id=parent_id,
        name=name,
        kind=as_choice(tags.get(KIND), KINDS),
        start_ns=as_time((start_us or 0) * 1000),
        end_ns=None if duration_us is None else as_time(((start_us or 0) + duration_us) * 1000),
        events=tuple(_event(log) for log in as_objects(span.get("logs"))),
        links=links,
        status=_status(tags),
        status_message=as_text(tags.get(STATUS_MESSAGE)),
        service=services.get(as_text(span.get("processID")), UNKNOWN),
        scope=Source(name=as_text(tags.get(SCOPE_NAME)), version=as_text(tags.get(SCOPE_VERSION))),
        attributes={key: value for key, value in tags.items() if key not in OWN_TAGS},
    )


def _values(pairs: object) -> dict[str, object]:
    """Return tags or fields as a dict."""
    return {sys.intern(as_text(pair.get("key"))): _value(pair) for pair in as_objects(pairs)}


def _value(pair: Object) -> object:
    value = pair.get("value")
    match pair.get("type"):
        case "int64":  # as text where JavaScript could not hold it
            return int_of(value)
        case "float64":
            return float_of(value)
        case "binary":
            return bytes_of(value)
        case _:
            return shallow(value)


def _references(span: Object) -> tuple[str | None, tuple[SpanLink, ...]]:
    """Return the parent, and the links, which stand among the references as well."""
    own_trace = _ids.normal(span.get("traceID"), _ids.TRACE_DIGITS)
    parent = _ids.normal(span.get("parentSpanID"), _ids.SPAN_DIGITS) or None
    links: list[SpanLink] = []
    for reference in as_objects(span.get("references")):
        trace_id = _ids.normal(reference.get("traceID"), _ids.TRACE_DIGITS) or own_trace
        span_id = _ids.normal(reference.get("spanID"), _ids.SPAN_DIGITS)
        if reference.get("refType") == CHILD_OF and trace_id == own_trace and parent is None:
            parent = span_id or None
        elif span_id:
            links.append(SpanLink(trace_id=trace_id, span_id=span_id))
    return parent, tuple(links)


def _status(tags: Mapping[str, object]) -> SpanStatus:
    """Return the status; older clients of Jaeger only set `error`."""
    if tags.get(STATUS) == "ERROR" or tags.get(ERROR) in (True, "true"):
        return "error"
    return "ok" if tags.get(STATUS) == "OK" else "unset"


def _event(log: Object) -> SpanEvent:
    fields = _values(log.get("fields"))
    return SpanEvent(
        name=as_text(fields.pop(EVENT, "")),
        time_ns=as_time((as_int(log.get("timestamp")) or 0) * 1000),
        attributes=fields,
    )


def _service(process: Object) -> Source:
    name = as_text(process.get("serviceName"))
    return Source(name=name, attributes={"service.name": name, **_values(process.get("tags"))})
