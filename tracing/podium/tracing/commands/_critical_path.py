"""`podium trace critical-path`: what the end waited for."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer
from rich.table import Table

from podium.tracing.commands import _cells
from podium.tracing.commands._source import Service, Source, TraceId, one_trace
from podium.tracing.commands._terminal import results
from podium.tracing.reading import PathPiece

_Top = Annotated[
    int, typer.Option("--top", help="How many of the longest stretches; 0 for all.", min=0)
]


def critical_path(
    source: Source, trace_id: TraceId = "", service: Service = "podium", top: _Top = 30
) -> None:
    """Show the work that the end waited for: made faster, it makes the whole faster."""
    trace = one_trace(source, trace_id, service)
    pieces = trace.critical_path()
    whole = sum(piece.duration_ns for piece in pieces) or 1
    longest = sorted(pieces, key=lambda piece: -piece.duration_ns)[: top or None]
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("at", "took", "share"):
        table.add_column(heading, justify="right")
    table.add_column("work", overflow="fold")
    for piece in sorted(longest, key=lambda piece: piece.start_ns):
        table.add_row(
            _cells.duration(piece.start_ns - trace.start_ns),
            _cells.duration(piece.duration_ns),
            f"{piece.duration_ns / whole:.0%}",
            _cells.one_line(piece.span.name),
        )
    console = results()
    console.print(table)
    console.print()
    console.print(_summary(pieces, whole), soft_wrap=True)


def _summary(pieces: tuple[PathPiece, ...], whole: int) -> str:
    """Return how the time divides among kinds of work."""
    times: Counter[str] = Counter()
    for piece in pieces:
        times[piece.span.role] += piece.duration_ns
    shares = [
        f"{role} {_cells.duration(ns)} ({ns / whole:.0%})" for role, ns in times.most_common()
    ]
    return (
        f"Of the time: {', '.join(shares)}." if shares else "Nothing in this trace took any time."
    )
