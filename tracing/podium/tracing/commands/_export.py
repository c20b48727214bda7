"""`podium trace export`: a record in another form."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

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


def keep_record(source: str, output: Path) -> None:
    """Do nothing where writing `output` leaves the record alone.

    Raises:
        ValueError: they are the same file.
    """
    if output.exists() and Path(source).exists() and output.samefile(source):
        raise ValueError(
            f"--output {str(output)!r} is the record itself, which would be lost. "
            "Name another file."
        )


def write(path: Path, content: bytes) -> None:
    """Write a file.

    Raises:
        ValueError: it cannot be written.
    """
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ValueError(
            f"The file {str(path)!r} cannot be written: {error.strerror}. "
            "Give the path of a file in a folder you may write to."
        ) from error
