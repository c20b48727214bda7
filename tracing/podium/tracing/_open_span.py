"""One span: how it is opened, filled and ended, through the OpenTelemetry API alone.

Parents are passed explicitly and no span stays current over a yield, so a consumer of a stream
never finds itself inside somebody else's span. Nothing here raises: tracing that fails is logged
once for each kind of failure, and the run goes on. Without a configured SDK every function
returns `NO_SPAN` at once.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, ParamSpec, Self

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider

from podium.tracing import attributes as names
from podium.tracing._attribute_values import MAX_NAME_BYTES, cut, span_attributes, text_of
from podium.tracing._version import podium_version
from podium.tracing.content import Capture, captured, content_text

logger = logging.getLogger(__name__)

_KINDS = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}

ArgumentsT = ParamSpec("ArgumentsT")


def quietly(write: Callable[ArgumentsT, None]) -> Callable[ArgumentsT, None]:
    """Return `write` so that it never raises: an SDK and its processors may do anything."""

    @functools.wraps(write)
    def guarded(*args: ArgumentsT.args, **kwargs: ArgumentsT.kwargs) -> None:
        try:
            write(*args, **kwargs)
        except Exception as error:
            _report(write.__name__, type(error).__name__)

    return guarded


@functools.cache
def _report(action: str, kind: str) -> None:
    """Log a failure, once for each action and kind of error in a process."""
    logger.warning(
        "Tracing failed at %r (%s); the run goes on without it. "
        "This is said once for each kind of failure.",
        action,
        kind,
        exc_info=True,
    )


class OpenSpan:
    """A span that was started and is to be ended; made by `open_span`."""

    __slots__ = ("_span", "context", "recording")

    def __init__(self, span: Span, context: Context | None) -> None:
        """Keep the span and the context in which its children start."""
        self._span = span
        self.context = context
        """The parent to pass to children; None where there is no span: the caller's context."""
        self.recording = context is not None and span.is_recording()
        """Whether anyone sees what is written here; False after the end as well."""

    @classmethod
    def of(cls, span: Span) -> Self:
        """Return a span that somebody else opened, to write on it."""
        return cls(span, trace.set_span_in_context(span) if span.is_recording() else None)

    @property
    def trace_id(self) -> str | None:
        """The trace's id, 32 hex digits; None when the span is not recorded."""
        try:
            found = self._span.get_span_context()
            is_seen = found.is_valid and found.trace_flags.sampled
            return trace.format_trace_id(found.trace_id) if is_seen else None
        except Exception as error:  # as in `quietly`
            _report("trace_id", type(error).__name__)
            return None

    def set(self, key: str, value: object) -> None:
        """Write one attribute; None leaves it out."""
        self.update({key: value})

    @quietly
    def update(self, attributes: Mapping[str, object]) -> None:
        """Write attributes; those that are None are left out."""
        if self.recording:
            self._span.set_attributes(span_attributes(attributes))

    @quietly
    def event(self, name: str, attributes: Mapping[str, object] | None = None) -> None:
        """Note that something happened now."""
        if self.recording:
            self._span.add_event(cut(name, MAX_NAME_BYTES), span_attributes(attributes or {}))

    @quietly
    def set_content(self, key: str, content: object) -> None:
        """Write what people or models wrote, as JSON, where content is recorded on spans."""
        if self.recording and Capture.SPAN_ONLY in captured():
            self._span.set_attribute(key, content_text(key, content))

    @quietly
    def fail(self, error: BaseException) -> None:
        """Mark the span as failed, by the kind of error.

        Its text may hold content or secrets, so it is written only where content is.
        """
        if not self.recording:
            return
        kind, said = type(error).__name__, None
        if Capture.SPAN_ONLY in captured():
            said = content_text(names.EXCEPTION_MESSAGE, text_of(error))
            self._span.add_event(
                names.EXCEPTION, {names.EXCEPTION_TYPE: kind, names.EXCEPTION_MESSAGE: said}
            )
        self._span.set_status(Status(StatusCode.ERROR, said))
        self._span.set_attribute(names.ERROR_TYPE, kind)

    @quietly
    def end(self) -> None:
        """End the span; a second time does nothing."""
        if self.recording:
            self.recording = False
            self._span.end()

    def current(self) -> AbstractContextManager[None]:
        """Make this the current span within one block, so that what runs there can find it.

        Use it around a plain call or an await in the same frame, never around a yield.
        """
        return nullcontext() if self.context is None else _Attached(self.context)


NO_SPAN = OpenSpan(trace.INVALID_SPAN, None)
"""What stands for a span while nobody records: writes nothing, leaves the context alone."""


def tracing_enabled() -> bool:
    """Return whether an SDK is configured, so that spans can be seen by anyone."""
    provider = trace.get_tracer_provider()
    return not isinstance(provider, trace.ProxyTracerProvider | trace.NoOpTracerProvider)


def open_span(
    name: str,
    *,
    kind: Literal["internal", "client"],
    parent: Context | None,
    attributes: Mapping[str, object],
) -> OpenSpan:
    """Start a span below `parent`; None takes the caller's current context."""
    if not tracing_enabled():
        return NO_SPAN
    try:
        span = _tracer(trace.get_tracer_provider()).start_span(
            cut(name, MAX_NAME_BYTES),
            context=parent,
            kind=_KINDS[kind],
            attributes=span_attributes(attributes),
        )
        return OpenSpan(span, trace.set_span_in_context(span, parent))
    except Exception as error:  # as in `quietly`
        _report("open", type(error).__name__)
        return OpenSpan(trace.INVALID_SPAN, parent)


class _Attached:
    """Makes a context current. Not a generator: contextlib would write to the errors that pass."""

    __slots__ = ("_context", "_token")

    def __init__(self, context: Context) -> None:
        self._context = context

    def __enter__(self) -> None:
        self._token = otel_context.attach(self._context)

    def __exit__(self, *_: object) -> None:
        otel_context.detach(self._token)


@functools.lru_cache(maxsize=4)
def _tracer(provider: TracerProvider) -> trace.Tracer:
    """Return podium's tracer of a provider; making one for each span costs more than the span."""
    return provider.get_tracer(
        names.SCOPE, podium_version(), attributes={names.SCHEMA_KEY: names.TELEMETRY_SCHEMA}
    )
