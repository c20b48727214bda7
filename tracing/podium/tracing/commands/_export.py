"""`podium trace export`: a record in another form."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from podium.tracing.commands._output_file import keep_record, write
from podium.tracing.commands._source import OnlyTrace, Service, Source, all_traces
from podium.tracing.commands._terminal import notes
from podium.tracing.export import encode, jaeger_document, otlp_document

_To = Annotated[
    Literal["jaeger", "otlp"],
    typer.Option(
        "--to",
        help="jaeger: for the Upload tab of Jaeger's UI; otlp: one OTLP JSON document.",
        show_default=False,
    ),
]
_Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The file to write; else stdout.", show_default=False),
]


def export(
    source: Source,
    to: _To,
    output: _Output = None,
    trace_id: OnlyTrace = "",
    service: Service = "podium",
) -> None:
    """Write all traces of a record, or one of them, as Jaeger JSON or OTLP JSON."""
    if output is not None:
        keep_record(source, output)
    traces = all_traces(source, trace_id, service)
    spans = (span for trace in traces for span in trace.spans)
    document = jaeger_document(*traces) if to == "jaeger" else otlp_document(spans)
    if output is None:
        sys.stdout.buffer.write(encode(document) + b"\n")
        return
    write(output, encode(document))
    notes().print(f"Wrote {len(traces)} traces to {output}", soft_wrap=True)
