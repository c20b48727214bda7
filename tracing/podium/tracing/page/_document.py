"""What the page is told of a trace, ready for JSON."""

from __future__ import annotations

from collections.abc import Iterable

from podium.tracing.page import _columns
from podium.tracing.page._agents import Agents
from podium.tracing.page._selection import drawn_spans
from podium.tracing.page._story import ending_of, story_of, title_of, totals_of
from podium.tracing.reading import Trace

_LAST_DATE_NS = 8_640_000_000_000_000 * 1_000_000
"""After the year 275,000 a browser knows no dates."""


def page_document(trace: Trace) -> dict[str, object]:
    """Return the page's data, ready for JSON."""
    spans = drawn_spans(trace)
    agents = Agents(trace, spans)
    totals = totals_of(trace, agents)
    used = {each.span.span_id: each.usage for each in trace.spendings}
    columns = _columns.Columns(trace, spans, agents)
    return {
        "name": title_of(trace, agents),
        "sentence": story_of(agents, totals, trace.duration_ns / 1e9),
        "ending": ending_of(agents),
        "trace_id": trace.trace_id,
        "started": trace.start_ns / 1e6 if 0 < trace.start_ns < _LAST_DATE_NS else None,
        "length_ms": _columns.milliseconds(trace.duration_ns),
        "totals": totals,
        "spans": columns.spans(used),
        "events": columns.events(),
        "waits": columns.waits(),
        "agents": agents.rows(),
        "budgets": list(agents.budgets()),
        "critical": columns.critical(),
        "notes": [*trace.problems, *_left_out(trace, len(spans), columns)],
        "keys": columns.keys.all,
        "values": columns.values.all,
    }


def _left_out(trace: Trace, drawn: int, columns: _columns.Columns) -> Iterable[str]:
    """Yield sentences about what the page does not show."""
    left = len(trace.spans) - drawn
    if left:
        yield f"{left:,} of {len(trace.spans):,} spans are not drawn: those deepest in the tree."
    cut = columns.values.cut
    if cut:
        yield (
            "1 long value is cut; it says how long it was."
            if cut == 1
            else f"{cut:,} long values are cut; each says how long it was."
        )
    for what, left_out, kept in (
        ("events", columns.cut_events, _columns.MAX_EVENTS),
        ("attributes", columns.cut_attributes, _columns.MAX_ATTRIBUTES),
    ):
        if left_out:
            yield f"{left_out:,} {what} are left out: {kept} of a span are kept."
