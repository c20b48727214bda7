"""`podium trace why`: the chain of causes of an ending."""

from __future__ import annotations

from podium.tracing.commands._cells import one_line
from podium.tracing.commands._source import Service, Source, TraceId, one_trace
from podium.tracing.commands._terminal import results


def why(source: Source, trace_id: TraceId = "", service: Service = "podium") -> None:
    """Say why a run ended as it did, from its ending down to the limit or error behind it."""
    console = results()
    for sentence in one_trace(source, trace_id, service).why():
        console.print(one_line(sentence, 1_000), soft_wrap=True)
