"""What the page is told: agents, endings, costs, waits and labels."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from page_traces import agent_span, chat_span, made_event, made_span

from podium.tracing import Trace
from podium.tracing.page import _selection, render_page
from podium.tracing.reading import Source, SpanLink, TraceSpan


def told(*spans: TraceSpan) -> dict[str, Any]:
    """Return the page's data of a trace."""
    found = re.search(r'id="data">(.*?)</script>', render_page(Trace(spans)))
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def column(data: dict[str, Any], name: str) -> list[object]:
    """Return a column of texts."""
    return [data["values"][place] for place in data["spans"][name]]


@pytest.mark.parametrize(
    ("attributes", "status", "word", "tone", "sentence"),
    [
        ({"podium.stop.reason": "text"}, "unset", "answered", "good", "The model answered."),
        (
            {"podium.stop.reason": "max_agent_steps"},
            "unset",
            "max agent steps",
            "warn",
            "The step limit was reached before the model answered.",
        ),
        (
            {"podium.stop.reason": "cancelled"},
            "unset",
            "cancelled",
            "bad",
            "The run was cancelled.",
        ),
        (
            {"podium.stop.reason": "hand_over"},
            "unset",
            "hand over",
            "plain",
            "The run was stopped: hand_over.",
        ),
        (
            {"error.type": "ValueError"},
            "error",
            "failed",
            "bad",
            "The run failed: ValueError.",
        ),
        ({}, "unset", "no reason recorded", "plain", "The record does not say why the run ended."),
    ],
)
def test_an_ending_is_told_in_a_word_a_color_and_a_sentence(
    attributes: dict[str, object], status: Any, word: str, tone: str, sentence: str
) -> None:
    attributes = {"gen_ai.operation.name": "invoke_agent", **attributes}

    data = told(made_span(1, name="invoke_agent a", attributes=attributes, status=status))

    assert data["ending"] == {"word": word, "tone": tone}
    assert data["agents"][0]["sentence"] == sentence
    assert data["sentence"].startswith(sentence)


def test_a_run_without_an_end_is_told_as_such() -> None:
    open_span = TraceSpan(trace_id="ab" * 16, span_id="1" * 16, name="invoke_agent a", start_ns=5)

    data = told(open_span)

    assert "no end of this run" in data["sentence"]


@pytest.mark.parametrize(
    ("what", "limit", "spent", "held", "figures"),
    [
        ("cost_usd", 0.25, 0.08, 0, "'a' had used 0.08 of 0.25 US dollars."),
        ("seconds", 30, 30.5, None, "'a' had used 30.5 of 30 seconds."),
        ("requests", 8, None, None, "'a' had used an unknown part of 8 requests."),
        ("total_tokens", "many", 5, 2, "'a' had used 5 of many total tokens, and 2 were held"),
    ],
)
def test_the_limit_that_ended_a_run_is_told_with_its_numbers(
    what: str, limit: object, spent: object, held: object, figures: str
) -> None:
    key = f"podium.budget.{what}"
    numbers = {f"{key}.limit": limit, f"{key}.spent": spent, f"{key}.held": held}
    known = {key: value for key, value in numbers.items() if value is not None}
    stop = {"podium.stop.reason": "some_budget_exceeded", "podium.stop.by": "a"}

    data = told(agent_span(1, "a", attributes={**stop, **known}))

    assert figures in data["sentence"]
    assert data["ending"]["tone"] == "warn"


def test_a_limit_too_low_for_any_call_is_told_as_such() -> None:
    key = "podium.budget.total_tokens"
    stop = {"podium.stop.reason": "token_budget_exceeded", "podium.stop.by": "a"}

    data = told(agent_span(1, "a", attributes={**stop, f"{key}.limit": 90, f"{key}.spent": 0}))

    assert "Not even one call had room in it: set a higher limit." in data["sentence"]


def test_a_rest_too_small_for_another_call_is_told_as_such() -> None:
    key = "podium.budget.total_tokens"
    stop = {"podium.stop.reason": "token_budget_exceeded", "podium.stop.by": "a"}

    data = told(agent_span(1, "a", attributes={**stop, f"{key}.limit": 90, f"{key}.spent": 60}))

    assert "'a' had used 60 of 90 total tokens. The rest was too little for" in data["sentence"]


@pytest.mark.parametrize("limit", ["many", True, -5, 1e30, 0])
def test_a_limit_that_is_no_amount_gets_no_bar(limit: object) -> None:
    attributes = {"podium.budget.total_tokens.limit": limit}

    data = told(agent_span(1, "a", attributes=attributes))

    assert data["budgets"] == []


def test_tokens_count_once_and_belong_to_the_agent_that_spent_them() -> None:
    own = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}
    spans = [
        agent_span(1, "lead", attributes=own),
        chat_span(2, parent=1, tokens=(10, 5)),
        agent_span(3, "lead/helper", parent=1),
        chat_span(4, parent=3, tokens=(100, 50)),
    ]

    data = told(*spans)

    assert [(each["path"], each["own"], each["total"]) for each in data["agents"]] == [
        ("lead", 15, 165),
        ("lead/helper", 150, 150),
    ]
    assert (data["totals"]["input"], data["totals"]["output"]) == (110, 55)
    assert sum(data["spans"]["input"]) == 110
    assert data["spans"]["owner"] == [0, 0, 1, 1]


def test_a_cost_is_shown_where_it_is_known_and_is_never_made_up() -> None:
    priced = told(agent_span(1, "a", attributes={"podium.cost.total_usd": 0.5}))
    unpriced = told(agent_span(1, "a"), chat_span(2, parent=1))

    assert priced["totals"]["cost"] == priced["agents"][0]["cost"] == 0.5
    assert unpriced["totals"]["cost"] is unpriced["agents"][0]["cost"] is None


def test_rows_are_called_by_who_or_what_worked() -> None:
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "ask"}
    to_agent = {**tool, "gen_ai.transfer.target.name": "helper"}
    hook = {"podium.hook.point": "before_tool", "podium.hook.name": "Guard"}
    stopped = {"podium.stop.reason": "max_agent_steps"}
    failed = {**tool, "error.type": "KeyError"}

    data = told(
        agent_span(1, "lead/helper#2", attributes=stopped),
        made_span(2, name="chat m", parent=1, start_ms=1, attributes={"podium.step": 3}),
        made_span(3, name="execute_tool ask", parent=1, start_ms=2, attributes=to_agent),
        made_span(4, name="hook", parent=1, start_ms=3, attributes=hook),
        made_span(5, name="t", parent=1, start_ms=4, attributes=failed, status="error"),
        made_span(6, name="", parent=1, start_ms=5),
    )

    assert list(zip(column(data, "label"), column(data, "hint"), strict=True)) == [
        ("helper#2", "max agent steps"),
        ("chat m", "step 3"),
        ("ask", "\N{RIGHTWARDS ARROW} helper"),
        ("Guard", "before tool"),
        ("ask", "KeyError"),
        ("(no name)", ""),
    ]


def test_a_wait_for_room_ends_when_it_is_told_and_one_before_a_retry_begins_then() -> None:
    events = (
        made_event("podium.budget.wait", 50, {"podium.budget.waited_seconds": 0.02}),
        made_event("podium.retry", 60, {"podium.retry.delay_seconds": 0.01}),
    )

    data = told(made_span(1, name="chat m", end_ms=100, events=events))

    assert data["waits"] == {"0": [[30.0, 20.0], [60.0, 10.0]]}


def test_spans_that_are_not_drawn_bring_nothing_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_selection, "MAX_SPANS", 1)
    wait = made_event("podium.budget.wait", 50, {"podium.budget.waited_seconds": 0.02})

    data = told(
        agent_span(1, "a"),
        made_span(2, name="chat m", parent=1, end_ms=100, events=(wait,)),
        agent_span(3, "a/b", parent=2),
    )

    assert (data["waits"], data["events"]) == ({}, {})
    assert data["critical"].keys() <= {"0"}
    assert (len(data["agents"]), data["totals"]["agents"]) == (1, 2)


@pytest.mark.parametrize(
    ("end_ms", "shown"), [(0.25, "0.25 ms"), (12_340, "12.3 s"), (480_000, "8.0 minutes")]
)
def test_how_long_it_took_is_told_in_a_fitting_unit(end_ms: float, shown: str) -> None:
    data = told(made_span(1, name="w", end_ms=end_ms))

    assert data["sentence"] == f"In {shown}, the record has 1 span; nothing failed."


def test_the_critical_path_fills_the_time_of_the_run() -> None:
    data = told(
        agent_span(1, "a", end_ms=100),
        chat_span(2, parent=1, start_ms=10, end_ms=40),
        chat_span(3, parent=1, start_ms=20, end_ms=90),
    )

    pieces = [piece for each in data["critical"].values() for piece in each]
    assert sum(length for _, length in pieces) == 100
    assert data["critical"]["2"] == [[20.0, 70.0]]


def test_a_link_the_service_and_what_was_said_of_a_failure_are_facts_of_a_span() -> None:
    link = SpanLink(trace_id="cd" * 16, span_id="2" * 16)
    span = made_span(1, name="w", status="error", message="no answer")

    data = told(replace(span, links=(link,), service=Source(name="shop")))

    codes = data["spans"]["attributes"][0]
    facts = {
        data["keys"][key]: data["values"][at]
        for key, at in zip(codes[::2], codes[1::2], strict=True)
    }
    assert facts == {
        "status message": "no answer",
        f"link to {'2' * 16}": "cd" * 16,
        "service.name": "shop",
    }
