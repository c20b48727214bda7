"""Spans by the names of older conventions and of OpenInference."""

from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from podium.tracing import Usage, setup_tracing
from podium.tracing import attributes as names
from podium.tracing._openinference import openinference_attributes
from podium.tracing._spans import (
    agent_span,
    chat_facts,
    chat_span,
    set_chat_result,
    tool_span,
)

USAGE = Usage(input_tokens=100, output_tokens=20, cache_write_tokens=40, requests=1)


def exported(**settings: Any) -> dict[str, ReadableSpan]:
    """Return the spans of a small run as a place with these settings sees them."""
    exporter = InMemorySpanExporter()
    with setup_tracing(span_processor=SimpleSpanProcessor(exporter), **settings):
        agent = agent_span(
            name="facts", description="", path="team/facts#2", depth=1, run_id="r", parent=None
        )
        facts = chat_facts(
            model="desk", provider="openai", agent_name="facts", step=1, path="team/facts#2"
        )
        chat = chat_span({**facts, names.REQUEST_TEMPERATURE: 0.2}, agent.context)
        said = [{"role": "user", "parts": [{"type": "text", "content": "What is it?"}]}]
        chat.set_content(names.INPUT_MESSAGES, said)
        chat.set_content(
            names.OUTPUT_MESSAGES,
            [
                {
                    "role": "assistant",
                    "parts": [
                        {"type": "text", "content": "Let me see."},
                        {"type": "reasoning", "content": "hm"},
                        {"type": "tool_call", "id": "c1", "name": "look", "arguments": {"q": 1}},
                    ],
                },
                {
                    "role": "tool",
                    "parts": [{"type": "tool_call_response", "id": "c1", "response": "An ox."}],
                },
            ],
        )
        set_chat_result(chat, USAGE, response_model="desk-1", finish_reasons=["stop"])
        chat.end()
        tool = tool_span(
            tool_name="look", description="Looks.", call_id="c1", agent_name="facts", step=1,
            path="team/facts#2", parent=agent.context,
        )  # fmt: skip
        tool.set_content(names.TOOL_ARGUMENTS, {"q": 1})
        tool.set_content(names.TOOL_RESULT, "An ox.")
        tool.end()
        agent.end()
        with trace.get_tracer("app").start_as_current_span("mine") as mine:
            mine.set_attribute(names.PROVIDER, "mine")
    return {span.name: span for span in exporter.get_finished_spans()}


def of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_the_present_schema_is_exported_as_it_is_written() -> None:
    chat = exported()["chat desk"]

    assert of(chat)["gen_ai.provider.name"] == "openai"
    assert of(chat)["gen_ai.usage.cache_write.input_tokens"] == 40


def test_an_older_schema_has_its_own_names_and_says_so() -> None:
    spans = exported(schema="semconv-1.36")

    chat = of(spans["chat desk"])
    assert chat["gen_ai.system"] == "openai"
    assert chat["gen_ai.usage.cache_creation.input_tokens"] == 40
    assert "gen_ai.provider.name" not in chat
    scope = spans["chat desk"].instrumentation_scope
    assert scope is not None and scope.attributes == {names.SCHEMA_KEY: "semconv-1.36"}
    assert of(exported(schema="semconv-1.41")["chat desk"])["gen_ai.provider.name"] == "openai"


def test_spans_of_the_application_keep_their_names() -> None:
    assert of(exported(schema="semconv-1.36")["mine"]) == {"gen_ai.provider.name": "mine"}


def test_openinference_names_kinds_models_tokens_and_the_place_in_the_team() -> None:
    spans = exported(flavours={"openinference"})

    assert of(spans["invoke_agent facts"]) == {
        "openinference.span.kind": "AGENT",
        "agent.name": "facts",
        "graph.node.id": "team/facts#2",
        "graph.node.name": "facts#2",
        "graph.node.parent_id": "team",
        "podium.agent.path": "team/facts#2",
        "podium.agent.depth": 1,
        "podium.run.id": "r",
    }
    chat = of(spans["chat desk"])
    assert chat["openinference.span.kind"] == "LLM"
    assert (chat["llm.model_name"], chat["llm.request.model_name"]) == ("desk-1", "desk")
    assert chat["llm.token_count.prompt"] == 100
    assert chat["llm.token_count.total"] == 120
    assert chat["llm.token_count.prompt_details.cache_write"] == 40
    assert json.loads(chat["llm.invocation_parameters"]) == {"temperature": 0.2}
    assert chat["llm.finish_reason"] == "stop"
    assert not [key for key in chat if key.startswith("gen_ai.")]
    tool = of(spans["execute_tool look"])
    assert (tool["tool.name"], tool["tool.id"]) == ("look", "c1")
    assert "input.value" not in tool


def test_openinference_has_messages_one_by_one_where_content_is_recorded() -> None:
    spans = exported(flavours={"openinference"}, capture_content=True)

    chat = of(spans["chat desk"])
    assert chat["llm.input_messages.0.message.content"] == "What is it?"
    assert chat["llm.output_messages.0.message.content"] == "Let me see."
    call = "llm.output_messages.0.message.tool_calls.0.tool_call"
    assert chat[f"{call}.function.name"] == "look"
    assert chat[f"{call}.function.arguments"] == '{"q": 1}'
    assert chat["llm.output_messages.1.message.tool_call_id"] == "c1"
    assert chat["input.mime_type"] == "application/json"
    tool = of(spans["execute_tool look"])
    assert (tool["input.value"], tool["output.value"]) == ('{"q":1}', "An ox.")
    assert tool["output.mime_type"] == "text/plain"


def test_both_flavours_stand_side_by_side() -> None:
    chat = of(exported(flavours={"genai", "openinference"})["chat desk"])

    assert chat["gen_ai.request.model"] == chat["llm.request.model_name"] == "desk"


@pytest.mark.parametrize("text", ["[{", "7", '["x"]'])
def test_messages_that_were_cut_are_shown_as_they_are(text: str) -> None:
    written = {names.OPERATION: names.CHAT, names.INPUT_MESSAGES: text}

    told = openinference_attributes(written)

    assert told["input.value"] == text
    assert not [key for key in told if key.startswith("llm.input_messages")]


def test_a_hook_is_a_chain_and_an_outermost_agent_has_no_parent() -> None:
    hook = openinference_attributes({names.HOOK_NAME: "audit"})
    agent = openinference_attributes({names.OPERATION: names.INVOKE_AGENT, names.AGENT_PATH: "a"})

    assert hook == {"openinference.span.kind": "CHAIN"}
    assert "graph.node.parent_id" not in agent


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"schema": "1.0"}, "schema='1.0' is unknown. Use one of genai-0.1, semconv-1.41"),
        ({"flavours": {"langfuse"}}, r"flavours=\['langfuse'\] are not all known"),
        ({"flavours": frozenset[str]()}, r"flavours=\[\] are not all known"),
    ],
)
def test_a_dialect_that_nobody_knows_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        setup_tracing(console=True, **settings)
