"""What a trace says of a model call: its parameters, its content where asked for, its measures."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, cast

import pytest
from opentelemetry.sdk.trace import SpanProcessor
from pydantic import BaseModel

from podium.agent import Agent, Budget, ChatMessage, ReasoningContent, current_account
from podium.agent._chat_span import _server_port
from podium.agent._content_shapes import MAX_MESSAGES, input_messages, output_messages
from podium.agent._request_facts import request_facts
from podium.agent.hooks import hook
from podium.agent.models import OpenAIChatGenerator
from podium.agent.prices import FixedPrices, ModelPrice
from podium.agent.testing import FakeOpenAIServer, ScriptedChatGenerator, call, calls
from podium.tools import FileContent, ImageContent, State, TextContent, ToolCall, tool
from podium.tracing import setup_tracing
from podium.tracing.testing import SpanRecorder

PNG = ImageContent.from_bytes(b"123456", mime_type="image/png")
PDF = FileContent.from_bytes(b"123", mime_type="application/pdf")


@tool
def lookup(q: str) -> str:
    """Look something up."""
    return f"facts about {q}"


class Animal(BaseModel):
    name: str


def of(recorder: SpanRecorder, name: str) -> dict[str, Any]:
    return dict(recorder.find(name).attributes or {})


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"max_completion_tokens": 9, "max_tokens": 8}, {"gen_ai.request.max_tokens": 9}),
        ({"max_tokens": 8}, {"gen_ai.request.max_tokens": 8}),
        ({"temperature": 0.2, "top_p": 1, "top_k": 4}, {
            "gen_ai.request.temperature": 0.2,
            "gen_ai.request.top_p": 1,
            "gen_ai.request.top_k": 4,
        }),
        ({"seed": 7, "n": 2}, {"gen_ai.request.seed": 7, "gen_ai.request.choice.count": 2}),
        ({"n": 1, "seed": True}, {}),
        ({"stop": "END"}, {"gen_ai.request.stop_sequences": ["END"]}),
        ({"stop": ["A", "B"]}, {"gen_ai.request.stop_sequences": ["A", "B"]}),
        ({"frequency_penalty": 0.5, "presence_penalty": -1}, {
            "gen_ai.request.frequency_penalty": 0.5,
            "gen_ai.request.presence_penalty": -1,
        }),
        ({"reasoning_effort": "low"}, {"gen_ai.request.reasoning.level": "low"}),
        ({"reasoning": {"effort": "high"}}, {"gen_ai.request.reasoning.level": "high"}),
        ({"previous_response_id": "r1"}, {"gen_ai.request.previous_response.id": "r1"}),
        ({"service_tier": "flex"}, {"openai.request.service_tier": "flex"}),
        ({"service_tier": "auto"}, {}),
        ({"response_format": {"type": "text"}}, {"gen_ai.output.type": "text"}),
        ({"response_format": Animal}, {"gen_ai.output.type": "json"}),
        ({"user": "ann", "extra_headers": {"x": "y"}, "temperature": "hot"}, {}),
        ({}, {}),
    ],
)  # fmt: skip
def test_parameters_have_the_names_of_the_conventions(
    asked: dict[str, Any], told: dict[str, Any]
) -> None:
    facts = request_facts(object(), asked)

    assert {key: value for key, value in facts.items() if value is not None} == told


def test_the_generators_own_parameters_count_where_the_call_has_none() -> None:
    generator = OpenAIChatGenerator(
        api_key="sk-test", generation_kwargs={"temperature": 0.1, "seed": 1}
    )

    facts = request_facts(generator, {"temperature": 0.9})

    assert facts["gen_ai.request.temperature"] == 0.9
    assert facts["gen_ai.request.seed"] == 1


@pytest.mark.anyio
async def test_a_call_says_its_limit_its_output_type_and_what_it_cost(
    openai_server: FakeOpenAIServer,
) -> None:
    openai_server.script(['{"name": "ox"}'])
    model = OpenAIChatGenerator(
        api_key="sk-test", api_base_url=openai_server.base_url, model="gpt-5-mini"
    )
    prices = FixedPrices(
        {"gpt-5-mini": ModelPrice(input_per_million=Decimal(1), output_per_million=Decimal(4))}
    )
    agent = Agent(
        chat_generator=model, output_type=Animal, budget=Budget(cost_usd=1, prices=prices)
    )

    with SpanRecorder() as recorder:
        await agent.run_async("go")

    chat = of(recorder, "chat gpt-5-mini")
    assert chat["gen_ai.output.type"] == "json"
    assert chat["gen_ai.request.max_tokens"] > 0
    assert chat["podium.cost.total_usd"] > 0
    assert chat["server.address"] == "127.0.0.1"
    assert f":{chat['server.port']}/" in openai_server.base_url
    assert chat["gen_ai.response.id"].startswith("chatcmpl-")


@pytest.mark.anyio
async def test_content_that_is_asked_for_has_the_shapes_of_the_conventions() -> None:
    model = ScriptedChatGenerator([calls(call("lookup", q="ox")), "An ox."])
    agent = Agent(chat_generator=model, tools=[lookup], system_prompt="Be brief.")

    with (
        setup_tracing(span_processor=SpanProcessor(), capture_content=True),
        SpanRecorder() as recorder,
    ):
        await agent.run_async("What is it?")

    first, second = [
        {key: json.loads(str(value)) for key, value in (span.attributes or {}).items()
         if key in {"gen_ai.system_instructions", "gen_ai.input.messages",
                    "gen_ai.output.messages", "gen_ai.tool.definitions"}}
        for span in recorder.spans if span.name == "chat scripted"
    ]  # fmt: skip
    question = {"role": "user", "parts": [{"type": "text", "content": "What is it?"}]}
    asked = {
        "type": "tool_call",
        "id": "call_1_0",
        "name": "lookup",
        "arguments": {"q": "ox"},
    }
    assert first["gen_ai.system_instructions"] == [{"type": "text", "content": "Be brief."}]
    assert first["gen_ai.input.messages"] == [question]
    assert first["gen_ai.output.messages"] == [
        {"role": "assistant", "parts": [asked], "finish_reason": "tool_calls"}
    ]
    assert first["gen_ai.tool.definitions"][0]["name"] == "lookup"
    assert second["gen_ai.input.messages"] == [
        question,
        {"role": "assistant", "parts": [asked]},
        {
            "role": "tool",
            "parts": [
                {"type": "tool_call_response", "id": "call_1_0", "response": "facts about ox"}
            ],
        },
    ]
    agent_span = of(recorder, "invoke_agent agent")
    assert json.loads(agent_span["gen_ai.input.messages"])[-1] == question
    assert "An ox." in agent_span["gen_ai.output.messages"]
    executed = of(recorder, "execute_tool lookup")
    assert json.loads(executed["gen_ai.tool.call.arguments"]) == {"q": "ox"}
    assert executed["gen_ai.tool.call.result"] == "facts about ox"


def test_bytes_of_images_and_files_are_counted_and_not_shown() -> None:
    message = ChatMessage.from_user(content_parts=[TextContent("look"), PNG, PDF])

    (shape,) = input_messages([message])

    assert shape["parts"] == [
        {"type": "text", "content": "look"},
        {
            "type": "blob",
            "modality": "image",
            "mime_type": "image/png",
            "content": "[6 bytes are not shown]",
        },
        {
            "type": "blob",
            "modality": "document",
            "mime_type": "application/pdf",
            "content": "[3 bytes are not shown]",
        },
    ]


def test_reasoning_and_names_are_shown() -> None:
    reply = ChatMessage.from_assistant(
        "Yes.", reasoning=ReasoningContent("hm"), tool_calls=[ToolCall("x", {}, "c")]
    )
    named = ChatMessage.from_user("Hello", name="ann")

    (shape,) = output_messages([reply])
    assert {"type": "reasoning", "content": "hm"} in cast("list[object]", shape["parts"])
    assert input_messages([named])[0]["name"] == "ann"


def test_of_a_long_conversation_the_newest_messages_are_shown() -> None:
    messages = [ChatMessage.from_user(str(number)) for number in range(MAX_MESSAGES + 7)]

    first, *shown = input_messages(messages)

    assert "[7 earlier messages are not shown]" in str(first)
    assert len(shown) == MAX_MESSAGES
    assert shown[-1]["parts"] == [{"type": "text", "content": str(MAX_MESSAGES + 6)}]


@pytest.mark.anyio
async def test_a_call_that_was_made_elsewhere_is_a_span_with_its_tokens() -> None:
    @hook
    def ask_elsewhere(state: State) -> None:
        current_account().record({"prompt_tokens": 5, "completion_tokens": 2}, model="other")

    agent = Agent(
        chat_generator=ScriptedChatGenerator(["done"]), hooks={"before_run": [ask_elsewhere]}
    )

    with SpanRecorder() as recorder:
        result = await agent.run_async("go")

    assert "  hook before_run ask_elsewhere\n    chat other" in recorder.tree()
    assert of(recorder, "chat other")["gen_ai.usage.input_tokens"] == 5
    assert result.usage.input_tokens >= 5


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("https://api.example.org/v1", 443),
        ("http://localhost/v1", 80),
        ("http://localhost:8080/v1", 8080),
        ("http://localhost:many/v1", None),
        ("http://[localhost", None),
        (None, None),
    ],
)
def test_the_port_is_read_from_the_address(url: str | None, port: int | None) -> None:
    generator = ScriptedChatGenerator([])
    generator.api_base_url = url  # type: ignore[attr-defined]

    assert _server_port(generator) == port


MEASURED = """
from opentelemetry import metrics, trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

reader, logs = InMemoryMetricReader(), InMemoryLogRecordExporter()
metrics.set_meter_provider(MeterProvider([reader]))
{traced}
provider = LoggerProvider()
provider.add_log_record_processor(SimpleLogRecordProcessor(logs))
set_logger_provider(provider)

@tool
def lookup(q: str) -> str:
    "Look."
    return q

usage = {{"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}
model = ScriptedChatGenerator([calls(call("lookup", q="ox")), "An ox."], usage=usage)
Agent(chat_generator=model, name="facts", tools=[lookup]).run("What is it?")
for resource in reader.get_metrics_data().resource_metrics:
    for scope in resource.scope_metrics:
        for metric in scope.metrics:
            for point in metric.data.data_points:
                agent = point.attributes["gen_ai.agent.name"]
                print(scope.scope.name, metric.name, point.count, agent)
for log in logs.get_finished_logs():
    record = log.log_record
    (said,) = record.attributes["gen_ai.output.messages"]
    print(record.event_name, said["role"], bool(record.trace_id))
"""


@pytest.mark.parametrize("traced", ["", "trace.set_tracer_provider(TracerProvider())"])
def test_the_applications_own_meter_provider_measures_runs_with_or_without_spans(
    traced: str, run_python: Callable[..., str]
) -> None:
    printed = run_python("-c", MEASURED.format(traced=traced)).splitlines()

    assert sorted(printed) == [
        "podium gen_ai.client.operation.duration 2 facts",
        "podium gen_ai.client.token.usage 2 facts",
        "podium gen_ai.client.token.usage 2 facts",
        "podium gen_ai.execute_tool.duration 1 facts",
        "podium gen_ai.invoke_agent.duration 1 facts",
        "podium gen_ai.invoke_agent.inference_calls 1 facts",
        "podium gen_ai.invoke_agent.tool_calls 1 facts",
    ]


def test_content_as_events_goes_where_the_application_sends_its_logs(
    run_python: Callable[..., str],
) -> None:
    printed = run_python(
        "-c",
        MEASURED.format(traced="trace.set_tracer_provider(TracerProvider())"),
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="EVENT_ONLY",
    ).splitlines()

    event = "gen_ai.client.inference.operation.details assistant True"
    assert printed[-2:] == [event, event]
