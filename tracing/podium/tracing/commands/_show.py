"""`podium trace show`: the tree of a run with tokens, cost and time bars."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated

import typer

from podium.tracing._usage import Usage
from podium.tracing.commands import _cells
from podium.tracing.commands._paint import Paint
from podium.tracing.commands._source import Service, Source, TraceId, one_trace
from podium.tracing.commands._terminal import results
from podium.tracing.commands._tree_lines import tree_lines
from podium.tracing.reading import Trace

_Depth = Annotated[int, typer.Option("--depth", help="How many levels; 0 for all.", min=0)]
_CHUNK = 2_000
"""Lines written at once."""


def show(
    source: Source, trace_id: TraceId = "", service: Service = "podium", depth: _Depth = 0
) -> None:
    """Show a run as a tree, with tokens (input>output), cost, time and a time bar."""
    trace = one_trace(source, trace_id, service)
    console = results()
    console.print(_headline(trace), style="bold", soft_wrap=True)
    # Written past rich, which would take a minute for 100,000 lines.
    lines = tree_lines(trace, console.width, Paint(console), depth or None)
    while chunk := "\n".join(islice(lines, _CHUNK)):
        console.file.write(_encodable(chunk, console.encoding) + "\n")


def _headline(trace: Trace) -> str:
    total = sum(trace.usage_by("path").values(), Usage())
    return "  ".join(_facts(trace, total))


def _facts(trace: Trace, total: Usage) -> Iterator[str]:
    yield f"trace {trace.trace_id}"
    yield datetime.fromtimestamp(trace.start_ns / 1e9).isoformat(" ", "seconds")
    yield _cells.duration(trace.duration_ns)
    yield f"{len(trace.spans):,} spans"
    if total.total_tokens:
        yield f"{_cells.tokens(total)} tokens"
    if total.cost is not None:
        yield _cells.cost(total.cost)


def _encodable(text: str, encoding: str) -> str:
    """Return text that the output can take; what it cannot becomes '?'."""
    return text if encoding == "utf-8" else text.encode(encoding, "replace").decode(encoding)
