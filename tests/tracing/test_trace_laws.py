"""What holds of every trace, however it was recorded."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import TRACE, span

from podium.tracing import Trace, read_trace
from podium.tracing._otlp_values import otlp_attributes
from podium.tracing.export import encode, jaeger_document, otlp_document
from podium.tracing.reading import SpanEvent, SpanLink, TraceSpan

laws = settings(max_examples=60, deadline=None)

times = st.integers(1_700_000_000_000_000, 1_700_000_000_000_900).map(lambda us: us * 1000)
scalars = st.one_of(
    st.text(max_size=5),
    st.booleans(),
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.floats(allow_nan=False),
    st.binary(max_size=3),
)
attributes = st.dictionaries(st.text(min_size=1, max_size=4), scalars, max_size=3)


@st.composite
def spans(draw: st.DrawFn) -> list[TraceSpan]:
    """Return spans whose parents are any of them, themselves, nobody, or somebody unknown."""
    count = draw(st.integers(1, 12))
    return [
        TraceSpan(
            trace_id=TRACE,
            span_id=f"{number:016x}",
            parent_id=draw(
                st.none() | st.integers(1, count + 2).map(lambda parent: f"{parent:016x}")
            ),
            name=draw(st.sampled_from(["chat m", "invoke_agent a", "execute_tool t", "", "x"])),
            kind=draw(st.sampled_from(["unspecified", "internal", "client"])),
            start_ns=draw(times),
            end_ns=draw(times),
            attributes=draw(attributes),
            events=tuple(
                draw(st.lists(st.builds(SpanEvent, name=st.just("e"), time_ns=times), max_size=2))
            ),
            links=tuple(SpanLink(trace_id=TRACE, span_id="f" * 16) for _ in range(number % 3)),
            status=draw(st.sampled_from(["unset", "ok", "error"])),
            status_message=draw(st.sampled_from(["", "no"])),
        )
        for number in range(1, count + 1)
    ]


def shape(trace: Trace) -> list[tuple[str, str, int]]:
    return [(each.span_id, each.name, depth) for each, depth in trace.walk()]


def through_json(document: object) -> Any:
    return json.loads(encode(document))


@laws
@given(spans())
def test_every_span_stands_once_below_its_parent(recorded: list[TraceSpan]) -> None:
    trace = Trace(recorded)

    order = [each.span_id for each in trace.spans]
    assert sorted(order) == sorted(each.span_id for each in recorded)
    assert order == [span_id for span_id, _, _ in shape(trace)]
    assert all(
        order.index(above.span_id) < order.index(each.span_id)
        for each in trace.spans
        for above in trace.ancestors(each)
    )
    assert sum(len(trace.children(each)) for each in trace.spans) == len(order) - len(trace.roots)


@laws
@given(spans())
def test_otlp_gives_back_every_span_as_it_was(recorded: list[TraceSpan]) -> None:
    trace = Trace(recorded)

    again = read_trace(through_json(otlp_document(recorded)))

    assert again.spans == trace.spans
    assert again.problems == trace.problems


@laws
@given(spans())
def test_jaeger_gives_back_the_same_tree(recorded: list[TraceSpan]) -> None:
    trace = Trace(recorded)

    again = read_trace(through_json(jaeger_document(trace)))

    assert shape(again) == shape(trace)
    assert [(each.kind, each.status, each.status_message) for each in again.spans] == [
        (each.kind, each.status, each.status_message) for each in trace.spans
    ]
    assert [each.start_ns for each in again.spans] == [each.start_ns for each in trace.spans]
    assert [each.links for each in again.spans] == [each.links for each in trace.spans]
    assert [each.events for each in again.spans] == [each.events for each in trace.spans]


@laws
@given(spans())
def test_the_critical_path_fills_the_time_without_gap_or_overlap(
    recorded: list[TraceSpan],
) -> None:
    trace = Trace(recorded)

    pieces = trace.critical_path()

    longest = max(each.duration_ns for each in trace.roots)
    assert sum(piece.duration_ns for piece in pieces) == longest
    assert all(one.end_ns == other.start_ns for one, other in pairwise(pieces))


@laws
@given(spans(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=12))
def test_all_ways_to_sum_usage_agree(
    recorded: list[TraceSpan], used: list[tuple[int, int]]
) -> None:
    told = [
        span(
            int(each.span_id, 16),
            each.name,
            below=None if each.parent_id is None else int(each.parent_id, 16),
            gen_ai__usage__input_tokens=sent,
            gen_ai__usage__output_tokens=written,
        )
        for each, (sent, written) in zip(recorded, used, strict=False)
    ]
    trace = Trace(told)

    spent = sum(each.usage.total_tokens for each in trace.spendings)

    assert [
        sum(usage.total_tokens for usage in trace.usage_by(by).values())
        for by in ("path", "model", "tool")
    ] == [spent] * 3
    assert spent <= sum(sent + written for sent, written in used)


@laws
@given(st.integers())
def test_integers_of_any_size_can_be_written(number: int) -> None:
    (pair,) = otlp_attributes({"key": number})

    assert pair["value"] in ({"intValue": str(number)}, {"stringValue": str(number)})
