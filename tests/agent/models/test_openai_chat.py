"""OpenAIChatGenerator against a real HTTP server: what it sends, what it returns."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models import (
    AsyncChatGenerator,
    OpenAIChatGenerator,
    OpenAIResponsesChatGenerator,
)
from podium.agent.secrets import Secret
from podium.agent.testing import FakeOpenAIServer, Fault, Reply, Sse, calls
from podium.tools import Tool, ToolCall

pytestmark = pytest.mark.anyio

KEY = "sk-test-0123456789"
PARAMETERS = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}


def generator_for(server: FakeOpenAIServer, **settings: Any) -> OpenAIChatGenerator:
    defaults: dict[str, Any] = {"api_key": KEY, "model": "m", "max_retries": 0}
    return OpenAIChatGenerator(api_base_url=server.base_url, **{**defaults, **settings})


def look(at: str) -> str:
    return at


def look_tool(name: str = "look") -> Tool:
    return Tool(name, "Look at it.", PARAMETERS, look)


class Colour(BaseModel):
    """What was seen."""

    name: str
    shade: int = 3


async def test_a_call_sends_the_messages_and_returns_the_reply() -> None:
    with FakeOpenAIServer(["Hello."]) as server:
        generator = generator_for(server)
        answer = await generator.run_async([ChatMessage.from_user("Hi")])

    reply = answer["replies"][0]
    assert reply.text == "Hello."
    assert reply.meta["finish_reason"] == "stop"
    assert reply.meta["usage"]["completion_tokens"] > 0
    assert isinstance(generator, AsyncChatGenerator)
    assert server.requests[0].body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
    }
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].headers["content-type"] == "application/json"


async def test_plain_text_is_one_users_message() -> None:
    with FakeOpenAIServer(["Hello."]) as server:
        await generator_for(server).run_async("Hi")

    assert server.requests[0].messages == [{"role": "user", "content": "Hi"}]


async def test_without_messages_nobody_is_asked() -> None:
    with FakeOpenAIServer() as server:
        assert await generator_for(server).run_async([]) == {"replies": []}


async def test_parameters_are_merged_by_key_and_none_takes_one_away() -> None:
    settings = {"temperature": 0.2, "seed": 7, "top_p": 0.9}

    with FakeOpenAIServer(["Hello."]) as server:
        generator = generator_for(server, generation_kwargs=settings)
        await generator.run_async("Hi", generation_kwargs={"temperature": 0.8, "top_p": None})

    body = server.requests[0].body
    assert (body["temperature"], body["seed"]) == (0.8, 7)
    assert "top_p" not in body
    assert generator.generation_kwargs == settings


async def test_extra_fields_and_headers_reach_the_server() -> None:
    extra = {"extra_body": {"top_k": 5}, "extra_headers": {"x-team": "blue"}, "timeout": 9}

    with FakeOpenAIServer(["Hello."]) as server:
        await generator_for(server).run_async("Hi", generation_kwargs=extra)

    assert server.requests[0].body["top_k"] == 5
    assert server.requests[0].headers["x-team"] == "blue"
    assert "timeout" not in server.requests[0].body


@pytest.mark.parametrize("key", ["messages", "stream", "tools"])
async def test_what_podium_sets_cannot_be_a_parameter(key: str) -> None:
    with pytest.raises(ValueError, match=f"{key!r}, which podium sets itself"):
        OpenAIChatGenerator(generation_kwargs={key: []})
    with pytest.raises(ValueError, match=f"{key!r}, which podium sets itself"):
        await OpenAIChatGenerator(api_key=KEY).run_async("Hi", generation_kwargs={key: []})


async def test_tools_are_offered_and_calls_come_back() -> None:
    with FakeOpenAIServer([calls(ToolCall("look", {"at": "a"}, "c1"))]) as server:
        answer = await generator_for(server).run_async("Look", tools=[look_tool()])

    assert answer["replies"][0].tool_calls == [ToolCall("look", {"at": "a"}, "c1")]
    assert [tool["function"]["name"] for tool in server.requests[0].tools] == ["look"]


async def test_tools_of_the_call_go_before_those_of_the_generator() -> None:
    with FakeOpenAIServer(["a", "b", "c"]) as server:
        generator = generator_for(server, tools=[look_tool("own")])
        await generator.run_async("Hi")
        await generator.run_async("Hi", tools=[look_tool("given")])
        await generator.run_async("Hi", tools=[])

    offered = [[tool["function"]["name"] for tool in one.tools] for one in server.requests]
    assert offered == [["own"], ["given"], []]
    assert "tools" not in server.requests[2].body


async def test_a_tool_that_changes_is_sent_as_it_is_now() -> None:
    tool = look_tool()

    with FakeOpenAIServer(["a", "b"]) as server:
        generator = generator_for(server, tools=[tool])
        await generator.run_async("Hi")
        tool.description = "Look closely."
        await generator.run_async("Hi")

    told = [one.tools[0]["function"]["description"] for one in server.requests]
    assert told == ["Look at it.", "Look closely."]


async def test_strict_tools_say_so() -> None:
    with FakeOpenAIServer(["a"]) as server:
        await generator_for(server, tools=[look_tool()], tools_strict=True).run_async("Hi")

    assert server.requests[0].tools[0]["function"]["strict"] is True


@pytest.mark.parametrize(
    "wanted",
    [
        Colour,
        Colour.model_json_schema(),
        {
            "type": "json_schema",
            "json_schema": {"name": "Colour", "schema": Colour.model_json_schema()},
        },
    ],
    ids=["model", "schema", "format"],
)
async def test_a_wanted_form_is_sent_as_a_strict_schema(wanted: Any) -> None:
    with FakeOpenAIServer(['{"name": "red", "shade": 1}']) as server:
        await generator_for(server).run_async("Hi", generation_kwargs={"response_format": wanted})

    sent = server.requests[0].body["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["name"] == "Colour"
    assert sent["json_schema"]["strict"] is True
    assert sent["json_schema"]["schema"]["required"] == ["name", "shade"]
    assert "anyOf" not in str(sent)


async def test_no_wanted_form_is_none() -> None:
    with FakeOpenAIServer(["{}"]) as server:
        await generator_for(server).run_async("Hi", generation_kwargs={"response_format": None})

    assert "response_format" not in server.requests[0].body


@pytest.mark.parametrize(
    "given",
    [
        {"type": "json_object"},
        {"type": "json_schema", "json_schema": {"name": "x", "schema": {}, "strict": False}},
    ],
)
async def test_a_form_that_says_all_itself_is_sent_as_it_is(given: dict[str, Any]) -> None:
    with FakeOpenAIServer(["{}"]) as server:
        await generator_for(server).run_async("Hi", generation_kwargs={"response_format": given})

    assert server.requests[0].body["response_format"] == given


async def test_a_class_that_is_no_model_cannot_be_the_form() -> None:
    with pytest.raises(TypeError, match="response_format=int is no pydantic model"):
        await OpenAIChatGenerator(api_key=KEY).run_async(
            "Hi", generation_kwargs={"response_format": int}
        )


async def test_several_replies_come_with_one_usage() -> None:
    choices = [{"message": {"content": text}, "finish_reason": "stop"} for text in ("a", "b")]
    body = {"choices": choices, "usage": {"total_tokens": 5}}

    with FakeOpenAIServer([Fault(200, body)]) as server:
        answer = await generator_for(server).run_async("Hi", generation_kwargs={"n": 2})

    assert [reply.text for reply in answer["replies"]] == ["a", "b"]
    assert ["usage" in reply.meta for reply in answer["replies"]] == [True, False]


async def test_a_failed_call_is_tried_again() -> None:
    soon = {"retry-after-ms": "1"}

    with FakeOpenAIServer([Fault(500, headers=soon), Fault(429, headers=soon), "Hello."]) as server:
        answer = await generator_for(server, max_retries=2).run_async("Hi")

    assert answer["replies"][0].text == "Hello."
    assert len(server.requests) == 3


async def test_no_more_calls_than_allowed_are_under_way() -> None:
    replies = [Reply(str(number), delay_seconds=0.05) for number in range(4)]

    with FakeOpenAIServer(replies) as server:
        generator = generator_for(server, max_concurrency=1)
        async with anyio.create_task_group() as tasks:
            for number in range(4):
                tasks.start_soon(generator.run_async, str(number))

    times = [request.time for request in server.requests]
    assert min(later - earlier for earlier, later in pairwise(times)) >= 0.05


async def test_the_usual_settings_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeOpenAIServer([Reply("late", delay_seconds=5)], strict=False) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_TIMEOUT", "0.2")
        monkeypatch.setenv("OPENAI_MAX_RETRIES", "0")
        generator = OpenAIChatGenerator()

        with pytest.raises(ModelError, match=r"within 0\.2 seconds"):
            await generator.run_async("Hi")

    assert generator.server_address == "127.0.0.1"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_setting_that_is_no_number_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_TIMEOUT", "soon")

    with pytest.raises(ValueError, match="'OPENAI_TIMEOUT' is 'soon'"):
        await OpenAIChatGenerator(api_key=KEY).run_async("Hi")


async def test_a_missing_key_is_named_before_anything_is_sent() -> None:
    with FakeOpenAIServer() as server:
        generator = generator_for(server, api_key=Secret.from_env_var("OPENAI_API_KEY"))

        with pytest.raises(ValueError, match="'OPENAI_API_KEY' is set"):
            await generator.run_async("Hi")
        with pytest.raises(ValueError, match="'OPENAI_API_KEY' is set"):
            generator.warm_up()


async def test_a_server_that_wants_no_key_can_be_asked_without_one() -> None:
    with FakeOpenAIServer(["Hello."]) as server:
        key = Secret.from_env_var("PODIUM_NO_KEY", strict=False)
        await generator_for(server, api_key=key).run_async("Hi")

    assert server.requests[0].headers["authorization"] == "Bearer none"


async def test_a_key_that_no_header_can_carry_is_not_shown() -> None:
    with pytest.raises(ValueError, match="no header can carry") as caught:
        await OpenAIChatGenerator(api_key="sk-é-secret").run_async("Hi")

    assert "secret'" not in str(caught.value)
    assert "sk-" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "about"),
    [
        ({"max_concurrency": 0}, "max_concurrency=0"),
        ({"api_base_url": "http://me:pw@host/v1"}, "holds a user or a password"),
        ({"api_base_url": "host/v1"}, "no URL of a server"),
        ({"api_base_url": "ftp://host/v1"}, "no URL of a server"),
    ],
)
def test_settings_that_cannot_work_are_refused_when_it_is_made(
    settings: dict[str, Any], about: str
) -> None:
    with pytest.raises(ValueError, match=about) as caught:
        OpenAIChatGenerator(**settings)

    assert "pw" not in str(caught.value)


def test_it_shows_where_it_calls_and_never_the_key() -> None:
    local = OpenAIChatGenerator(model="m", api_key=KEY, api_base_url="http://localhost:1234/v1")

    assert repr(OpenAIChatGenerator()) == "OpenAIChatGenerator(model='gpt-5-mini')"
    assert repr(local) == "OpenAIChatGenerator(model='m', api_base_url='localhost')"
    assert KEY not in str(vars(local))
    assert OpenAIChatGenerator().server_address == "api.openai.com"


async def test_a_stream_made_up_by_a_test_can_have_any_form() -> None:
    events = [{"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}]

    with FakeOpenAIServer([Sse(events, done=False)]) as server:
        answer = await generator_for(server).run_async("Hi", streaming_callback=lambda chunk: None)

    assert answer["replies"][0].text == "Hi"


@pytest.mark.parametrize("kind", [OpenAIChatGenerator, OpenAIResponsesChatGenerator])
def test_an_unknown_parameter_is_refused_in_the_name_of_the_class_that_was_called(
    kind: Any,
) -> None:
    with pytest.raises(TypeError) as caught:
        kind(model="m", base_url="http://127.0.0.1/v1")

    said = str(caught.value)
    assert said.startswith(
        f"{kind.__name__} has no parameter 'base_url'. Did you mean 'api_base_url'?"
    )
    assert said.endswith("put what the API takes into generation_kwargs.")
