"""The console tree: printed when a trace ends, and safe on a terminal."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from opentelemetry import trace

from podium.tracing import Usage, _console, setup_tracing
from podium.tracing._open_span import OpenSpan, open_span
from podium.tracing._spans import (
    agent_span,
    chat_facts,
    chat_span,
    set_agent_result,
    set_chat_result,
)

PAID = Usage(input_tokens=1_200, output_tokens=30, requests=1, cost=Decimal("0.0125"))


def an_agent() -> OpenSpan:
    return agent_span(name="facts", description="", path="facts", depth=0, run_id="r", parent=None)


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines on the error output, with single spaces and without durations."""
    text = re.sub(r"\d+\.\d{3} s", "TIME", capsys.readouterr().err)
    return [re.sub(r"(?<=\S) +", " ", line) for line in text.splitlines()]


def test_a_trace_is_printed_as_a_tree_when_it_ends(capsys: pytest.CaptureFixture[str]) -> None:
    facts = chat_facts(model="m", provider="p", agent_name="facts", step=1, path="facts")
    with setup_tracing(console=True):
        agent = an_agent()
        chat = chat_span(facts, agent.context)
        set_chat_result(chat, PAID)
        chat.end()
        failed = open_span("execute_tool x", kind="internal", parent=agent.context, attributes={})
        failed.fail(ValueError("private"))
        failed.end()
        before = capsys.readouterr().err
        set_agent_result(agent, own=PAID, total=PAID, stop_reason="text", steps=1)
        agent.end()

    assert before == ""
    assert printed(capsys) == [
        "invoke_agent facts TIME 1,200 + 30 tokens $0.0125 end: text",
        "  chat m TIME 1,200 + 30 tokens $0.0125",
        "  execute_tool x TIME failed: ValueError",
    ]


def test_control_characters_are_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    with setup_tracing(console=True):
        open_span("tool \x1b[2J\nfake line", kind="internal", parent=None, attributes={}).end()

    assert printed(capsys) == ["tool \\x1b[2J\\nfake line TIME"]


def test_traces_that_go_on_at_the_same_time_are_printed_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with setup_tracing(console=True):
        first, second = an_agent(), an_agent()
        second.end()
        open_span("inside", kind="internal", parent=first.context, attributes={}).end()
        first.end()

    assert printed(capsys) == [
        "invoke_agent facts TIME",
        "invoke_agent facts TIME",
        "  inside TIME",
    ]


def test_a_span_that_began_before_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    with setup_tracing(console=True):
        early = an_agent()
        with setup_tracing(console=True):
            early.end()

    assert printed(capsys) == ["invoke_agent facts TIME"]


def test_of_a_very_long_trace_the_rest_is_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_console, "MAX_SPANS", 1)

    with setup_tracing(console=True):
        agent = an_agent()
        open_span("inside", kind="internal", parent=agent.context, attributes={}).end()
        agent.end()

    assert printed(capsys) == ["inside TIME", "and 1 more spans"]


def test_spans_of_the_application_are_shown_too(capsys: pytest.CaptureFixture[str]) -> None:
    with setup_tracing(console=True), trace.get_tracer("app").start_as_current_span("request"):
        an_agent().end()

    assert printed(capsys) == ["request TIME", "  invoke_agent facts TIME"]
