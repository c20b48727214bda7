"""Telling by its fields what a document is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from podium.tracing.reading._jaeger_json import read_jaeger
from podium.tracing.reading._json import Object, as_items, as_object, as_objects
from podium.tracing.reading._otlp_json import read_otlp
from podium.tracing.reading._problems import Problems
from podium.tracing.reading._span import TraceSpan


def spans_of(documents: Iterable[object], problems: Problems) -> Iterator[TraceSpan]:
    """Yield the spans of all documents; those that hold none are told in `problems`."""
    for document in documents:
        for each in as_items(document) or [document]:
            yield from _spans(as_object(each), problems)


def _spans(document: Object, problems: Problems) -> Iterator[TraceSpan]:
    if "resourceSpans" in document or "resource_spans" in document:
        return read_otlp(document, problems)
    if isinstance(document.get("data"), list):  # Jaeger's answer: a list of traces
        return chain.from_iterable(
            read_jaeger(trace, problems) for trace in as_objects(document["data"])
        )
    if "spans" in document and "processes" in document:
        return read_jaeger(document, problems)
    problems.note(
        "{documents} neither OTLP JSON nor Jaeger JSON and left out", " ".join(list(document)[:5])
    )
    return iter(())
