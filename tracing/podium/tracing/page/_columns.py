"""The spans of a page by columns: one entry a span, in the order of the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from podium.tracing import attributes as names
from podium.tracing._usage import Usage
from podium.tracing.page._agents import Agents
from podium.tracing.page._labels import hint_of, label_of
from podium.tracing.page._values import Values
from podium.tracing.reading import Role, SpanEvent, Trace, TraceSpan

ROLES: Final[tuple[Role, ...]] = ("agent", "model", "tool", "hook", "workflow", "other")
"""Kinds of spans, by the numbers under which the page knows them."""
STATES: Final = ("unset", "error", "ok")
MAX_EVENTS = 200
"""Of one span."""
MAX_ATTRIBUTES = 256
"""Of one span."""


class Columns:
    """Writes spans as numbers: times in milliseconds, texts as places in the list of values."""

    def __init__(self, trace: Trace, spans: Sequence[TraceSpan], agents: Agents) -> None:
        """Write `spans`, which are in tree order; `values` and `keys` fill on the way."""
        self._trace = trace
        self._start_ns, self._length_ns = trace.start_ns, trace.duration_ns
        self._spans = spans
        self._agents = agents
        self.values = Values()
        self.keys = Values()
        self._places = {span.span_id: place for place, span in enumerate(spans)}
        self.cut_events = 0
        self.cut_attributes = 0

    def spans(self, used: Mapping[str, Usage]) -> dict[str, list[object]]:
        """Return a list for each column; `used` says what a span used, by its id."""
        place = self.values.place
        columns: dict[str, list[object]] = {name: [] for name in _COLUMNS}
        for span in self._spans:
            usage, role = used.get(span.span_id), span.role
            row = (
                place(span.name),
                place(label_of(span, role, self._agents)),
                place(hint_of(span, role)),
                self._parent(span),
                self._time(span.start_ns),
                milliseconds(span.duration_ns),
                ROLES.index(role),
                STATES.index(span.status),
                self._agents.owner(span),
                usage.input_tokens if usage else 0,
                usage.output_tokens if usage else 0,
                self._attributes(_facts(span)),
            )
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
        return columns

    def events(self) -> dict[int, list[object]]:
        return {
            place: [self._event(event) for event in self._some(span.events)]
            for place, span in enumerate(self._spans)
            if span.events
        }

    def waits(self) -> dict[int, list[tuple[float, float]]]:
        """Return when and for how long each span waited."""
        found: dict[int, list[tuple[float, float]]] = {}
        for wait in self._trace.waits():
            place = self._places.get(wait.span.span_id)
            if place is not None:
                length_ns = int(min(wait.seconds * 1e9, self._length_ns))
                is_over = wait.what != names.RETRY  # the delay of a retry is told before it
                start_ns = max(wait.span.start_ns, wait.time_ns - length_ns * is_over)
                found.setdefault(place, []).append((self._time(start_ns), milliseconds(length_ns)))
        return found

    def critical(self) -> dict[int, list[tuple[float, float]]]:
        """Return when and for how long everything waited for a span's own work."""
        found: dict[int, list[tuple[float, float]]] = {}
        for piece in self._trace.critical_path():
            place = self._places.get(piece.span.span_id)
            if place is not None:
                stretch = self._time(piece.start_ns), milliseconds(piece.duration_ns)
                found.setdefault(place, []).append(stretch)
        return found

    def _parent(self, span: TraceSpan) -> int:
        above = self._trace.parent(span)
        return -1 if above is None else self._places[above.span_id]

    def _time(self, time_ns: int) -> float:
        return milliseconds(time_ns - self._start_ns)

    def _event(self, event: SpanEvent) -> tuple[float, int, list[int]]:
        return (
            self._time(event.time_ns),
            self.values.place(event.name),
            self._attributes(event.attributes),
        )

    def _some(self, events: Sequence[SpanEvent]) -> Sequence[SpanEvent]:
        self.cut_events += max(0, len(events) - MAX_EVENTS)
        return events[:MAX_EVENTS]

    def _attributes(self, attributes: Mapping[str, object]) -> list[int]:
        self.cut_attributes += max(0, len(attributes) - MAX_ATTRIBUTES)
        codes: list[int] = []
        for key, value in list(attributes.items())[:MAX_ATTRIBUTES]:
            codes += (self.keys.place(key), self.values.place(value))
        return codes


_COLUMNS = (
    "name",
    "label",
    "hint",
    "parent",
    "start",
    "length",
    "kind",
    "state",
    "owner",
    "input",
    "output",
    "attributes",
)


def _facts(span: TraceSpan) -> dict[str, object]:
    """Return a span's attributes, and what else was recorded of it."""
    facts = dict(span.attributes)
    if span.status_message:
        facts["status message"] = span.status_message
    for link in span.links:
        facts[f"link to {link.span_id}"] = link.trace_id
    if span.service.name:
        facts.setdefault("service.name", span.service.name)
    return facts


def milliseconds(nanoseconds: int) -> float:
    """Return a time as the page counts it, to the microsecond."""
    return round(nanoseconds / 1e6, 3)
