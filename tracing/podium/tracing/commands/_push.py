"""`podium trace push`: a record to a collector, later."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from opentelemetry.util.re import parse_env_headers

from podium.tracing._addresses import shown_address
from podium.tracing.commands._cells import one_line
from podium.tracing.commands._source import OnlyTrace, Source, all_traces
from podium.tracing.commands._terminal import notes, progress, results
from podium.tracing.export import push as send

_Endpoint = Annotated[
    str,
    typer.Argument(help="Such as http://localhost:4318; /v1/traces is added.", show_default=False),
]
_Header = Annotated[
    list[str],
    typer.Option("--header", help="As name=value, besides those of OTEL_EXPORTER_OTLP_HEADERS."),
]


def push(
    source: Source,
    endpoint: _Endpoint,
    trace_id: OnlyTrace = "",
    header: _Header = [],  # noqa: B006  typer copies it
) -> None:
    """Send all traces of a file, or one of them, to an OTLP/HTTP endpoint."""
    traces = all_traces(source, trace_id)
    spans = [span for trace in traces for span in trace.spans]
    sent = rejected = 0
    with progress() as shown:
        task = shown.add_task("Sending", total=len(spans))
        for report in send(spans, endpoint, headers=_headers(header)):
            sent += report.spans
            rejected += report.rejected
            shown.update(task, completed=sent)
            if report.message:
                notes().print(f"The collector says: {one_line(report.message)}", style="yellow")
    results().print(
        f"Sent {sent:,} spans of {len(traces):,} traces to {shown_address(endpoint)}",
        soft_wrap=True,
    )
    if rejected:
        notes().print(f"The collector left {rejected:,} of them out.", style="red")
        raise typer.Exit(1)


def _headers(given: list[str]) -> dict[str, str]:
    """Return the headers to send; those given win over those of the environment."""
    wrong = [each for each in given if "=" not in each]
    if wrong:
        raise typer.BadParameter(f"{wrong[0]!r} has no value. Write it as name=value.")
    unfit = [
        each.partition("=")[0] for each in given if not (each.isascii() and each.isprintable())
    ]
    if unfit:
        raise typer.BadParameter(
            f"{unfit[0]!a} holds characters that no HTTP header may. Write it in plain ASCII."
        )
    found = dict(parse_env_headers(os.environ.get("OTEL_EXPORTER_OTLP_HEADERS", ""), liberal=True))
    return found | dict((each.partition("=")[0], each.partition("=")[2]) for each in given)
