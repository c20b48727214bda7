"""One place for spans: in its own dialect, quiet, and waited for no longer than promised."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from podium.tracing._bounded import WAIT_SECONDS, Call, Helper, wait_for
from podium.tracing._dialect import Dialect
from podium.tracing._open_span import quietly
from podium.tracing._quiet import Quiet
from podium.tracing.content import Capture, captured


class SpanPlace(SpanProcessor):
    """Stands before a processor that takes spans; one that raises hurts nobody else."""

    def __init__(
        self,
        processor: SpanProcessor,
        dialect: Dialect,
        name: str,
        give_up: Callable[[], None] | None = None,
    ) -> None:
        """Keep the processor, how spans are told to it, and what log lines call the place.

        `give_up` ends a shutdown that is not done in time.
        """
        self._processor, self._give_up = processor, give_up
        self._dialect = dialect
        self._quiet = Quiet()
        self._helper = Helper(name)

    @quietly
    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Pass a span on as it starts."""
        self._processor.on_start(span, parent_context)

    @quietly
    def on_end(self, span: ReadableSpan) -> None:
        """Pass a finished span on, in the place's own words."""
        if self._dialect.renames or (not self._dialect.has_content and _is_content_recorded()):
            span = self._dialect.told(span)
        with self._quiet:
            self._processor.on_end(span)

    def begin_flush(self) -> Call:
        """Have what has ended exported."""
        return self._helper.hand_over(self._flush)

    def begin_shutdown(self) -> Call:
        """Have what has ended exported, and the processor shut down."""
        call = self._helper.hand_over(self._shutdown, self._give_up)
        self._helper.leave()
        return call

    def shutdown(self) -> None:
        """Shut down, waiting no longer than promised: the process ends."""
        wait_for([self.begin_shutdown()], WAIT_SECONDS)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush, waiting no longer than promised."""
        return wait_for([self.begin_flush()], min(WAIT_SECONDS, timeout_millis / 1_000))

    def _flush(self) -> bool:
        with self._quiet:
            return self._processor.force_flush()

    def _shutdown(self) -> None:
        with self._quiet:
            self._processor.shutdown()


def _is_content_recorded() -> bool:
    return Capture.SPAN_ONLY in captured()
