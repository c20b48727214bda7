"""Spans in tests: record what a block of code traces and look at it as nested text.

with SpanRecorder() as recorder:
    agent.run("What is a closure?")
print(recorder.tree())
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from podium.tracing._provider import process_fanout
from podium.tracing._span_tree import in_tree_order


class SpanRecorder:
    """Records the spans that start within its `with` block, in memory.

    The process keeps its tracer provider; the recorder joins it and leaves it again.
    """

    def __init__(self) -> None:
        """Record nothing yet."""
        self._listener = _Listener()

    def __enter__(self) -> Self:
        """Start recording."""
        self._fanout = process_fanout()
        self._fanout.add(self._listener)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Stop recording; what was recorded stays readable."""
        self._fanout.remove(self._listener)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        """The spans that have ended, in the order in which they started."""
        return tuple(span for span in self._listener.started if span.end_time is not None)

    @property
    def open_spans(self) -> tuple[ReadableSpan, ...]:
        """The spans that have not ended: empty after a run, however it went."""
        return tuple(span for span in self._listener.started if span.end_time is None)

    def find(self, name: str) -> ReadableSpan:
        """Return the first ended span of this name.

        Raises:
            LookupError: there is none.
        """
        for span in self.spans:
            if span.name == name:
                return span
        known = sorted({span.name for span in self.spans})[:8]
        raise LookupError(
            f"No span named {name!r} was recorded. Look for one of {known}, "
            "and check that the run happened inside the with block."
        )

    def tree(self, *attributes: str) -> str:
        """Return the names of the ended spans as nested text, one a line.

        Siblings stand in the order in which they started. Each attribute named that a span has is
        put behind its name, as in `chat m  gen_ai.usage.input_tokens=12`.
        """
        return "\n".join(
            "  " * depth + _described(span, attributes) for depth, span in in_tree_order(self.spans)
        )


class _Listener(SpanProcessor):
    """Keeps each span as it starts; its end shows on the span itself."""

    def __init__(self) -> None:
        self.started: list[ReadableSpan] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        self.started.append(span)


def _described(span: ReadableSpan, attributes: tuple[str, ...]) -> str:
    present = span.attributes or {}
    shown = [f"{key}={present[key]!s}" for key in attributes if key in present]
    return "  ".join([span.name, *shown])
