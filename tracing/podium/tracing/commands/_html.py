"""`podium trace html`: a trace as one page to look at in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium.tracing.commands._output_file import keep_record, write
from podium.tracing.commands._source import Service, Source, TraceId, one_trace
from podium.tracing.commands._terminal import notes
from podium.tracing.page import render_page

_Output = Annotated[
    Path,
    typer.Option("--output", "-o", help="The page to write; an older one is replaced."),
]


def html(
    source: Source,
    output: _Output = Path("trace.html"),
    trace_id: TraceId = "",
    service: Service = "podium",
) -> None:
    """Write a trace as one HTML page: timeline, agents, flame chart. It works offline."""
    keep_record(source, output)
    trace = one_trace(source, trace_id, service)
    page = render_page(trace).encode("ascii")
    write(output, page)
    notes().print(
        f"Wrote {len(trace):,} spans to {output} ({len(page) / 1e6:.1f} MB). Open it in a browser.",
        soft_wrap=True,
    )
