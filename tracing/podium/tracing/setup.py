"""Setting up tracing: where the spans of this process go.

with setup_tracing(file="out/trace.jsonl"):
    agent.run("What is a closure?")
"""

from __future__ import annotations

import atexit
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from opentelemetry.sdk.trace import SpanProcessor

from podium.tracing import _redaction, content
from podium.tracing._bounded import WAIT_SECONDS, wait_for
from podium.tracing._dialect import Dialect, checked_flavours, checked_schema
from podium.tracing._places import Place, Wanted, open_places
from podium.tracing._provider import Fanout
from podium.tracing._redaction import Redact, Redaction
from podium.tracing._span_place import SpanPlace
from podium.tracing.attributes import TELEMETRY_SCHEMA
from podium.tracing.content import Capture


class TracingHandle:
    """Tracing that was set up; `close` it, or use it as a context manager."""

    def __init__(
        self,
        fanout: Fanout,
        places: Sequence[Place],
        *,
        capture: Capture,
        redaction: Redaction,
    ) -> None:
        """Let the places see what happens from now on; made by `setup_tracing`."""
        self._fanout = fanout
        self._places = tuple(places)
        self._capture, self._redaction = capture, redaction
        _redaction.add(redaction)
        content.add_wish(capture)
        for place in self._places:
            if isinstance(place, SpanPlace):
                fanout.add(place)
        atexit.register(self.close)

    def flush(self, *, timeout_seconds: float = WAIT_SECONDS) -> bool:
        """Export what has ended so far; return whether that was done in time."""
        return wait_for([place.begin_flush() for place in self._places], timeout_seconds)

    def close(self, *, timeout_seconds: float = WAIT_SECONDS) -> bool:
        """Export what has ended, then stop; return whether that was done in time.

        A second time does nothing. Spans that are open now are not exported. The end of the process
        closes it as well.
        """
        places, self._places = self._places, ()
        if not places:
            return True
        atexit.unregister(self.close)
        for place in places:
            if isinstance(place, SpanPlace):
                self._fanout.remove(place)
        content.remove_wish(self._capture)
        _redaction.remove(self._redaction)
        return wait_for([place.begin_shutdown() for place in places], timeout_seconds)

    def __enter__(self) -> Self:
        """Return the handle."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Close the handle."""
        self.close()


def setup_tracing(
    *,
    otlp_endpoint: str | None = None,
    file: str | Path | None = None,
    console: bool = False,
    capture_content: bool | str | None = None,
    flavours: Collection[str] = frozenset({"genai"}),
    schema: str = TELEMETRY_SCHEMA,
    redact: Redact | None = None,
    span_processor: SpanProcessor | None = None,
) -> TracingHandle:
    """Send this process's spans to a collector, a file, the console, a span processor, or several.

    A tracer provider that the application has configured is used as it is; else one is made.
    Nothing leaves the machine unless an endpoint is named, here or in the environment.

    Args:
        otlp_endpoint: A collector that takes OTLP over HTTP, such as Jaeger at
            `http://localhost:4318`; metrics go there too. Given none of the four places, the one
            that `OTEL_EXPORTER_OTLP_ENDPOINT` names is used. The other variables of that family
            (headers, time-out, compression, certificate) hold in any case.
        file: Where OTLP JSON lines are appended; missing folders are made.
        console: Whether each trace is printed as a tree on the error output when it ends.
        capture_content: Whether text of prompts, replies, tool arguments and results is recorded:
            True or False, or one of the words that the variable
            `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` takes; None asks that variable.
        flavours: `genai`, `openinference` (for Phoenix), or both.
        schema: Whose names the GenAI attributes have; an earlier one for older readers.
        redact: A function that takes an attribute's name and a text and returns what to record in
            its place (None for nothing), a pattern of attribute names to hide, or a list of these.
        span_processor: Any OpenTelemetry processor; shut down when the handle is closed.

    Raises:
        ValueError: no place is given, an argument means nothing, the file cannot be written, or the
            process's tracer provider takes no span processors. Nothing has been changed then.
        TypeError: `redact` is neither a function nor a pattern.
        ImportError: an endpoint is given, and the exporter for it is not installed.
    """
    capture, redaction = Capture.of(capture_content), Redaction(redact)
    dialect = Dialect(
        schema=checked_schema(schema),
        flavours=checked_flavours(flavours),
        has_content=Capture.SPAN_ONLY in capture,
    )
    wanted = Wanted(
        otlp_endpoint=otlp_endpoint, file=file, console=console, span_processor=span_processor
    )
    fanout, places = open_places(wanted, dialect)
    return TracingHandle(fanout, places, capture=capture, redaction=redaction)
