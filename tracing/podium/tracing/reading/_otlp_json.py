"""Spans from OTLP JSON: what collectors write, podium's file exporter among them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from podium.tracing.reading import _ids
from podium.tracing.reading._json import (
    MAX_DEPTH,
    Object,
    as_choice,
    as_items,
    as_object,
    as_objects,
    as_text,
    as_time,
)
from podium.tracing.reading._otlp_values import attributes_of
from podium.tracing.reading._problems import Problems
from podium.tracing.reading._span import KINDS, STATUSES, Source, SpanEvent, SpanLink, TraceSpan

_DEEPEST = 4 * MAX_DEPTH + 12
"""How deep a document is read: a value takes up to four levels of it, and stands below others."""


def read_otlp(document: Object, problems: Problems) -> Iterator[TraceSpan]:
    """Yield the spans of one export request."""
    if "resource_spans" in document:
        document = as_object(_in_camel_case(document, 0))
    for group in as_objects(document.get("resourceSpans")):
        service = _service(as_object(group.get("resource")))
        # The second is the name that scopes had before OTLP 1.0.
        scopes = group.get("scopeSpans") or group.get("instrumentationLibrarySpans")
        for part in as_objects(scopes):
            scope = _scope(as_object(part.get("scope") or part.get("instrumentationLibrary")))
            for span in as_objects(part.get("spans")):
                yield _span(span, service, scope, problems)


def _span(span: Object, service: Source, scope: Source, problems: Problems) -> TraceSpan:
    get = span.get
    name = sys.intern(as_text(get("name")))
    start_ns = as_time(get("startTimeUnixNano"))
    status = as_object(get("status"))
    parent_id = get("parentSpanId")
    events, links = get("events"), get("links")
    return TraceSpan(
        trace_id=_ids.trace_id(get("traceId"), name, problems),
        span_id=_ids.span_id(get("spanId"), name, problems),
        parent_id=_ids.normal(parent_id, _ids.SPAN_DIGITS) or None if parent_id else None,
        name=name,
        kind=as_choice(get("kind"), KINDS),
        start_ns=start_ns,
        end_ns=as_time(get("endTimeUnixNano")) or None,
        attributes=attributes_of(get("attributes")),
        events=tuple(_event(event) for event in as_objects(events)) if events else (),
        links=tuple(_link(link) for link in as_objects(links)) if links else (),
        status=as_choice(status.get("code"), STATUSES),
        status_message=as_text(status.get("message")),
        service=service,
        scope=scope,
    )


def _event(event: Object) -> SpanEvent:
    return SpanEvent(
        name=as_text(event.get("name")),
        time_ns=as_time(event.get("timeUnixNano")),
        attributes=attributes_of(event.get("attributes")),
    )


def _link(link: Object) -> SpanLink:
    return SpanLink(
        trace_id=_ids.normal(link.get("traceId"), _ids.TRACE_DIGITS),
        span_id=_ids.normal(link.get("spanId"), _ids.SPAN_DIGITS),
        attributes=attributes_of(link.get("attributes")),
    )


def _service(resource: Object) -> Source:
    attributes = attributes_of(resource.get("attributes"))
    return Source(name=as_text(attributes.get("service.name")), attributes=attributes)


def _scope(scope: Object) -> Source:
    return Source(
        name=as_text(scope.get("name")),
        version=as_text(scope.get("version")),
        attributes=attributes_of(scope.get("attributes")),
    )


def _in_camel_case(value: object, depth: int) -> object:
    """Return a document of a producer that kept the field names of the protocol's source."""
    if depth >= _DEEPEST:
        return None
    if isinstance(value, list):
        return [_in_camel_case(each, depth + 1) for each in as_items(value)]  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, dict):
        fields = as_object(value)  # pyright: ignore[reportUnknownArgumentType]
        return {_camel(key): _in_camel_case(each, depth + 1) for key, each in fields.items()}
    return value


def _camel(key: str) -> str:
    return re.sub("_([a-z])", lambda found: found[1].upper(), key)
