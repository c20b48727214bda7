"""Records in a bad state: what is there is read, and what is not is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from recorded import NOON, SECOND, otlp, span

from podium.tracing import Trace, read_trace
from podium.tracing.export import encode, otlp_document
from podium.tracing.reading import TraceSpan, read_traces

GOOD = encode(otlp_document([span(1)]))


def raw(**fields: Any) -> dict[str, Any]:
    return {"traceId": "7a", "spanId": "1", "name": "work", "startTimeUnixNano": NOON, **fields}


def shape(trace: Trace) -> list[tuple[str, int]]:
    return [(each.name, depth) for each, depth in trace.walk()]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (GOOD + b'\n{"resourceSp', "1 line was cut in the middle and left out"),
        (GOOD + b"\nhello\nworld\n", "2 lines were no JSON and left out (first: 'hello"),
        (b"hello\n" + GOOD, "1 line was no JSON and left out"),
        (GOOD + b'\n{"resourceLogs":[]}', "1 document was neither OTLP JSON nor Jaeger JSON"),
        (GOOD + b"\n7", "1 document was neither OTLP JSON nor Jaeger JSON"),
        (GOOD + b"\n" + b"[" * 100_000, "1 line was cut in the middle"),
        (GOOD + b"\n\xff\xfe{}\n", "1 line was no JSON"),
    ],
    ids=["truncated", "text", "text first", "logs", "a number", "deep", "no UTF-8"],
)
def test_what_is_readable_in_a_damaged_file_is_read(
    written: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(written)

    trace = read_trace(path)

    assert shape(trace) == [("work", 0)]
    assert trace.problems[0].startswith(said)
    assert len(trace.problems) == 1


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"", "It is empty"),
        (b"\n\n", "It is empty"),
        (b'{"a": 1}', "1 document was neither OTLP JSON nor Jaeger JSON"),
        (b'{"resourceSpans": [', "cut in the middle"),
        (b'{"resourceSpans": [7, {"scopeSpans": [{"spans": 7}]}]}', "It is empty"),
        (b'{"data": [7, {"spans": null}]}', "It is empty"),
        (b"PK\x03\x04\x00\x00", "1 line was cut in the middle"),
    ],
)
def test_a_file_without_spans_is_refused_by_name(written: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(written)

    with pytest.raises(ValueError, match=r"notes\.txt' holds no spans") as caught:
        read_trace(path)

    assert said in str(caught.value)
    assert "Give a file of OTLP JSON lines" in str(caught.value)


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"gone.jsonl' cannot be read: .* Give the path"):
        read_trace(tmp_path / "gone.jsonl")


def test_several_traces_are_listed_to_choose_from() -> None:
    document = otlp_document([span(1, trace_id=f"{number:032x}") for number in range(1, 11)])

    with pytest.raises(ValueError, match=r"The document holds 10 traces .*0001, .*0008, \.\.\."):
        read_trace(document)
    with pytest.raises(ValueError, match=r"has no trace 'beef'. Choose trace_id= from these 10"):
        read_trace(document, trace_id="beef")


BAD_SPANS: dict[str, tuple[list[dict[str, Any]], list[tuple[str, int]], str]] = {
    "an orphan": (
        [raw(parentSpanId="99")],
        [("work", 0)],
        "1 span was started in a span that is not in the record (first: 'work').",
    ),
    "a span below itself": (
        [raw(parentSpanId="1")],
        [("work", 0)],
        "1 span was below itself; shown as a root (first: 'work').",
    ),
    "a circle with a tail": (
        [
            raw(parentSpanId="2"),
            raw(spanId="2", parentSpanId="1", name="two", startTimeUnixNano=NOON - 5),
            raw(spanId="3", parentSpanId="1", name="three"),
        ],
        [("two", 0), ("work", 1), ("three", 2)],
        "1 span was below itself; shown as a root (first: 'two').",
    ),
    "no start": (
        [raw(), raw(spanId="2", parentSpanId="1", name="two", startTimeUnixNano=None)],
        [("work", 0), ("two", 1)],
        "1 span was without a start time; shown at the start of its parent (first: 'two').",
    ),
    "no start, nor has the parent": (
        [
            raw(),
            raw(spanId="2", parentSpanId="1", name="two", startTimeUnixNano="noon"),
            raw(spanId="3", parentSpanId="2", name="three", startTimeUnixNano=2**70),
        ],
        [("work", 0), ("two", 1), ("three", 2)],
        "2 spans were without a start time; shown at the start of its parent (first: 'two').",
    ),
    "no start at the root": (
        [raw(startTimeUnixNano=-7), raw(spanId="2", parentSpanId="1", name="two")],
        [("work", 0), ("two", 1)],
        "1 span was without a start time; shown at the start of its parent (first: 'work').",
    ),
    "ends before it starts": (
        [raw(endTimeUnixNano=NOON - 1)],
        [("work", 0)],
        "1 span was marked as ended before the start; shown as instant (first: 'work').",
    ),
    "clock skew": (
        [raw(), raw(spanId="2", parentSpanId="1", name="two", startTimeUnixNano=NOON - SECOND)],
        [("work", 0), ("two", 1)],
        "1 span was started before its parent, so clocks differ; times are as recorded "
        "(first: 'two').",
    ),
    "no ids": (
        [raw(spanId=None), raw(spanId="not hex", name="two")],
        [("work", 0), ("two", 0)],
        "2 spans were without an id; one was made up (first: 'work').",
    ),
    "twice": (
        [raw(), raw(name="other", endTimeUnixNano=None)],
        [("work", 0)],
        "1 span was recorded twice under one id; one of each is shown (first: 'other').",
    ),
}


@pytest.mark.parametrize(("spans", "tree", "said"), BAD_SPANS.values(), ids=BAD_SPANS)
def test_bad_spans_still_make_a_tree_and_are_told(
    spans: list[dict[str, Any]], tree: list[tuple[str, int]], said: str
) -> None:
    ends = {"endTimeUnixNano": NOON + 9 * SECOND}

    trace = read_trace(otlp(*({**ends, **each} for each in spans)))

    assert shape(trace) == tree
    assert trace.problems == (said,)


def test_a_span_that_never_ended_is_told() -> None:
    trace = read_trace(otlp(raw()))

    assert trace.spans[0].end_ns is None
    assert trace.duration_ns == 0
    assert trace.problems[0].startswith("1 span was without an end")


def test_spans_without_a_trace_make_one_of_their_own() -> None:
    first, second = read_traces(otlp(raw(), raw(traceId="x", endTimeUnixNano=NOON + 1)))

    assert {first.trace_id, second.trace_id} == {"0" * 32, "7a".zfill(32)}
    assert any("without a trace id" in problem for problem in second.problems)


def test_a_fault_met_often_is_told_once() -> None:
    spans = [raw(spanId=f"{number:x}", parentSpanId="fff") for number in range(1, 2001)]

    trace = read_trace(otlp(*spans))

    assert len(trace.spans) == 2000
    assert trace.problems[0].startswith("2,000 spans were started in a span that is not")


def test_huge_strange_and_hostile_values_are_kept(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "huge": "é" * 10_000_000,
        "surrogate": "\ud800",
        "nul": "a\x00b",
        "dict": {"deep": {"er": (1, 2)}},
    }
    path = tmp_path / "trace.jsonl"
    path.write_text(json.dumps(otlp_document([span(1, **values)])))

    (read,) = read_trace(path).spans

    assert dict(read.attributes) == values


def test_a_tree_of_any_depth_is_read() -> None:
    depth = 20_000
    spans = [span(number, below=number - 1 or None) for number in range(1, depth)]

    trace = Trace(spans)

    assert max(level for _, level in trace.walk()) == depth - 2
    assert len(list(trace.ancestors(trace.spans[-1]))) == depth - 2
    assert len(trace.critical_path()) == 1


def test_an_empty_trace_answers_every_question() -> None:
    trace = Trace([])

    assert (trace.trace_id, trace.duration_ns, trace.roots, len(trace)) == ("", 0, (), 0)
    assert (trace.usage_trees(), trace.critical_path(), trace.waits()) == ((), (), ())
    assert trace.why() == ("No agent's run is in this trace.",)
    assert repr(trace) == "<Trace  of 0 spans>"


def test_a_span_is_found_by_its_id() -> None:
    trace = Trace([span(1), span(2, below=1)])

    assert trace.parent(trace.span("2".zfill(16))) is trace.span("1".zfill(16))
    with pytest.raises(LookupError, match=r"has no span 'x' among its 2. Take an id"):
        trace.span("x")


def test_a_span_is_equal_however_its_role_was_found() -> None:
    assert isinstance(span(1), TraceSpan)
    assert span(1) == span(1)
