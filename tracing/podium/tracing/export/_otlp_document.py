"""Traces as one OTLP JSON document, which collectors and Jaeger's server read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from podium.tracing._otlp_values import (
    otlp_attributes,
    otlp_event,
    otlp_link,
    otlp_scope,
    without_empty,
)
from podium.tracing.reading import Source, TraceSpan
from podium.tracing.reading._span import KINDS, STATUSES


def otlp_document(spans: Iterable[TraceSpan]) -> dict[str, object]:
    """Return spans as the object of an OTLP JSON document, such as those of `trace.spans`.

    Parents stand as recorded. Text that cannot be encoded as UTF-8 is left as it is.
    """
    services: dict[str, tuple[Source, dict[str, tuple[Source, list[object]]]]] = {}
    spans = list(spans)  # keeps their sources alive, and with them the ids in `known`
    known: dict[int, str] = {}
    for span in spans:
        _, scopes = services.setdefault(_key(span.service, known), (span.service, {}))
        scope = scopes.setdefault(_key(span.scope, known), (span.scope, []))
        scope[1].append(_span(span))
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": otlp_attributes(_resource(service))},
                "scopeSpans": [
                    {
                        "scope": otlp_scope(scope.name, scope.version, scope.attributes),
                        "spans": members,
                    }
                    for scope, members in scopes.values()
                ],
            }
            for service, scopes in services.values()
        ]
    }


def _key(source: Source, known: dict[int, str]) -> str:
    """Return text that is the same for equal sources, whose attributes may hold anything."""
    if id(source) not in known:
        known[id(source)] = repr(source)
    return known[id(source)]


def _resource(service: Source) -> Mapping[str, object]:
    return (
        {"service.name": service.name, **service.attributes} if service.name else service.attributes
    )


def _span(span: TraceSpan) -> dict[str, object]:
    return without_empty(
        {
            "traceId": span.trace_id,
            "spanId": span.span_id,
            "parentSpanId": span.parent_id or "",
            "name": span.name,
            "kind": KINDS.index(span.kind),
            "startTimeUnixNano": str(span.start_ns),
            "endTimeUnixNano": "" if span.end_ns is None else str(span.end_ns),
            "attributes": otlp_attributes(span.attributes),
            "events": [
                otlp_event(event.name, event.time_ns, event.attributes) for event in span.events
            ],
            "links": [
                otlp_link(link.trace_id, link.span_id, link.attributes) for link in span.links
            ],
            "status": without_empty(
                {"code": STATUSES.index(span.status), "message": span.status_message}
            ),
        }
    )
