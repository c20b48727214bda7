"""Spans in the words that a reader knows: older conventions, OpenInference, without content.

podium writes one set of names. Whoever wants another one gets a changed copy of each finished span,
so that a run pays nothing for what nobody asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Status

from podium.tracing import attributes as names
from podium.tracing._openinference import openinference_attributes

Flavour = Literal["genai", "openinference"]
"""A set of attributes: that of the OpenTelemetry GenAI conventions, or that of OpenInference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How spans are told to one place."""

    schema: names.Schema = names.TELEMETRY_SCHEMA
    """Whose names the GenAI attributes have."""
    flavours: frozenset[str] = frozenset({"genai"})
    """Which sets of attributes there are."""
    has_content: bool = True
    """Whether text of prompts, replies, arguments, results and errors may be told."""
    _scopes: dict[Any, InstrumentationScope] = field(
        default_factory=dict[Any, InstrumentationScope], compare=False, repr=False
    )

    @property
    def renames(self) -> bool:
        """Whether it has other names than those podium writes."""
        return self.schema != names.TELEMETRY_SCHEMA or self.flavours != frozenset({"genai"})

    def told(self, span: ReadableSpan) -> ReadableSpan:
        """Return a span of podium's in this dialect; one of somebody else's stays as it is."""
        scope = span.instrumentation_scope
        if scope is None or scope.name != names.SCOPE:
            return span
        events, status = span.events, span.status
        if not self.has_content:
            events = tuple(event for event in events if event.name != names.EXCEPTION)
            status = Status(status.status_code)
        return ReadableSpan(
            name=span.name,
            context=span.get_span_context(),
            parent=span.parent,
            resource=span.resource,
            attributes=self.attributes(span.attributes or {}),
            events=events,
            links=span.links,
            kind=span.kind,
            status=status,
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=self._scope(scope),
        )

    def attributes(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Return attributes by the names of this dialect."""
        if not self.has_content:
            written = {key: value for key, value in written.items() if key not in names.CONTENT}
        told: dict[str, Any] = {}
        if "genai" in self.flavours:
            older = names.OLDER_NAMES[self.schema]
            told = {older.get(key, key): value for key, value in written.items()}
        if "openinference" in self.flavours:
            told |= openinference_attributes(written)
            told |= {key: value for key, value in written.items() if key.startswith("podium.")}
        return told

    def _scope(self, scope: InstrumentationScope) -> InstrumentationScope:
        known = self._scopes.get(scope)
        if known is None:
            schema = {names.SCHEMA_KEY: self.schema}
            known = InstrumentationScope(scope.name, scope.version, scope.schema_url, schema)
            self._scopes[scope] = known
        return known


def checked_schema(schema: str) -> names.Schema:
    """Return the schema.

    Raises:
        ValueError: there is none of this name.
    """
    known = get_args(names.Schema)
    if schema not in known:
        raise ValueError(f"schema={schema!r:.60} is unknown. Use one of {', '.join(known)}.")
    return cast("names.Schema", schema)


def checked_flavours(flavours: Collection[str]) -> frozenset[str]:
    """Return the flavours.

    Raises:
        ValueError: there are none, or an unknown one.
    """
    given = {flavours} if isinstance(flavours, str) else set(flavours)
    known = get_args(Flavour)
    if not given or not given <= set(known):
        raise ValueError(
            f"flavours={sorted(given)!r:.80} are not all known. Use one or both of "
            f"{', '.join(map(repr, known))}."
        )
    return frozenset(given)
