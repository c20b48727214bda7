"""A span as it was recorded: plain data, whatever form it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from podium.tracing import attributes as names
from podium.tracing._usage import Usage
from podium.tracing.reading import _meaning
from podium.tracing.reading._meaning import Role

SpanKind = Literal["unspecified", "internal", "server", "client", "producer", "consumer"]
SpanStatus = Literal["unset", "ok", "error"]

KINDS: tuple[SpanKind, ...] = (
    "unspecified",
    "internal",
    "server",
    "client",
    "producer",
    "consumer",
)
"""Kinds of spans, in the order of their numbers in OTLP."""
STATUSES: tuple[SpanStatus, ...] = ("unset", "ok", "error")
"""Statuses of spans, in the order of their numbers in OTLP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """Something that happened within a span."""

    name: str
    """What happened."""
    time_ns: int
    """When, in nanoseconds since 1970."""
    attributes: Mapping[str, object] = field(default_factory=dict[str, object])
    """Facts about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLink:
    """A span elsewhere that this one has to do with, such as the run it resumes."""

    trace_id: str
    """The other span's trace, 32 hex digits."""
    span_id: str
    """The other span, 16 hex digits."""
    attributes: Mapping[str, object] = field(default_factory=dict[str, object])
    """Facts about the link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Who wrote a span: the service it ran in, or the library that opened it."""

    name: str = ""
    """`service.name` of a service; the name of a library."""
    version: str = ""
    """The library's version."""
    attributes: Mapping[str, object] = field(default_factory=dict[str, object])
    """All that is said about it; of a service, its resource attributes."""


UNKNOWN = Source()
"""What stands for a service or library that the record does not name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSpan:
    """One piece of work: an agent's run, a model call, a tool call, or anything an app recorded.

    Times and `parent_id` stand as recorded; `Trace.parent` says where the span hangs in its tree.
    """

    trace_id: str
    """32 hex digits."""
    span_id: str
    """16 hex digits; unique in its trace."""
    parent_id: str | None = None
    """The span it was started in, as recorded; that span may not be in the trace."""
    name: str = ""
    """Such as `chat gpt-5-mini`."""
    kind: SpanKind = "internal"
    """Its role in a call between services."""
    start_ns: int = 0
    """When it started, in nanoseconds since 1970."""
    end_ns: int | None = None
    """When it ended; None where the record does not say."""
    attributes: Mapping[str, object] = field(default_factory=dict[str, object])
    """Values are text, bool, int, float, bytes, None, and tuples and dicts of these."""
    events: tuple[SpanEvent, ...] = ()
    """What happened in it, as recorded."""
    links: tuple[SpanLink, ...] = ()
    """Spans elsewhere that it has to do with."""
    status: SpanStatus = "unset"
    """Whether it failed."""
    status_message: str = ""
    """What the recorder said about the failure."""
    service: Source = UNKNOWN
    """The service it ran in."""
    scope: Source = UNKNOWN
    """The library that opened it."""
    role: Role = field(init=False, compare=False)
    """What kind of work it is; `other` for what has nothing to do with agents."""

    def __post_init__(self) -> None:
        """Tell the role once: every question about a trace asks for it."""
        object.__setattr__(self, "role", _meaning.role_of(self.name, self.attributes))

    @property
    def duration_ns(self) -> int:
        """How long it took; 0 where its end is unknown or before its start."""
        return max(0, (self.end_ns or self.start_ns) - self.start_ns)

    @property
    def agent_name(self) -> str | None:
        """The agent that it is a run of, or that called the model, tool or hook."""
        return _meaning.agent_of(self.attributes)

    @property
    def model(self) -> str | None:
        """The model that answered; the one that was asked where the answer does not say."""
        return _meaning.model_of(self.attributes)

    @property
    def tool_name(self) -> str | None:
        """The tool that was called."""
        return _meaning.tool_of(self.attributes)

    @property
    def usage(self) -> Usage | None:
        """What it says was used in itself; of an agent, without the agents below it.

        Both an agent and its model calls tell the same tokens: sum the one or the other.
        """
        return _meaning.usage_of(self.role, self.attributes)

    @property
    def total_cost(self) -> Decimal | None:
        """US dollars for an agent and everything below it, where its span says so."""
        return _meaning.cost_of(self.attributes, names.TOTAL_COST_USD)

    @property
    def stop_reason(self) -> str | None:
        """Why an agent's run ended."""
        said = self.attributes.get(names.STOP_REASON)
        return said if isinstance(said, str) else None
