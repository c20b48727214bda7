"""The process's one tracer provider, and listeners that can come and go on it.

OpenTelemetry lets a process set its provider once and lets processors be added but never taken
away. So podium adds one processor to the provider, a fanout, and its listeners join and leave
that. A provider that the application has set up is used as it is.
"""

from __future__ import annotations

import os
import threading
from weakref import WeakKeyDictionary

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult


class Fanout(SpanProcessor):
    """Hands spans to whoever listens now."""

    def __init__(self) -> None:
        """Start without listeners."""
        # Guards changes of the tuple; readers take the tuple as it is.
        self._lock = threading.Lock()
        self._listeners: tuple[SpanProcessor, ...] = ()

    @property
    def has_listeners(self) -> bool:
        """Whether anyone listens."""
        return bool(self._listeners)

    def add(self, listener: SpanProcessor) -> None:
        """Let `listener` see spans from now on."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

    def remove(self, listener: SpanProcessor) -> None:
        """Show `listener` no more spans; one that is not there is no error."""
        with self._lock:
            self._listeners = tuple(each for each in self._listeners if each is not listener)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Tell all listeners."""
        for listener in self._listeners:
            listener.on_start(span, parent_context)

    def on_end(self, span: ReadableSpan) -> None:
        """Tell all listeners."""
        for listener in self._listeners:
            listener.on_end(span)

    def shutdown(self) -> None:
        """Shut down all listeners: the process or its provider ends."""
        for listener in self._listeners:
            listener.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush all listeners."""
        return all([listener.force_flush(timeout_millis) for listener in self._listeners])


class _WhileListening(Sampler):
    """Drops spans that nobody would see, so that a closed recorder leaves no cost behind."""

    def __init__(self, fanout: Fanout, chosen: Sampler) -> None:
        self._fanout = fanout
        self._chosen = chosen

    def should_sample(self, *args: object, **kwargs: object) -> SamplingResult:
        if not self._fanout.has_listeners:
            return SamplingResult(Decision.DROP)
        return self._chosen.should_sample(*args, **kwargs)  # type: ignore[arg-type]

    def get_description(self) -> str:
        return f"WhileListening({self._chosen.get_description()})"


# One fanout for each provider of this process, as the provider itself is one for the process.
_fanouts: WeakKeyDictionary[TracerProvider, Fanout] = WeakKeyDictionary()
_lock = threading.Lock()
"""Guards `_fanouts` and the choice of the provider."""


def process_fanout() -> Fanout:
    """Return the fanout of the process's tracer provider, which is made if there is none.

    Raises:
        ValueError: the application set a provider that takes no span processors.
    """
    with _lock:
        provider = trace.get_tracer_provider()
        if isinstance(provider, trace.ProxyTracerProvider):
            fanout, provider = Fanout(), TracerProvider(resource=_resource())
            provider.sampler = _WhileListening(fanout, provider.sampler)
            trace.set_tracer_provider(provider)
        elif not isinstance(provider, TracerProvider):
            raise ValueError(
                f"This process's tracer provider is {provider!r}, which takes no span processors. "
                "Configure it to export, or set an opentelemetry.sdk TracerProvider instead."
            )
        elif provider in _fanouts:
            return _fanouts[provider]
        else:
            fanout = Fanout()
        provider.add_span_processor(fanout)
        _fanouts[provider] = fanout
        return fanout


def process_resource() -> Resource:
    """Return what the process calls itself in traces."""
    provider = trace.get_tracer_provider()
    return provider.resource if isinstance(provider, TracerProvider) else _resource()


def _resource() -> Resource:
    named = "OTEL_SERVICE_NAME" in os.environ or "service.name" in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )
    return Resource.create({} if named else {SERVICE_NAME: "podium"})
