"""The argument that names a record, and reading it with a progress bar."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Annotated

import typer

from podium.tracing.commands._cells import one_line
from podium.tracing.commands._terminal import notes, progress
from podium.tracing.reading import Trace, read_trace, read_traces
from podium.tracing.reading._read import choose, is_address

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A file of OTLP JSON lines, OTLP JSON or Jaeger JSON; - for stdin; "
        "or the address of Jaeger's UI.",
        show_default=False,
    ),
]
TraceId = Annotated[
    str,
    typer.Option("--trace", "-t", help="First digits of the trace's id; else the newest is taken."),
]
OnlyTrace = Annotated[
    str,
    typer.Option("--trace", "-t", help="First digits of the trace's id; else all are taken."),
]
Service = Annotated[str, typer.Option("--service", help="Of a Jaeger address: whose traces.")]


def all_traces(source: str, trace_id: str = "", service: str = "podium") -> tuple[Trace, ...]:
    """Return the traces of a record, the oldest first; with `trace_id` that one."""
    if is_address(source):
        if trace_id or "/trace" in source.partition("://")[2]:
            return (read_trace(source, trace_id=trace_id or None),)
        return read_traces(source, service=service)
    traces = _read(source)
    return (choose(traces, trace_id, f"The file {source!r}"),) if trace_id else traces


def one_trace(source: str, trace_id: str, service: str = "podium") -> Trace:
    """Return the trace with this id, or the newest; what is odd about it is noted on stderr."""
    traces = all_traces(source, trace_id, service)
    trace = traces[-1]
    if len(traces) > 1:
        notes().print(
            f"The newest of {len(traces):,} traces: {trace.trace_id}. Others by --trace ID; "
            "`podium trace list` names them.",
            style="dim",
        )
    for problem in trace.problems:
        notes().print(f"Note: {one_line(problem, 300)}", style="yellow", soft_wrap=True)
    return trace


def _read(source: str) -> tuple[Trace, ...]:
    # All of a trace stays until the command ends, so looking for garbage in it is wasted time.
    gc.disable()
    if source == "-":
        piped = getattr(sys.stdin, "buffer", None)  # stdin is None where it was closed
        if piped is None:
            raise ValueError(
                "FILE is '-', but nothing is piped in. Give the path of a file, or pipe one in."
            )
        return read_traces(piped)
    path = Path(source)
    if not path.is_file():
        return read_traces(path)  # says what is wrong with it
    with progress() as shown, shown.open(path, "rb", description="Reading") as file:
        return read_traces(file)
