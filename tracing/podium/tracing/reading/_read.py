"""Reading traces back: from files, documents and Jaeger, in whatever form they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from podium.tracing._addresses import shown_address
from podium.tracing.reading import _jaeger_query
from podium.tracing.reading._documents import (
    documents_of_file,
    documents_of_lines,
    documents_of_text,
)
from podium.tracing.reading._problems import Problems
from podium.tracing.reading._sniff import spans_of
from podium.tracing.reading._span import TraceSpan
from podium.tracing.reading._trace import Trace

_SHOWN = 8
"""How many traces an error lists."""

TraceSource = str | Path | Mapping[str, object] | BinaryIO


def read_trace(source: TraceSource, *, trace_id: str | None = None) -> Trace:
    """Return one trace from a file, a document or Jaeger.

    Args:
        source: The path of a file of OTLP JSON lines, of one OTLP JSON document or of Jaeger JSON;
            such a file, open for reading bytes; such a document itself, as text or as the object
            parsed from it; or the address of Jaeger's UI, such as `http://localhost:16686`.
        trace_id: Which trace, where there are several; of a file the first digits are enough.

    Raises:
        ValueError: there is nothing to read, no such trace, or several to choose from.
    """
    if is_address(source):
        answer = _jaeger_query.fetch_trace(str(source), trace_id)
        where = shown_address(str(source))
        return choose(_traces((answer,), f"Jaeger at {where!r}", Problems()), None, where)
    return choose(read_traces(source), trace_id, _named(source))


def read_traces(source: TraceSource, *, service: str = "podium") -> tuple[Trace, ...]:
    """Return all traces of a file or document, or the newest 20 of a service from Jaeger.

    The one that started first stands at 0. `source` is as in `read_trace`; `service` is only
    used with an address.

    Raises:
        ValueError: there is nothing to read.
    """
    if is_address(source):
        answer = _jaeger_query.fetch_traces(str(source), service)
        where = f"Jaeger at {shown_address(str(source))!r}, service {service!r},"
        return _traces((answer,), where, Problems())
    problems = Problems()
    return _traces(_documents(source, problems), _named(source), problems)


def is_address(source: TraceSource) -> bool:
    """Return whether a source is the address of a server."""
    return isinstance(source, str) and source.lower().startswith(("http://", "https://"))


def _traces(documents: Iterable[object], where: str, problems: Problems) -> tuple[Trace, ...]:
    by_trace: dict[str, list[TraceSpan]] = {}
    for span in spans_of(documents, problems):
        by_trace.setdefault(span.trace_id, []).append(span)
    if not by_trace:
        said = " ".join(problems.sentences())[:120] or "It is empty."
        raise ValueError(
            f"{where} holds no spans. {said} "
            "Give a file of OTLP JSON lines, an OTLP JSON document or Jaeger JSON."
        )
    found = [Trace(spans, problems.sentences()) for spans in by_trace.values()]
    return tuple(sorted(found, key=lambda trace: trace.start_ns))


def choose(traces: tuple[Trace, ...], trace_id: str | None, where: str) -> Trace:
    """Return the trace whose id starts with `trace_id`, or the only one.

    Raises:
        ValueError: none or several fit.
    """
    fitting = [trace for trace in traces if trace.trace_id.startswith((trace_id or "").lower())]
    if len(fitting) == 1:
        return fitting[0]
    known = [trace.trace_id for trace in fitting or traces]
    shown = ", ".join(known[:_SHOWN]) + (", ..." if len(known) > _SHOWN else "")
    if not fitting:
        raise ValueError(
            f"{where} has no trace {trace_id!r}. Choose trace_id= from these {len(known)}: {shown}."
        )
    raise ValueError(
        f"{where} holds {len(known)} traces that fit trace_id={trace_id!r}. "
        f"Choose one of these by trace_id=: {shown}."
    )


def _documents(source: TraceSource, problems: Problems) -> Iterable[object]:
    if isinstance(source, Mapping):
        return (dict(source),)
    if isinstance(source, Path):
        return documents_of_file(source, problems)
    if isinstance(source, str):
        if _is_json(source):
            return documents_of_text(source, problems)
        return documents_of_file(Path(source), problems)
    return documents_of_lines(source, problems)


def _is_json(source: object) -> bool:
    return isinstance(source, str) and source.lstrip().startswith(("{", "["))


def _named(source: TraceSource) -> str:
    if isinstance(source, Mapping) or _is_json(source):
        return "The document"
    name = source if isinstance(source, str | Path) else getattr(source, "name", "given")
    return f"The file {str(name)!r}"
