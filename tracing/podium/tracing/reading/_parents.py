"""Hanging spans under their parents, also where the record is damaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from podium.tracing.reading._problems import Problems
from podium.tracing.reading._span import TraceSpan

_SKEW_NS = 1_000_000
"""A child may seem to start so much before its parent; clocks within one machine differ less."""

Children = dict[str | None, list[TraceSpan]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Spans in tree order, with the links between them and what had to be mended."""

    spans: tuple[TraceSpan, ...]
    parents: Mapping[str, str]
    children: Mapping[str | None, Sequence[TraceSpan]]
    problems: tuple[str, ...]


def resolve(spans: Iterable[TraceSpan]) -> Tree:
    """Return the spans as a tree in which every span hangs below a root."""
    problems = Problems()
    by_id = _unique(spans, problems)
    parents = _known_parents(by_id, problems)
    _open_circles(by_id, parents, problems)
    _date(by_id, parents, problems)
    children: Children = {}
    for span in sorted(by_id.values(), key=lambda span: span.start_ns):
        children.setdefault(parents.get(span.span_id), []).append(span)
    _check_times(by_id, parents, problems)
    return Tree(
        spans=tuple(_in_order(children)),
        parents=parents,
        children=children,
        problems=problems.sentences(),
    )


def _in_order(children: Children) -> Iterator[TraceSpan]:
    waiting = children.get(None, [])[::-1]
    while waiting:
        span = waiting.pop()
        yield span
        waiting.extend(reversed(children.get(span.span_id, [])))


def _unique(spans: Iterable[TraceSpan], problems: Problems) -> dict[str, TraceSpan]:
    """Return one span for each id: the last that has an end, as a later record knows more."""
    found: dict[str, TraceSpan] = {}
    for span in spans:
        known = found.get(span.span_id)
        if known is not None and known != span:
            problems.note("{count} recorded twice under one id; one of each is shown", span.name)
        if known is None or span.end_ns is not None:
            found[span.span_id] = span
    return found


def _known_parents(by_id: Mapping[str, TraceSpan], problems: Problems) -> dict[str, str]:
    parents: dict[str, str] = {}
    for span_id, span in by_id.items():
        if span.parent_id is None:
            continue
        if span.parent_id in by_id:
            parents[span_id] = span.parent_id
        else:
            problems.note("{count} started in a span that is not in the record", span.name)
    return parents


def _open_circles(
    by_id: Mapping[str, TraceSpan], parents: dict[str, str], problems: Problems
) -> None:
    """Make the earliest span of each circle a root."""
    safe: set[str] = set()
    for start in by_id:
        trail: dict[str, None] = {}
        at: str | None = start
        while at is not None and at not in safe and at not in trail:
            trail[at] = None
            at = parents.get(at)
        if at is not None and at in trail:
            steps = list(trail)
            first = min(steps[steps.index(at) :], key=lambda each: by_id[each].start_ns)
            del parents[first]
            problems.note("{count} below itself; shown as a root", by_id[first].name)
        safe.update(trail)


def _date(by_id: dict[str, TraceSpan], parents: Mapping[str, str], problems: Problems) -> None:
    """Give spans without a start the start of what is nearest above, or of the trace."""
    undated = [span for span in by_id.values() if span.start_ns <= 0]
    earliest = min((span.start_ns for span in by_id.values() if span.start_ns > 0), default=0)
    for span in undated:
        above = parents.get(span.span_id)
        while above is not None and by_id[above].start_ns <= 0:
            above = parents.get(above)
        start = earliest if above is None else by_id[above].start_ns
        by_id[span.span_id] = replace(span, start_ns=start)
        problems.note("{count} without a start time; shown at the start of its parent", span.name)


def _check_times(
    by_id: Mapping[str, TraceSpan], parents: Mapping[str, str], problems: Problems
) -> None:
    for span in by_id.values():
        if span.end_ns is None:
            problems.note("{count} without an end; still running, or the record was cut", span.name)
        elif span.end_ns < span.start_ns:
            problems.note("{count} marked as ended before the start; shown as instant", span.name)
        above = parents.get(span.span_id)
        if above is not None and span.start_ns < by_id[above].start_ns - _SKEW_NS:
            problems.note(
                "{count} started before its parent, so clocks differ; times are as recorded",
                span.name,
            )
