"""OpenAIResponsesChatGenerator against a real HTTP server, alone and in runs."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from podium.agent import Agent, Budget
from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models import CapsOutput, OpenAIResponsesChatGenerator
from podium.agent.secrets import Secret
from podium.agent.streaming import StreamingChunk
from podium.agent.testing import Drop, FakeOpenAIServer, Fault, Reply, SlowSse, Sse, call, calls
from podium.tools import ImageContent, TextContent, ToolCall, tool

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789"
ASKED = {
    "id": "c1",
    "type": "function",
    "function": {"name": "look", "arguments": '{"at":"a"}'},
}
THINKING = Reply(
    message={
        "role": "assistant",
        "reasoning_content": "I have to look first.",
        "content": "Let me look.",
        "tool_calls": [ASKED],
    }
)


class Colour(BaseModel):
    """What was seen."""

    name: str


@tool
def look(at: str) -> str:
    """Look at it."""
    return f"{at} is red"


@tool(outputs_to_string={"raw_result": True})
def photograph(at: str) -> list[TextContent | ImageContent]:
    """Take a picture of it."""
    return [TextContent(at), ImageContent("cGl4ZWxz", "image/png")]


def generator_for(server: FakeOpenAIServer, **settings: Any) -> OpenAIResponsesChatGenerator:
    defaults: dict[str, Any] = {"api_key": KEY, "model": "m", "max_retries": 0}
    return OpenAIResponsesChatGenerator(api_base_url=server.base_url, **{**defaults, **settings})


def ignore(chunk: StreamingChunk) -> None:
    """Make a call stream."""


async def test_a_call_sends_the_input_and_returns_the_reply() -> None:
    with FakeOpenAIServer(["Hello."]) as server:
        generator = generator_for(server)
        reply = (await generator.run_async("Hi"))["replies"][0]

    assert isinstance(generator, CapsOutput)
    assert reply.text == "Hello."
    assert reply.meta["finish_reason"] == "stop"
    assert reply.meta["usage"]["output_tokens"] > 0
    request = server.requests[0]
    assert (request.api, request.path) == ("responses", "/v1/responses")
    assert request.body == {"model": "m", "input": [{"role": "user", "content": "Hi"}]}
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_without_messages_nothing_is_called() -> None:
    with FakeOpenAIServer() as server:
        assert await generator_for(server).run_async([]) == {"replies": []}


@pytest.mark.parametrize("callback", [None, ignore])
async def test_reasoning_goes_back_to_the_server_it_came_from(callback: Any) -> None:
    with FakeOpenAIServer([THINKING, "It is red."]) as server:
        agent = Agent(
            chat_generator=generator_for(server, generation_kwargs={"store": False}), tools=[look]
        )
        result = await agent.run_async("What colour is a?", streaming_callback=callback)

    assert result.text == "It is red."
    assert [item.get("type") for item in server.requests[1].items] == [
        None,
        "reasoning",
        "message",
        "function_call",
        "function_call_output",
    ]
    assert server.requests[1].items[1] == {
        "type": "reasoning",
        "id": "rs_0",
        "summary": [{"type": "summary_text", "text": "I have to look first."}],
        "encrypted_content": "sealed-0",
    }
    assert result["token_usage"]["output_tokens_details"]["reasoning_tokens"] > 0


async def test_reasoning_survives_being_stored() -> None:
    with FakeOpenAIServer([THINKING, "Red."]) as server:
        first = (await generator_for(server).run_async("What?"))["replies"][0]
        stored = ChatMessage.from_dict(json.loads(json.dumps(first.to_dict())))
        result = ChatMessage.from_tool("red", stored.tool_calls[0])
        await generator_for(server).run_async([ChatMessage.from_user("What?"), stored, result])

    assert server.requests[1].items[1]["type"] == "reasoning"


async def test_images_in_tool_results_stand_where_the_tool_put_them() -> None:
    with FakeOpenAIServer([calls(call("photograph", at="a")), "It is red."]) as server:
        agent = Agent(chat_generator=generator_for(server), tools=[photograph])
        result = await agent.run_async("What colour is a?")

    assert result.text == "It is red."
    assert server.requests[1].items[-1]["output"] == [
        {"type": "input_text", "text": "a"},
        {
            "type": "input_image",
            "image_url": "data:image/png;base64,cGl4ZWxz",
            "detail": "auto",
        },
    ]


async def test_a_typed_answer_is_asked_for_as_the_form_of_the_text() -> None:
    with FakeOpenAIServer(['{"name": "red"}']) as server:
        agent = Agent(chat_generator=generator_for(server), output_type=Colour)
        result = await agent.run_async("What colour is a?")

    assert result.output == Colour(name="red")
    assert server.requests[0].body["text"]["format"]["name"] == "Colour"


@pytest.mark.parametrize("callback", [None, ignore])
async def test_a_reply_cut_by_the_budget_says_so(callback: Any) -> None:
    with FakeOpenAIServer(["word " * 3_000]) as server:
        agent = Agent(chat_generator=generator_for(server), budget=Budget(total_tokens=600))
        result = await agent.run_async("Tell me.", streaming_callback=callback)

    assert result.exit_reason == "token_budget_exceeded"
    assert result.usage.total_tokens <= 600
    assert server.requests[0].body["max_output_tokens"] < 600


async def test_a_budget_holds_over_steps_with_reasoning() -> None:
    thinking = [
        Reply(
            message={
                "role": "assistant",
                "reasoning_content": "a long thought, and more of it. " * 20,
                "tool_calls": [{**ASKED, "id": f"c{number}"}],
            }
        )
        for number in range(12)
    ]

    with FakeOpenAIServer(thinking, strict=False) as server:
        agent = Agent(
            chat_generator=generator_for(server), tools=[look], budget=Budget(total_tokens=6_000)
        )
        result = await agent.run_async("What colour is a?")

    assert result.exit_reason == "token_budget_exceeded"
    assert server.usage_total.total_tokens == result.usage.total_tokens <= 6_000
    assert not result.stop.overdraft


@pytest.mark.parametrize(
    ("turn", "text", "was_refused"),
    [
        (Fault(401, "bad key"), "was refused with status 401", True),
        (Fault(429, "busy"), "was refused with status 429", True),
        (Fault(502, "bad gateway"), "failed with status 502", False),
        (Drop(), "broke before the answer was there", False),
    ],
)
async def test_failures_are_those_of_the_other_api(turn: Any, text: str, was_refused: bool) -> None:
    with FakeOpenAIServer([turn]) as server:
        with pytest.raises(ModelError, match=text) as caught:
            await generator_for(server).run_async("Hi")

    assert caught.value.was_refused is was_refused
    assert KEY not in str(caught.value)


async def test_a_stream_that_breaks_off_keeps_the_text_so_far() -> None:
    heard: list[str] = []

    with FakeOpenAIServer([Drop(1_500, Reply("one two three four five six seven"))]) as server:
        with pytest.raises(ModelError, match="ended early") as caught:
            await generator_for(server).run_async(
                "Count.", streaming_callback=lambda chunk: heard.append(chunk.content)
            )

    assert caught.value.partial_text == "".join(heard) != ""


async def test_an_error_in_the_stream_never_shows_the_key() -> None:
    error = {"type": "error", "code": "bad", "message": f"{KEY} is wrong"}

    with FakeOpenAIServer([Sse([f"event: error\ndata: {json.dumps(error)}"])]) as server:
        with pytest.raises(ModelError, match=r"\*\*\* is wrong") as caught:
            await generator_for(server).run_async("Hi", streaming_callback=ignore)

    assert caught.value.code == "bad"


async def test_a_cancelled_stream_leaves_the_server_at_once() -> None:
    started = anyio.Event()

    with FakeOpenAIServer([SlowSse(1_000, 0.01)]) as server:
        async with anyio.create_task_group() as group:

            async def listen() -> None:
                await generator_for(server).run_async(
                    "Go on.", streaming_callback=lambda chunk: started.set()
                )

            group.start_soon(listen)
            await started.wait()
            group.cancel_scope.cancel()
        assert await server.requests[0].wait_disconnected()


async def test_a_connection_is_used_again_after_a_stream() -> None:
    with FakeOpenAIServer(["One.", "Two."]) as server:
        generator = generator_for(server)
        for _ in range(2):
            await generator.run_async("Hi", streaming_callback=ignore)

    assert [request.number for request in server.requests] == [0, 1]


async def test_a_chained_call_sends_only_what_is_new() -> None:
    with FakeOpenAIServer([calls(ToolCall("look", {"at": "a"}, "c1")), "It is red."]) as server:
        generator = generator_for(server, generation_kwargs={"previous_response_id": "auto"})
        result = await Agent(chat_generator=generator, tools=[look]).run_async("What colour is a?")

    first, second = server.requests
    assert result.text == "It is red."
    assert "previous_response_id" not in first.body
    assert second.body["previous_response_id"] == "resp_0"
    assert second.items == [{"type": "function_call_output", "call_id": "c1", "output": "a is red"}]


async def test_a_history_that_was_edited_is_sent_whole() -> None:
    with FakeOpenAIServer(["One.", "Two."]) as server:
        generator = generator_for(server, generation_kwargs={"previous_response_id": "auto"})
        reply = (await generator.run_async("Hi"))["replies"][0]
        edited = [ChatMessage.from_user("Hello"), reply, ChatMessage.from_user("And?")]
        await generator.run_async(edited)

    assert "previous_response_id" not in server.requests[1].body
    assert len(server.requests[1].items) == 3


async def test_a_reply_without_an_id_cannot_be_gone_on_from() -> None:
    nameless: dict[str, Any] = {"status": "completed", "output": [], "error": None}
    done = {"type": "response.completed", "response": nameless}

    with FakeOpenAIServer([Sse([done], done=False), "Two."]) as server:
        generator = generator_for(server, generation_kwargs={"previous_response_id": "auto"})
        reply = (await generator.run_async("Hi", streaming_callback=ignore))["replies"][0]
        await generator.run_async([ChatMessage.from_user("Hi"), reply, ChatMessage.from_user("?")])

    assert "previous_response_id" not in server.requests[1].body


async def test_an_url_may_carry_a_query_and_lie_anywhere() -> None:
    with FakeOpenAIServer(["Hi."]) as server:
        generator = OpenAIResponsesChatGenerator(
            api_key=KEY,
            api_base_url=f"{server.url}/openai/v1?api-version=preview",
            generation_kwargs={"extra_headers": {"api-key": "k"}, "extra_query": {"x": "1"}},
        )
        await generator.run_async("Hi")

    request = server.requests[0]
    assert request.path == "/openai/v1/responses"
    assert set(request.query.split("&")) == {"api-version=preview", "x=1"}
    assert request.headers["api-key"] == "k"


def test_settings_go_to_data_and_back() -> None:
    generator = OpenAIResponsesChatGenerator(
        api_key=Secret.from_env_var("A"), model="m", generation_kwargs={"store": False}
    )

    data = json.loads(json.dumps(generator.to_dict()))

    assert data["type"] == "podium.agent.models.OpenAIResponsesChatGenerator"
    assert OpenAIResponsesChatGenerator.from_dict(data).to_dict() == generator.to_dict()
    assert repr(generator) == "OpenAIResponsesChatGenerator(model='m')"
