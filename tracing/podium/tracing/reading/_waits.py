"""Time that spans say was spent waiting, for room in a budget or before a call is tried again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from podium.tracing import attributes as names
from podium.tracing.reading._otlp_values import float_of
from podium.tracing.reading._span import TraceSpan

_SECONDS_KEYS = (names.BUDGET_WAITED_SECONDS, names.RETRY_DELAY_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """One wait within a span."""

    span: TraceSpan
    """Who waited."""
    what: str
    """The event that tells it, such as `podium.retry`."""
    time_ns: int
    """When that was told, in nanoseconds since 1970."""
    seconds: float
    """How long it was."""


def waits_in(span: TraceSpan) -> Iterator[Wait]:
    """Yield the waits that a span's events tell."""
    for event in span.events:
        for key in _SECONDS_KEYS:
            seconds = float_of(event.attributes.get(key))
            if isinstance(seconds, float) and 0 < seconds < inf:
                yield Wait(span=span, what=event.name, time_ns=event.time_ns, seconds=seconds)
                break


def waited_seconds(span: TraceSpan) -> float:
    """Return how long a span says it waited."""
    return sum(wait.seconds for wait in waits_in(span)) if span.events else 0.0
