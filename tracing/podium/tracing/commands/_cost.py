"""`podium trace cost`: who used how much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer
from rich.table import Table

from podium.tracing._text import printable
from podium.tracing._usage import Usage
from podium.tracing.commands import _cells
from podium.tracing.commands._source import Service, Source, TraceId, one_trace
from podium.tracing.commands._terminal import results
from podium.tracing.reading import By, Trace

_Kind = Annotated[By | None, typer.Option("--by", help="One table only.", show_default=False)]


def cost(
    source: Source, trace_id: TraceId = "", service: Service = "podium", by: _Kind = None
) -> None:
    """Show tokens and cost by agent path, by model, and by the tool in which they were used."""
    trace, console = one_trace(source, trace_id, service), results()
    if by is None or by == "path":
        for tree in trace.usage_trees():
            console.print(printable(str(tree)), soft_wrap=True)
            console.print()
    for kind in _tables(trace, by):
        console.print(_table(kind, trace.usage_by(kind)))
        console.print()


def _tables(trace: Trace, by: By | None) -> list[By]:
    """Return what to break down by; by path only where the agents' table leaves something out."""
    if by is not None and (by != "path" or not trace.usage_trees()):
        return [by]
    return [] if by == "path" else ["model", "tool"]


def _table(by: By, used: Mapping[str, Usage]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(by)
    for heading in ("calls", "input", "cached", "output", "reasoning", "total", "cost"):
        table.add_column(heading, justify="right")
    for name, usage in sorted(used.items(), key=lambda each: -each[1].total_tokens):
        table.add_row(_cells.one_line(name), *_row(usage))
    table.add_row("total", *_row(sum(used.values(), Usage())), style="bold")
    return table


def _row(usage: Usage) -> tuple[str, ...]:
    counts = (
        usage.requests,
        usage.input_tokens,
        usage.cached_input_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
    )
    total = f"{usage.total_tokens:,}{'' if usage.complete else '+'}"
    return (*(f"{count:,}" for count in counts), total, _cells.cost(usage.cost) or "-")
