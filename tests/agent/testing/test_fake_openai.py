"""FakeOpenAIServer, plain answers: scripts, what it records, what it counts, how it fails."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from podium.agent import ChatMessage
from podium.agent.models._estimate import (
    IMAGE_TOKENS,
    LOW_DETAIL_IMAGE_TOKENS,
    MESSAGE_OVERHEAD,
    estimate_prompt_tokens,
)
from podium.agent.testing import (
    FakeOpenAIServer,
    RecordedRequest,
    Reply,
    ScriptError,
    call,
    calls,
)
from podium.tools import Tool
from podium.tracing import Usage

Ask = Any
NAMES = ("geographer", "historian", "geographer")


def test_turns_answer_requests_in_order(ask: Ask) -> None:
    with FakeOpenAIServer(["one", calls(call("add", a=2), text="two"), Reply("three")]) as server:
        first, second, third = ask(server), ask(server), ask(server)

    assert first.message == {"role": "assistant", "content": "one"}
    assert second.message == {
        "role": "assistant",
        "content": "two",
        "tool_calls": [
            {
                "id": "call_1_0",
                "type": "function",
                "function": {"name": "add", "arguments": '{"a":2}'},
            }
        ],
    }
    assert third.message["content"] == "three"
    assert [each.finish_reason for each in (first, second, third)] == ["stop", "tool_calls", "stop"]


def test_an_answer_is_a_chat_completion(ask: Ask) -> None:
    with FakeOpenAIServer([Reply("hi", extra={"service_tier": "flex"})]) as server:
        heard = ask(server, model="small")

    assert heard.status == 200
    assert heard.headers["content-type"] == "application/json"
    assert heard.json["object"] == "chat.completion"
    assert heard.json["model"] == "small"
    assert heard.json["service_tier"] == "flex"


def test_a_whole_message_is_sent_as_it_is(ask: Ask) -> None:
    odd = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "add"}}]}

    with FakeOpenAIServer([Reply(message=odd, finish_reason="length", usage={})]) as server:
        heard = ask(server)

    assert heard.message == odd
    assert heard.finish_reason == "length"
    assert "usage" not in heard.json


def test_requests_are_recorded(ask: Ask) -> None:
    before = time.monotonic()

    with FakeOpenAIServer(["one", "two"]) as server:
        ask(server, "Hello?", tools=[{"type": "function"}], stream=True)
        ask(server, "More?", model="large")

    first, second = server.requests
    assert (first.number, second.number) == (0, 1)
    assert first.messages == [{"role": "user", "content": "Hello?"}]
    assert first.tools == [{"type": "function"}]
    assert (first.is_stream, second.is_stream) == (True, False)
    assert (second.model, second.tools) == ("large", [])
    assert json.loads(second.raw) == second.body
    assert second.headers["content-type"] == "application/json"
    assert before <= first.time <= second.time <= time.monotonic()
    assert not first.disconnected


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([{"role": "user", "content": "task"}, {"role": "user", "content": "more"}], "task"),
        ([{"role": "user", "content": [{"type": "text", "text": "task"}]}], "task"),
        ([{"role": "system", "content": "rules"}], ""),
        ([{"role": "user"}], ""),
    ],
)
def test_a_request_knows_its_task(messages: list[dict[str, Any]], text: str) -> None:
    request = RecordedRequest(0, {"messages": messages}, b"", {}, 0.0)

    assert request.first_user_text == text


def test_a_route_gives_each_agent_its_own_script(ask: Ask) -> None:
    with FakeOpenAIServer(route=lambda request: request.model) as server:
        server.script(["Paris.", "Rome."], key="geographer")
        server.script(["1789."], key="historian")

        heard = [ask(server, model=name).message["content"] for name in NAMES]

    assert heard == ["Paris.", "1789.", "Rome."]


def test_a_responder_answers_by_itself(ask: Ask) -> None:
    def shout(request: RecordedRequest) -> str:
        return request.first_user_text.upper()

    with FakeOpenAIServer(responder=shout) as server:
        heard = ask(server, "echo")

    assert heard.message["content"] == "ECHO"


def test_the_last_turn_can_answer_all_further_requests(ask: Ask) -> None:
    with FakeOpenAIServer(["one", "on and on"], repeat_last=True) as server:
        heard = [ask(server).message["content"] for _ in range(4)]

    assert heard == ["one", "on and on", "on and on", "on and on"]


def test_turns_can_be_added_while_it_runs(ask: Ask) -> None:
    with FakeOpenAIServer() as server:
        server.script(["one"])
        first = ask(server)
        server.script(["two"])
        second = ask(server)

    assert (first.message["content"], second.message["content"]) == ("one", "two")


def test_a_request_without_a_turn_gets_500_and_fails_the_block(ask: Ask) -> None:
    server = FakeOpenAIServer(["one"]).__enter__()
    ask(server)
    heard = ask(server, "And now?", model="small")
    ask(server)

    with pytest.raises(ScriptError) as caught:
        server.__exit__(None, None, None)

    assert heard.status == 500
    assert heard.headers["x-should-retry"] == "false"
    assert "Request 2 has no turn: the script has 1 turn." in heard.body
    assert "FakeOpenAIServer got 2 requests it had no answer for." in str(caught.value)
    assert "model 'small'" in str(caught.value)
    assert "'And now?'" in str(caught.value)


def test_a_text_is_no_list_of_turns() -> None:
    with pytest.raises(TypeError, match=r"FakeOpenAIServer got the text 'one' for its turns"):
        FakeOpenAIServer("one")


def test_an_unknown_route_is_a_request_without_a_turn(ask: Ask) -> None:
    with (
        pytest.raises(ScriptError, match="no turn: the script 'm' has 0 turns"),
        FakeOpenAIServer(route=lambda request: request.model) as server,
    ):
        ask(server)


def test_a_failing_responder_is_told_to_the_test(ask: Ask) -> None:
    def broken(request: RecordedRequest) -> str:
        raise ZeroDivisionError("by hand")

    with pytest.raises(ScriptError, match="ZeroDivisionError: by hand"):
        with FakeOpenAIServer(responder=broken) as server:
            ask(server)


def test_turns_left_over_fail_the_block(ask: Ask) -> None:
    with pytest.raises(ScriptError) as caught, FakeOpenAIServer(["one", "two", "three"]) as server:
        ask(server)

    assert str(caught.value) == (
        "FakeOpenAIServer has turns left in its script after 1 request: 'two', 'three'. "
        "Remove them, or find out why the model was not asked."
    )


def test_turns_may_be_left_over_when_it_is_not_strict() -> None:
    with FakeOpenAIServer(["one"], strict=False):
        pass


def test_an_error_in_the_block_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), FakeOpenAIServer(["one"]):
        raise ZeroDivisionError


@pytest.mark.parametrize("turn", [call("add"), 5, None, ValueError("no")])
def test_what_is_no_turn_is_refused_at_once(turn: Any) -> None:
    with pytest.raises(TypeError, match="is no turn of a FakeOpenAIServer"):
        FakeOpenAIServer([turn])


def test_usage_is_counted_from_what_was_sent_and_answered(ask: Ask) -> None:
    parameters: dict[str, Any] = {"type": "object", "properties": {}}
    function = {"name": "add", "description": "Add.", "parameters": parameters}
    definition = {"type": "function", "function": function}
    messages = [ChatMessage.from_user("Hello?")]

    with FakeOpenAIServer(["a word", calls(call("add", a=1))]) as server:
        first = ask(server, "Hello?", tools=[definition])
        second = ask(server, "Hello?")

    sent = estimate_prompt_tokens(messages, [Tool("add", "Add.", parameters, print)])
    assert first.json["usage"] == {
        "prompt_tokens": sent,
        "completion_tokens": 2,
        "total_tokens": sent + 2,
    }
    assert second.json["usage"]["prompt_tokens"] == estimate_prompt_tokens(messages, None)
    assert second.json["usage"]["completion_tokens"] == MESSAGE_OVERHEAD + 1 + 5
    assert server.usage_total == Usage(
        input_tokens=sent + second.json["usage"]["prompt_tokens"],
        output_tokens=2 + MESSAGE_OVERHEAD + 1 + 5,
        requests=2,
    )


def test_parts_of_a_message_are_counted_like_podium_counts_them(ask: Ask) -> None:
    url = {"url": "data:image/png;base64,cG5n"}
    file = {"filename": "a.txt", "file_data": "data:text/plain;base64," + "eHh4" * 100}
    content = [
        {"type": "text", "text": "a word"},
        {"type": "image_url", "image_url": url},
        {"type": "image_url", "image_url": {**url, "detail": "low"}},
        {"type": "file", "file": file},
    ]

    with FakeOpenAIServer(["ok"]) as server:
        heard = ask(server, messages=[{"role": "user", "content": content}])

    images = IMAGE_TOKENS + LOW_DETAIL_IMAGE_TOKENS
    assert heard.json["usage"]["prompt_tokens"] == MESSAGE_OVERHEAD + 2 + images + 100


def test_usage_that_a_turn_gives_is_reported_and_counted(ask: Ask) -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930}

    with FakeOpenAIServer([Reply("a word", usage=usage)]) as server:
        heard = ask(server, max_tokens=1)

    assert heard.json["usage"] == usage
    assert heard.message["content"] == "a word"
    assert server.usage_total == Usage(input_tokens=900, output_tokens=30, requests=1)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_an_output_limit_cuts_the_text(ask: Ask, name: str) -> None:
    with FakeOpenAIServer(["one two three four five"]) as server:
        heard = ask(server, **{name: 3})

    assert heard.message["content"] == "one two three "
    assert heard.finish_reason == "length"
    assert heard.json["usage"]["completion_tokens"] == 3


def test_an_output_limit_that_is_not_reached_changes_nothing(ask: Ask) -> None:
    with FakeOpenAIServer(["one two three"]) as server:
        heard = ask(server, max_tokens=3)

    assert heard.message["content"] == "one two three"
    assert heard.finish_reason == "stop"


def test_an_output_limit_cuts_the_arguments_of_the_last_call_that_fits(ask: Ask) -> None:
    turn = calls(call("add", a=1), call("say", text="one two three"), call("add", a=3), text="so")
    fits = 1 + 14 + MESSAGE_OVERHEAD + 1 + 4

    with FakeOpenAIServer([turn]) as server:
        heard = ask(server, max_tokens=fits)

    first, second = heard.message["tool_calls"]
    assert heard.message["content"] == "so"
    assert first["function"]["arguments"] == '{"a":1}'
    assert second["function"] == {"name": "say", "arguments": '{"text":"'}
    assert heard.finish_reason == "length"
    assert heard.json["usage"]["completion_tokens"] == fits


def test_calls_that_do_not_fit_at_all_are_gone(ask: Ask) -> None:
    with FakeOpenAIServer([calls(call("add", a=1), text="so it is")]) as server:
        heard = ask(server, max_tokens=3)

    assert heard.message == {"role": "assistant", "content": "so it is"}
    assert heard.finish_reason == "length"


def test_a_reply_can_take_its_time(ask: Ask) -> None:
    with FakeOpenAIServer([Reply("late", delay_seconds=0.05)]) as server:
        started = time.monotonic()
        ask(server)

    assert time.monotonic() - started >= 0.05


def test_models_are_listed(send: Ask) -> None:
    with FakeOpenAIServer() as server:
        plain = send(server, "GET", "/v1/models?limit=1")
        server.script([], key="small")
        named = send(server, "GET", "/v1/models")

    assert [model["id"] for model in plain.json["data"]] == ["fake-model"]
    assert [model["id"] for model in named.json["data"]] == ["small"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("{", "Expecting property name"),
        ("[]", "The body is a JSON list"),
        ("{}", "no list of messages"),
        ('{"messages": [1]}', "no list of messages"),
    ],
)
def test_what_is_no_question_gets_an_error_and_needs_no_turn(
    send: Ask, body: str, told: str
) -> None:
    with FakeOpenAIServer() as server:
        heard = send(server, "POST", "/v1/chat/completions", body)

    assert heard.status == 400
    assert told in heard.json["error"]["message"]
    assert server.requests == []


def test_any_other_address_is_not_found(send: Ask) -> None:
    with FakeOpenAIServer() as server:
        heard = send(server, "GET", "/v1/files")

    assert heard.status == 404
    assert "There is no GET /v1/files here." in heard.json["error"]["message"]


def test_it_starts_fast_and_leaves_no_thread() -> None:
    started = time.process_time()

    with FakeOpenAIServer() as server:
        seconds = time.process_time() - started
        running = [thread.name for thread in threading.enumerate()]

    assert seconds < 0.05
    assert server.base_url == f"{server.url}/v1"
    assert "fake-openai" in running
    assert "fake-openai" not in [thread.name for thread in threading.enumerate()]


@pytest.mark.anyio
async def test_it_is_an_async_context_manager_too() -> None:
    async with FakeOpenAIServer() as server:
        pass

    with pytest.raises(ScriptError):
        async with FakeOpenAIServer(["one"]):
            pass

    assert server.requests == []
