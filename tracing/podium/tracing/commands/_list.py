"""`podium trace list`: the traces of a record."""

from __future__ import annotations

from datetime import datetime

from rich.table import Table

from podium.tracing._usage import Usage
from podium.tracing.commands import _cells
from podium.tracing.commands._source import Service, Source, all_traces
from podium.tracing.commands._terminal import results
from podium.tracing.reading import Trace


def list_traces(source: Source, service: Service = "podium") -> None:
    """List the traces in a file, or the newest ones in Jaeger."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("trace", no_wrap=True, min_width=32)
    table.add_column("started", no_wrap=True)
    for heading in ("root", "end"):
        table.add_column(heading, overflow="fold")
    for heading in ("took", "spans", "agents", "tokens", "cost", "problems"):
        table.add_column(heading, justify="right")
    for trace in all_traces(source, service=service):
        table.add_row(*_row(trace))
    results().print(table)


def _row(trace: Trace) -> tuple[str, ...]:
    trees = trace.usage_trees()
    total = sum(trace.usage_by("path").values(), Usage())
    return (
        trace.trace_id,
        datetime.fromtimestamp(trace.start_ns / 1e9).isoformat(" ", "seconds"),
        _cells.one_line(trace.roots[0].name, 60),
        _cells.one_line(", ".join(tree.exit_reason or "-" for tree in trees[:3]), 60) or "-",
        _cells.duration(trace.duration_ns),
        f"{len(trace.spans):,}",
        f"{sum(1 for tree in trees for _ in tree.walk()):,}",
        _cells.tokens(total) or "-",
        _cells.cost(total.cost) or "-",
        f"{len(trace.problems)}" if trace.problems else "-",
    )
