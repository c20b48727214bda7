"""`podium trace diff`: two runs beside each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer
from rich.table import Table

from podium.tracing.commands import _cells
from podium.tracing.commands._source import Source, one_trace
from podium.tracing.commands._terminal import results
from podium.tracing.reading import Change, Figures

_TraceA = Annotated[str, typer.Option("--trace-a", help="Which trace of the first file.")]
_TraceB = Annotated[str, typer.Option("--trace-b", help="Which trace of the second file.")]
_All = Annotated[bool, typer.Option("--all", help="Also what differs in nothing but time.")]


def diff(
    before: Source,
    after: Source,
    trace_a: _TraceA = "",
    trace_b: _TraceB = "",
    everything: _All = False,
) -> None:
    """Compare two runs by agent, model and tool: calls, tokens, cost, time, errors, endings."""
    changes = one_trace(before, trace_a).diff(one_trace(after, trace_b))
    shown = [change for change in changes if everything or not change.is_same]
    console = results()
    if not shown:
        console.print("Nothing but times differs.")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("")
    table.add_column("name", overflow="fold")
    for heading in _COLUMNS:
        table.add_column(heading, justify="right")
    for change in shown:
        style = "green" if change.before is None else "red" if change.after is None else ""
        cells = [_cell(change, show) for show in _COLUMNS.values()]
        table.add_row(change.by, _cells.one_line(change.name), *cells, style=style)
    console.print(table)


def _cell(change: Change, show: Callable[[Figures], str]) -> str:
    """Return both figures with an arrow, or one where they are the same."""
    one = "-" if change.before is None else show(change.before)
    other = "-" if change.after is None else show(change.after)
    return one if one == other else f"{one} -> {other}"


def _endings(figures: Figures) -> str:
    said = (f"{_cells.one_line(reason, 60)} x{count}" for reason, count in figures.endings.items())
    return ", ".join(said).replace(" x1", "") or "-"


_COLUMNS: dict[str, Callable[[Figures], str]] = {
    "calls": lambda figures: f"{figures.calls:,}",
    "tokens": lambda figures: f"{figures.usage.total_tokens:,}",
    "cost": lambda figures: _cells.cost(figures.usage.cost) or "-",
    "time": lambda figures: _cells.duration(figures.seconds * 1e9),
    "errors": lambda figures: f"{figures.errors:,}",
    "end": _endings,
}
