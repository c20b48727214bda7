"""The places that spans are sent to, opened all or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from podium.tracing._addresses import is_http_address, shown_address
from podium.tracing._console import ConsoleTree
from podium.tracing._dialect import Dialect
from podium.tracing._meter_provider import MetricPlace
from podium.tracing._otlp_file import OtlpFileExporter
from podium.tracing._provider import Fanout, process_fanout, process_resource
from podium.tracing._span_place import SpanPlace

if TYPE_CHECKING:
    from podium.tracing._otlp import Collector

MadeT = TypeVar("MadeT", BatchSpanProcessor, PeriodicExportingMetricReader)
Place = SpanPlace | MetricPlace

_QUEUE_SPANS = 2**15
"""Spans that may wait for the file; more are dropped rather than hold the run up."""
_SENDING_QUEUE_SPANS = 2**13
"""Spans that may wait for a collector, which may be dead: they take room in memory."""
_ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_HEADER_VARIABLES = (
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
)
_HEADER = re.compile(r"\s*[\w!#$%&'*+.^`|~-]+\s*=", re.ASCII)
_SETTINGS = ("OTEL_BSP_", "OTEL_METRIC_EXPORT_")
"""How the names of variables begin that the SDK's processors and readers look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What places the caller named."""

    otlp_endpoint: str | None
    file: str | Path | None
    console: bool
    span_processor: SpanProcessor | None

    @property
    def is_local(self) -> bool:
        """Whether one of them is in this process or on this machine."""
        return self.file is not None or self.console or self.span_processor is not None

    @property
    def sends(self) -> bool:
        """Whether spans go to a collector: the one named, or else the environment's."""
        named = self.otlp_endpoint is not None
        return named or (not self.is_local and any(map(os.environ.get, _ENDPOINT_VARIABLES)))


def open_places(wanted: Wanted, dialect: Dialect) -> tuple[Fanout, list[Place]]:
    """Return the places, and the fanout that the spans come from.

    Raises:
        ValueError: there is none, an address or a file is no good, or the process's tracer provider
            takes no span processors.
        ImportError: the exporter for a collector is not installed.
    """
    if not (wanted.is_local or wanted.sends):
        raise ValueError(
            "setup_tracing() was told no place for spans: otlp_endpoint=None, file=None, "
            "console=False, span_processor=None. Pass file='trace.jsonl', or another place."
        )
    with ExitStack() as undo:  # what was opened is closed when a later one fails
        sender = _sender(wanted.otlp_endpoint, undo) if wanted.sends else None
        writer = _writer(Path(wanted.file), undo) if wanted.file is not None else None
        fanout = process_fanout()
        undo.pop_all()
    places: list[Place] = []
    if wanted.span_processor is not None:
        kind = type(wanted.span_processor).__name__
        places.append(SpanPlace(wanted.span_processor, dialect, kind))
    if wanted.console:
        places.append(SpanPlace(ConsoleTree(), dialect, "the console"))
    if writer is not None:
        places.append(SpanPlace(writer, dialect, str(wanted.file)))
    if sender is not None:
        collector, spans, metrics = sender
        name, give_up = collector.address, collector.give_up
        places.append(SpanPlace(spans, dialect, name, give_up))
        if metrics is not None:
            resource = process_resource()
            places.append(MetricPlace(metrics, resource, collector.quiet, name, give_up))
    return fanout, places


def _writer(path: Path, undo: ExitStack) -> BatchSpanProcessor:
    exporter = OtlpFileExporter(path)
    undo.callback(exporter.shutdown)
    return _told(
        lambda: BatchSpanProcessor(
            exporter, max_queue_size=_QUEUE_SPANS, schedule_delay_millis=1_000
        ),
        undo,
    )


def _told(make: Callable[[], MadeT], undo: ExitStack) -> MadeT:
    """Return a part of the SDK's, whose settings the environment holds.

    Raises:
        ValueError: a setting is no good.
    """
    try:
        made = make()
    except ValueError as error:
        names = ", ".join(name for name in sorted(os.environ) if name.startswith(_SETTINGS))
        said = " ".join(str(error).split())
        raise ValueError(
            f"Tracing cannot be set up with the variables {names:.120}: {said} "
            "Change the one that this names, or unset it."
        ) from error
    undo.callback(made.shutdown)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]  # its **kwargs
    return made


def _collector(endpoint: str | None) -> Collector:
    named = {"otlp_endpoint": endpoint} if endpoint is not None else _endpoints_of_environment()
    for name, address in named.items():
        if not is_http_address(address):
            raise ValueError(
                f"{name}={shown_address(address)!r:.80} is no URL of a collector. "
                "Write it as 'http://localhost:4318'."
            )
    _check_headers()
    try:
        from podium.tracing._otlp import Collector  # loads requests and protobuf, and is an extra
    except ImportError as error:
        raise ImportError(
            f"Sending spans to a collector needs a package that is not installed ({error.name!r}). "
            "Run `pip install 'podium[otlp]'`."
        ) from error
    return Collector(endpoint)


def _check_headers() -> None:
    """Refuse what OpenTelemetry would leave out, with its text, and a key in it, in a log line."""
    for name in _HEADER_VARIABLES:
        given = os.environ.get(name, "").strip(" ,").split(",")
        wrong = [place for place, one in enumerate(given, 1) if one and not _HEADER.match(one)]
        if wrong:
            raise ValueError(
                f"The variable {name} holds no header at place {wrong[0]} of {len(given)}. "
                "Write it as 'name=value,name=value'."
            )


def _endpoints_of_environment() -> dict[str, str]:
    return {name: os.environ[name] for name in _ENDPOINT_VARIABLES if os.environ.get(name)}


def _sender(
    endpoint: str | None, undo: ExitStack
) -> tuple[Collector, BatchSpanProcessor, MetricReader | None]:
    collector = _collector(endpoint)
    queue = None if "OTEL_BSP_MAX_QUEUE_SIZE" in os.environ else _SENDING_QUEUE_SPANS
    spans = _told(lambda: BatchSpanProcessor(collector.span_exporter(), max_queue_size=queue), undo)
    if os.environ.get("OTEL_METRICS_EXPORTER", "").strip().lower() == "none":
        return collector, spans, None
    return (
        collector,
        spans,
        _told(lambda: PeriodicExportingMetricReader(collector.metric_exporter()), undo),
    )
