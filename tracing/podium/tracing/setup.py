"""Setting up tracing: where the spans of this process go.

with setup_tracing(file="out/trace.jsonl"):
    agent.run("What is a closure?")
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from podium.tracing._otlp_file import OtlpFileExporter
from podium.tracing._provider import Fanout, process_fanout

logger = logging.getLogger(__name__)

_WAIT_SECONDS = 2.0
"""How long flushing and closing wait at most, each."""
_QUEUE_SPANS = 2**15
"""Spans that may wait for the file; more are dropped rather than hold the run up."""


class TracingHandle:
    """Tracing that was set up; `close` it, or use it as a context manager."""

    def __init__(self, fanout: Fanout, processors: tuple[SpanProcessor, ...]) -> None:
        """Let the processors listen; made by `setup_tracing`."""
        self._fanout = fanout
        self._processors = processors
        for processor in processors:
            fanout.add(processor)

    def flush(self) -> bool:
        """Export what has ended so far; return whether that was done within two seconds."""
        return all([_bounded(processor.force_flush) for processor in self._processors])

    def close(self) -> bool:
        """Export what has ended, then stop; return whether that was done within two seconds.

        A second time does nothing. Spans that are open now are not exported.
        """
        processors, self._processors = self._processors, ()
        for processor in processors:
            self._fanout.remove(processor)
        return all([_bounded(processor.shutdown) for processor in processors])

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
    *, file: str | Path | None = None, span_processor: SpanProcessor | None = None
) -> TracingHandle:
    """Send this process's spans to a file, to a span processor, or to both.

    A tracer provider that the application has configured is used as it is; else one is made.
    Nothing leaves the machine.

    Args:
        file: Where OTLP JSON lines are appended; missing folders are made.
        span_processor: Any OpenTelemetry processor; shut down when the handle is closed.

    Raises:
        ValueError: neither is given, the file cannot be written, or the process's tracer provider
            takes no span processors. Nothing has been changed then.
    """
    if file is None and span_processor is None:
        raise ValueError(
            "setup_tracing() was told no place for spans: file=None, span_processor=None. "
            "Pass file='trace.jsonl', or a span processor."
        )
    fanout = process_fanout()
    processors = [] if span_processor is None else [span_processor]
    if file is not None:
        processors.append(_file_processor(Path(file)))
    return TracingHandle(fanout, tuple(processors))


def _file_processor(path: Path) -> SpanProcessor:
    return BatchSpanProcessor(
        OtlpFileExporter(path), max_queue_size=_QUEUE_SPANS, schedule_delay_millis=1_000
    )


def _bounded(action: Callable[[], object]) -> bool:
    """Run `action` in a thread and wait no longer than two seconds for it.

    Processors have time limits of their own but do not keep them while an endpoint is dead.
    """
    results: list[object] = []

    def run() -> None:
        try:
            results.append(action())
        except Exception:
            logger.warning("Tracing could not be flushed or closed", exc_info=True)
            results.append(False)

    thread = threading.Thread(target=run, name="podium-tracing-close", daemon=True)
    thread.start()
    thread.join(_WAIT_SECONDS)
    if not results:
        logger.warning("Spans were not exported within %s seconds; some are lost", _WAIT_SECONDS)
    return bool(results) and results[0] is not False
