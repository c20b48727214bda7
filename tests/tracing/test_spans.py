"""The spans of a run: their names, their parents, and that they never disturb it."""

from __future__ import annotations

import logging
from decimal import Decimal

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import SpanKind, StatusCode

from podium.tracing import Usage, _open_span, setup_tracing
from podium.tracing import attributes as names
from podium.tracing._open_span import NO_SPAN, OpenSpan, open_span, tracing_enabled
from podium.tracing._provider import process_fanout
from podium.tracing._spans import (
    agent_span,
    chat_facts,
    chat_span,
    hook_span,
    set_agent_result,
    set_chat_result,
    tool_span,
)
from podium.tracing.testing import SpanRecorder

USAGE = Usage(
    input_tokens=100, output_tokens=20, cached_input_tokens=60, reasoning_tokens=5, requests=1
)


def an_agent(name: str = "coordinator", parent: OpenSpan = NO_SPAN) -> OpenSpan:
    return agent_span(
        name=name,
        description="Leads.",
        path=name,
        depth=0,
        run_id="run-1",
        parent=parent.context,
    )


def a_chat(parent: OpenSpan = NO_SPAN, *, stream: bool = False) -> OpenSpan:
    facts = chat_facts(
        model="gpt-5-mini",
        provider="openai",
        agent_name="coordinator",
        step=1,
        path="coordinator",
        stream=stream,
        server_address="localhost",
        server_port=8080,
    )
    return chat_span(facts, parent.context)


def a_tool(parent: OpenSpan = NO_SPAN, *, target: str | None = None) -> OpenSpan:
    return tool_span(
        tool_name="research",
        description="Finds facts.",
        call_id="call_1",
        agent_name="coordinator",
        target=target,
        step=1,
        path="coordinator",
        parent=parent.context,
    )


def attributes_of(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def trace_of(span: ReadableSpan) -> str:
    context = span.get_span_context()
    assert context is not None
    return trace.format_trace_id(context.trace_id)


def test_a_delegation_is_one_nested_trace() -> None:
    with SpanRecorder() as recorder:
        coordinator = an_agent()
        a_chat(coordinator).end()
        delegation = a_tool(coordinator, target="researcher")
        an_agent("researcher", delegation).end()
        delegation.end()
        coordinator.end()

    assert recorder.tree() == (
        "invoke_agent coordinator\n"
        "  chat gpt-5-mini\n"
        "  execute_tool research researcher\n"
        "    invoke_agent researcher"
    )
    assert {trace_of(span) for span in recorder.spans} == {coordinator.trace_id}


def test_an_agent_span_says_who_where_and_in_which_run() -> None:
    with SpanRecorder() as recorder:
        an_agent().end()

    span = recorder.find("invoke_agent coordinator")
    assert span.kind is SpanKind.INTERNAL
    assert attributes_of(span) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "coordinator",
        "gen_ai.agent.description": "Leads.",
        "podium.agent.path": "coordinator",
        "podium.agent.depth": 0,
        "podium.run.id": "run-1",
    }
    assert span.instrumentation_scope is not None
    assert span.instrumentation_scope.attributes == {names.SCHEMA_KEY: "genai-0.1"}


def test_a_chat_span_is_a_client_span_that_names_model_and_server() -> None:
    with SpanRecorder() as recorder:
        span = a_chat(stream=True)
        set_chat_result(
            span,
            USAGE,
            response_model="gpt-5-mini-2025-08-07",
            finish_reasons=["stop"],
            response_id="chatcmpl-1",
        )
        span.end()

    found = recorder.find("chat gpt-5-mini")
    assert found.kind is SpanKind.CLIENT
    assert attributes_of(found) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5-mini",
        "gen_ai.request.stream": True,
        "server.address": "localhost",
        "server.port": 8080,
        "gen_ai.agent.name": "coordinator",
        "podium.agent.path": "coordinator",
        "podium.step": 1,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.reasoning.output_tokens": 5,
        "gen_ai.response.model": "gpt-5-mini-2025-08-07",
        "gen_ai.response.id": "chatcmpl-1",
        "gen_ai.response.finish_reasons": ("stop",),
    }


def test_a_call_that_reported_no_usage_has_no_counts_and_says_so() -> None:
    with SpanRecorder() as recorder:
        span = a_chat()
        set_chat_result(span, Usage.of_call(None))
        span.end()

    attributes = attributes_of(recorder.spans[0])
    assert attributes[names.USAGE_COMPLETE] is False
    assert names.INPUT_TOKENS not in attributes


def test_a_tool_span_has_transfer_attributes_only_when_it_delegates() -> None:
    with SpanRecorder() as recorder:
        a_tool().end()
        a_tool(target="researcher").end()

    plain, delegation = (attributes_of(span) for span in recorder.spans)
    assert plain == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "research",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": "Finds facts.",
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.agent.name": "coordinator",
        "podium.agent.path": "coordinator",
        "podium.step": 1,
    }
    assert delegation == plain | {
        "gen_ai.transfer.target.name": "researcher",
        "gen_ai.transfer.mode": "return_to_caller",
    }


def test_a_hook_span_names_its_point() -> None:
    with SpanRecorder() as recorder:
        hook_span(
            point="before_llm", hook_name="guard", agent_name="a", path="a", parent=None
        ).end()

    assert attributes_of(recorder.find("hook before_llm guard")) == {
        "podium.hook.point": "before_llm",
        "podium.hook.name": "guard",
        "gen_ai.agent.name": "a",
        "podium.agent.path": "a",
    }


def test_an_agent_span_carries_its_own_usage_and_the_total_apart() -> None:
    with SpanRecorder() as recorder:
        span = an_agent()
        total = USAGE + Usage(input_tokens=7, requests=1)
        set_agent_result(
            span, own=USAGE, total=total, stop_reason="text", stop_by="coordinator", steps=2
        )
        span.end()

    attributes = attributes_of(recorder.spans[0])
    assert attributes[names.INPUT_TOKENS] == 100
    assert attributes[names.TOTAL_INPUT_TOKENS] == 107
    assert attributes[names.TOTAL_TOKENS] == 127
    assert attributes[names.STOP_REASON] == "text"
    assert attributes[names.STOP_BY] == "coordinator"
    assert attributes[names.STEPS] == 2
    assert names.TOTAL_COST_USD not in attributes


def test_a_known_cost_is_on_the_agent_span() -> None:
    paid = Usage(requests=1, cost=Decimal("0.0125"))
    with SpanRecorder() as recorder:
        span = an_agent()
        set_agent_result(span, own=paid, total=paid, stop_reason="text", steps=1)
        span.end()

    assert attributes_of(recorder.spans[0])[names.TOTAL_COST_USD] == 0.0125


def test_a_failed_span_names_the_kind_of_error_and_keeps_its_text_private() -> None:
    with SpanRecorder() as recorder:
        span = a_tool()
        span.fail(ValueError("the key is sk-123"))
        span.end()

    found = recorder.spans[0]
    assert found.status.status_code is StatusCode.ERROR
    assert attributes_of(found)[names.ERROR_TYPE] == "ValueError"
    assert "sk-123" not in found.to_json()


def test_an_event_stands_on_its_span() -> None:
    with SpanRecorder() as recorder:
        span = an_agent()
        span.event("podium.budget.refused", {"podium.budget.total_tokens.limit": 500})
        span.end()

    event = recorder.spans[0].events[0]
    assert event.name == "podium.budget.refused"
    assert dict(event.attributes or {}) == {"podium.budget.total_tokens.limit": 500}


def test_the_callers_current_span_is_the_parent_when_none_is_given() -> None:
    with (
        SpanRecorder() as recorder,
        trace.get_tracer("app").start_as_current_span("request"),
    ):
        an_agent().end()

    assert recorder.tree() == "request\n  invoke_agent coordinator"


def test_a_span_is_current_within_its_block_alone() -> None:
    with SpanRecorder():
        span = an_agent()
        with span.current():
            inside = trace.get_current_span().get_span_context()
        outside = trace.get_current_span()
        span.end()

    assert trace.format_trace_id(inside.trace_id) == span.trace_id
    assert outside is trace.INVALID_SPAN


def test_an_ended_span_takes_no_more_and_ends_once() -> None:
    with SpanRecorder() as recorder:
        span = an_agent()
        span.end()
        span.set("late", 1)
        span.end()

    assert len(recorder.spans) == 1
    assert "late" not in attributes_of(recorder.spans[0])


class Broken(SpanProcessor):
    """A processor that fails at one of the two moments it has."""

    def __init__(self, *, at_start: bool) -> None:
        self.at_start = at_start

    def on_start(self, span: Span, parent_context: object = None) -> None:
        if self.at_start:
            raise RuntimeError("the exporter is broken")

    def on_end(self, span: ReadableSpan) -> None:
        if not self.at_start:
            raise RuntimeError("the exporter is broken")


@pytest.mark.parametrize("at_start", [True, False])
def test_a_failing_processor_is_logged_once_and_hurts_nothing(
    at_start: bool, caplog: pytest.LogCaptureFixture
) -> None:
    _open_span._report.cache_clear()

    with (
        setup_tracing(span_processor=Broken(at_start=at_start)),
        caplog.at_level(logging.WARNING, "podium.tracing"),
    ):
        an_agent().end()
        an_agent().end()

    assert len(caplog.records) == 1
    assert "the run goes on without it" in caplog.text


def test_children_of_a_span_that_could_not_open_stay_in_the_trace() -> None:
    broken = Broken(at_start=True)
    with SpanRecorder() as recorder:
        root = an_agent()
        process_fanout().add(broken)
        lost = a_tool(root)
        process_fanout().remove(broken)
        an_agent("researcher", lost).end()
        root.end()

    assert "  invoke_agent researcher" in recorder.tree()


def test_a_processor_that_fails_takes_no_span_from_another() -> None:
    with setup_tracing(span_processor=Broken(at_start=True)), SpanRecorder() as recorder:
        an_agent().end()

    assert recorder.tree() == "invoke_agent coordinator"
    assert recorder.open_spans == ()


def test_spans_are_dropped_while_nobody_listens() -> None:
    with SpanRecorder():
        pass

    span = an_agent()

    assert tracing_enabled()
    assert not span.recording
    assert span.trace_id is None


def test_no_span_writes_nothing_and_leaves_the_context_alone() -> None:
    NO_SPAN.set("key", 1)
    NO_SPAN.event("event")
    NO_SPAN.fail(ValueError())
    set_chat_result(NO_SPAN, USAGE)
    with NO_SPAN.current():
        current = trace.get_current_span()
    NO_SPAN.end()

    assert (NO_SPAN.context, NO_SPAN.recording, NO_SPAN.trace_id) == (None, False, None)
    assert current is trace.INVALID_SPAN


def test_open_span_takes_any_name() -> None:
    with SpanRecorder() as recorder:
        open_span("x\ud800" * 500, kind="internal", parent=None, attributes={}).end()

    assert recorder.spans[0].name.startswith("x?x?")
    assert len(recorder.spans[0].name) == 256


def test_budget_figures_have_one_form_of_name() -> None:
    assert names.budget_key("cost_usd", "held") == "podium.budget.cost_usd.held"
