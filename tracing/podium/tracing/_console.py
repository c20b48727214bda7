"""A trace on the console: one tree of text, printed when the trace ends."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import StatusCode

from podium.tracing import attributes as names
from podium.tracing._span_tree import in_tree_order
from podium.tracing._text import printable

MAX_SPANS = 10_000
"""Of a longer trace only so many spans are shown."""
_NAME_WIDTH = 60


@dataclass(slots=True)
class _Trace:
    """A trace that goes on."""

    open_spans: int = 0
    ended: list[ReadableSpan] = field(default_factory=list[ReadableSpan])
    left_out: int = 0


class ConsoleTree(SpanProcessor):
    """Prints each trace when its last open span has ended."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Print to `stream`; None is what the error output is then."""
        self._stream = stream
        # Guards the traces: spans start and end in any thread.
        self._lock = threading.Lock()
        self._traces: dict[int, _Trace] = {}

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Count a span that starts."""
        with self._lock:
            self._traces.setdefault(_trace_id(span), _Trace()).open_spans += 1

    def on_end(self, span: ReadableSpan) -> None:
        """Keep a span that has ended, and print the trace if it was the last."""
        with self._lock:
            trace = self._traces.get(_trace_id(span))
            if trace is None:  # it had started before anybody listened
                return
            trace.open_spans -= 1
            if len(trace.ended) < MAX_SPANS:
                trace.ended.append(span)
            else:
                trace.left_out += 1
            if trace.open_spans:
                return
            del self._traces[_trace_id(span)]
        self._print(trace)

    def _print(self, trace: _Trace) -> None:
        spans = sorted(trace.ended, key=lambda span: span.start_time or 0)
        lines = [_line(depth, span) for depth, span in in_tree_order(spans)]
        if trace.left_out:
            lines.append(f"and {trace.left_out:,} more spans")
        stream = self._stream or sys.stderr
        stream.write("\n".join(lines) + "\n")
        stream.flush()


def _trace_id(span: ReadableSpan) -> int:
    context = span.get_span_context()
    return 0 if context is None else context.trace_id


def _line(depth: int, span: ReadableSpan) -> str:
    name = "  " * depth + printable(span.name, limit=200).replace("\n", "\\n")
    facts = [_duration(span), *_facts(span.attributes or {})]
    if span.status.status_code is StatusCode.ERROR:
        facts.append(f"failed: {(span.attributes or {}).get(names.ERROR_TYPE, 'error')}")
    told = printable("  ".join(facts)).replace("\n", "\\n").replace("\t", "\\t")
    return f"{name:<{_NAME_WIDTH}}  {told}"


def _duration(span: ReadableSpan) -> str:
    seconds = ((span.end_time or 0) - (span.start_time or 0)) / 1e9
    return f"{seconds:8.3f} s"


def _facts(attributes: Mapping[str, Any]) -> Iterator[str]:
    is_agent = attributes.get(names.OPERATION) == names.INVOKE_AGENT
    sent = attributes.get(names.TOTAL_INPUT_TOKENS if is_agent else names.INPUT_TOKENS)
    written = attributes.get(names.TOTAL_OUTPUT_TOKENS if is_agent else names.OUTPUT_TOKENS)
    if sent is not None and written is not None:
        yield f"{sent:,} + {written:,} tokens"
    cost = attributes.get(names.TOTAL_COST_USD)
    if cost is not None:
        yield f"${cost:,.4f}"
    if is_agent and names.STOP_REASON in attributes:
        yield f"end: {attributes[names.STOP_REASON]}"
