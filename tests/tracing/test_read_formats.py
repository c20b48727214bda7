"""Reading traces: each form they come in, and vocabularies of other producers."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from recorded import NOON, SECOND, otlp, span, team

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator
from podium.tracing import Trace, Usage, read_trace, setup_tracing
from podium.tracing.export import encode, jaeger_document, otlp_document
from podium.tracing.reading import TraceSpan, read_traces

ID = {"traceId": "7a", "spanId": "1", "startTimeUnixNano": str(NOON)}


def one(**fields: Any) -> TraceSpan:
    return read_trace(otlp({**ID, **fields})).spans[0]


def attribute(value: object) -> object:
    return one(attributes=[{"key": "key", "value": value}]).attributes["key"]


def test_a_run_reads_back_as_the_tree_that_its_result_tells(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    agent = Agent(chat_generator=ScriptedChatGenerator(["Hello!"], usage=usage), name="greeter")

    with setup_tracing(file=tmp_path / "trace.jsonl"):
        result = agent.run("Hi")
    trace = read_trace(tmp_path / "trace.jsonl")

    assert trace.trace_id == result.trace_id
    assert [(span.name, depth) for span, depth in trace.walk()] == [
        ("invoke_agent greeter", 0),
        ("chat scripted", 1),
    ]
    assert trace.problems == ()
    (tree,) = trace.usage_trees()
    assert tree.total == result.usage_tree.total
    assert trace.spans[0].service.name == "podium"
    assert trace.spans[0].scope.name == "podium"
    assert trace.endings()[0].is_natural


def test_a_span_has_all_that_otlp_says_of_it() -> None:
    found = one(
        name="work",
        parentSpanId="2",
        kind=3,
        endTimeUnixNano=NOON + SECOND,
        status={"code": 2, "message": "no"},
        events=[{"name": "half", "timeUnixNano": "7", "attributes": []}],
        links=[{"traceId": "8", "spanId": "9"}],
    )

    assert (found.trace_id, found.span_id, found.parent_id) == (
        "7a".zfill(32),
        "1".zfill(16),
        "2".zfill(16),
    )
    assert (found.name, found.kind, found.duration_ns) == ("work", "client", SECOND)
    assert (found.status, found.status_message) == ("error", "no")
    assert [(event.name, event.time_ns) for event in found.events] == [("half", 7)]
    assert [link.span_id for link in found.links] == ["9".zfill(16)]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"stringValue": "text"}, "text"),
        ({"boolValue": True}, True),
        ({"intValue": "7"}, 7),
        ({"intValue": 7}, 7),
        ({"intValue": "seven"}, "seven"),
        ({"doubleValue": 0.5}, 0.5),
        ({"doubleValue": "-Infinity"}, float("-inf")),
        ({"doubleValue": "much"}, "much"),
        ({"doubleValue": None}, None),
        ({"bytesValue": "AAE="}, b"\x00\x01"),
        ({"bytesValue": "é"}, "é"),
        ({"arrayValue": {"values": [{"stringValue": "a"}, {}]}}, ("a", None)),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"intValue": 1}}]}}, {"a": 1}),
        ({"strangeValue": 1}, {"strangeValue": 1}),
        ({}, None),
        ("untagged", "untagged"),
    ],
)
def test_attribute_values_of_each_kind(written: object, value: object) -> None:
    assert attribute(written) == value


@pytest.mark.parametrize(
    ("kind", "read"),
    [(1, "internal"), ("SPAN_KIND_SERVER", "server"), (99, "unspecified"), (None, "unspecified")],
)
def test_kinds_are_numbers_or_names(kind: object, read: str) -> None:
    assert one(kind=kind).kind == read


@pytest.mark.parametrize(
    "trace_id",
    ["7A".zfill(32), "7a", "AAAAAAAAAAAAAAAAAAAAeg=="],
    ids=["capitals", "short", "base64"],
)
def test_ids_are_read_however_they_are_written(trace_id: str) -> None:
    assert one(traceId=trace_id).trace_id == "7a".zfill(32)


@pytest.mark.parametrize("span_id", ["+1", "1_0", " 1", "0x1", "é", "0" * 16, "1" * 17, 7, None])
def test_what_is_no_id_is_none(span_id: object) -> None:
    assert one(parentSpanId=span_id).parent_id is None


def test_field_names_of_the_protocols_source_are_read_too() -> None:
    document = {
        "resource_spans": [
            {
                "resource": {
                    "attributes": [{"key": "service.name", "value": {"string_value": "shop"}}]
                },
                "scope_spans": [
                    {"spans": [{"trace_id": "7a", "span_id": "1", "start_time_unix_nano": NOON}]}
                ],
            }
        ]
    }

    (found,) = read_trace(document).spans

    assert (found.service.name, found.start_ns) == ("shop", NOON)


@pytest.mark.parametrize("form", ["lines", "document", "indented", "jaeger", "array"])
def test_every_form_gives_the_same_tree(form: str, tmp_path: Path) -> None:
    trace = Trace(team())
    halves = otlp_document(trace.spans[:3]), otlp_document(trace.spans[3:])
    written = {
        "lines": b"\n\n".join(encode(half) for half in halves),
        "document": b"\xef\xbb\xbf" + encode(otlp_document(trace.spans)),
        "indented": json.dumps(otlp_document(trace.spans), indent=2).encode(),
        "jaeger": json.dumps(jaeger_document(trace), indent=1).encode(),
        "array": encode(halves),
    }[form]
    path = tmp_path / "trace.json"
    path.write_bytes(written)

    read = [
        read_trace(path),
        read_trace(str(path)),
        read_trace(io.BytesIO(written)),
        read_trace(written.decode("utf-8-sig")),
    ]

    shape = [(each.name, depth) for each, depth in trace.walk()]
    assert [[(each.name, depth) for each, depth in one.walk()] for one in read] == [shape] * 4
    assert [one.problems for one in read] == [()] * 4


def test_one_trace_of_jaegers_answer_is_read_alone() -> None:
    (trace,) = json.loads(encode(jaeger_document(Trace(team()))))["data"]

    assert len(read_trace(trace)) == 8


def test_the_older_parent_field_and_error_tag_of_jaeger_are_read() -> None:
    fields = {"traceID": "7a", "operationName": "work", "startTime": 5, "duration": 2}
    tags = [{"key": "error", "type": "bool", "value": True}]
    spans: list[dict[str, Any]] = [
        {
            **fields,
            "spanID": "1",
            "tags": [],
            "references": [{}],
            "logs": [{"timestamp": 6, "fields": []}],
        },
        {**fields, "spanID": "2", "parentSpanID": "1", "tags": tags, "processID": "p9"},
    ]

    above, below = read_trace({"data": [{"spans": spans, "processes": None}]}).spans

    assert below.parent_id == above.span_id
    assert (above.status, below.status) == ("unset", "error")
    assert above.events[0].time_ns == 6_000


def test_several_traces_are_told_apart() -> None:
    spans = [span(1, trace_id="a" * 32, start=5), span(1, trace_id="b" * 32), span(2, "x")]
    document = otlp_document(spans)

    assert [trace.trace_id for trace in read_traces(document)][-1] == "a" * 32
    assert read_trace(document, trace_id="AA").trace_id == "a" * 32


CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}


@pytest.mark.parametrize(
    ("name", "attributes", "role", "model", "usage"),
    [
        (
            "anything",
            {
                **CHAT,
                "gen_ai.usage.input_tokens": 5,
                "gen_ai.usage.output_tokens": 2,
                "podium.cost.total_usd": 0.25,
            },
            "model",
            "m",
            Usage(input_tokens=5, output_tokens=2, requests=1, cost=Decimal("0.25")),
        ),
        (
            "openai.chat",
            {
                "gen_ai.system": "openai",
                "gen_ai.request.model": "m",
                "gen_ai.usage.prompt_tokens": 5,
                "gen_ai.usage.completion_tokens": 2,
            },
            "model",
            "m",
            Usage(input_tokens=5, output_tokens=2, requests=1),
        ),
        (
            "ChatCompletion",
            {
                "openinference.span.kind": "LLM",
                "llm.model_name": "m",
                "llm.token_count.prompt": 5,
                "llm.token_count.completion": 2,
                "llm.token_count.prompt_details.cache_read": 4,
                "llm.cost.total": "0.5",
            },
            "model",
            "m",
            Usage(
                input_tokens=5,
                output_tokens=2,
                cached_input_tokens=4,
                requests=1,
                cost=Decimal("0.5"),
            ),
        ),
        ("chat m", {}, "model", None, Usage(requests=1, complete=False)),
        ("embeddings e", {"llm.cost.total": "much"}, "model", None, None),
        ("call", {"openinference.span.kind": "TOOL", "tool.name": "t"}, "tool", None, None),
        ("plan", {"traceloop.span.kind": "workflow"}, "workflow", None, None),
        ("before", {"podium.hook.point": "before_llm"}, "hook", None, None),
        ("plan x", {"gen_ai.operation.name": "plan"}, "other", None, None),
        ("GET /", {"gen_ai.operation.name": 7, "gen_ai.system": "x"}, "other", None, None),
    ],
)
def test_spans_of_other_producers_are_understood(
    name: str, attributes: dict[str, Any], role: str, model: str | None, usage: Usage | None
) -> None:
    read = span(1, name, **attributes)

    assert (read.role, read.model) == (role, model)
    assert read.usage == (usage or (Usage(requests=1, complete=False) if role == "model" else None))


@pytest.mark.parametrize("count", [True, "x", None, float("nan")])
def test_a_count_that_is_no_number_is_absent(count: object) -> None:
    read = span(1, "chat m", gen_ai__usage__input_tokens=count)

    assert read.usage == Usage(requests=1, complete=False)
