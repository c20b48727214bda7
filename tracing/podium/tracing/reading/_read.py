"""Reading traces back: from files, documents and Jaeger, in whatever form they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from podium.tracing.reading._documents import documents_of_file, documents_of_text
from podium.tracing.reading._problems import Problems
from podium.tracing.reading._sniff import spans_of
from podium.tracing.reading._span import TraceSpan
from podium.tracing.reading._trace import Trace

_SHOWN = 8
"""How many traces an error lists."""


def read_trace(source: str | Path | Mapping[str, object], *, trace_id: str | None = None) -> Trace:
    """Return one trace from a file, a document or Jaeger.

    Args:
        source: The path of a file of OTLP JSON lines, of one OTLP JSON document or of Jaeger JSON;
            such a document itself, as text or as the object parsed from it.
        trace_id: Which trace, where there are several; the first digits are enough.

    Raises:
        ValueError: there is nothing to read, no such trace, or several to choose from.
    """
    traces = read_traces(source)
    return choose(traces, trace_id, _named(source))


def read_traces(source: str | Path | Mapping[str, object]) -> tuple[Trace, ...]:
    """Return all traces of a file or document, the one that started first at 0.

    Raises:
        ValueError: there is nothing to read.
    """
    problems = Problems()
    by_trace: dict[str, list[TraceSpan]] = {}
    for span in spans_of(_documents(source, problems), problems):
        by_trace.setdefault(span.trace_id, []).append(span)
    if not by_trace:
        said = " ".join(problems.sentences()) or "It is empty."
        raise ValueError(
            f"{_named(source)} holds no spans. {said} "
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


def _documents(source: str | Path | Mapping[str, object], problems: Problems) -> Iterable[object]:
    if isinstance(source, Mapping):
        return (source,)
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        return documents_of_text(source, problems)
    return documents_of_file(Path(source), problems)


def _named(source: str | Path | Mapping[str, object]) -> str:
    if isinstance(source, Mapping) or (isinstance(source, str) and source.lstrip()[:1] in "{["):
        return "The document"
    return f"The file {str(source)!r}"
