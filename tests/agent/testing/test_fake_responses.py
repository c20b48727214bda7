"""FakeOpenAIServer as a responses API: what it answers, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.agent.testing import FakeOpenAIServer, RecordedRequest, Reply, SlowSse, call, calls
from podium.agent.testing._canned import canned_reply
from podium.agent.testing._turns import Fault

CALL = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "red"}
THOUGHT: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": []}
USER = {"role": "user", "content": "Hi"}

Send = Any


def ask(server: FakeOpenAIServer, send: Send, **body: Any) -> Any:
    """Return what the server answers to a request with this body."""
    return send(server, "POST", "/v1/responses", json.dumps({"model": "m", "input": "Hi", **body}))


def test_a_turn_is_answered_as_a_response(send: Send) -> None:
    turn = Reply(
        message={
            "reasoning_content": "Hm.",
            "content": "I look.",
            "refusal": "No more.",
            "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}],
        }
    )

    with FakeOpenAIServer([turn]) as server:
        heard = ask(server, send)

    assert heard.json["output"] == [
        {
            "type": "reasoning",
            "id": "rs_0",
            "summary": [{"type": "summary_text", "text": "Hm."}],
        },
        {
            "type": "message",
            "id": "msg_0",
            "role": "assistant",
            "status": "completed",
            "content": [
                {"type": "output_text", "text": "I look.", "annotations": []},
                {"type": "refusal", "refusal": "No more."},
            ],
        },
        {
            "type": "function_call",
            "id": "fc_0_0",
            "call_id": "c1",
            "status": "completed",
            "name": "look",
            "arguments": "{}",
        },
    ]
    assert heard.json["status"] == "completed"
    assert heard.json["usage"]["output_tokens_details"]["reasoning_tokens"] > 0


def test_a_long_answer_is_cut_to_the_limit(send: Send) -> None:
    with FakeOpenAIServer(["word " * 100]) as server:
        heard = ask(server, send, max_output_tokens=10)

    assert heard.json["status"] == "incomplete"
    assert heard.json["incomplete_details"] == {"reason": "max_output_tokens"}
    assert 0 < heard.json["usage"]["output_tokens"] <= 10
    assert server.usage_total.output_tokens == heard.json["usage"]["output_tokens"]


def test_usage_that_is_given_is_reported_as_it_is(send: Send) -> None:
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}

    with FakeOpenAIServer([Reply("Hi", usage=usage), Reply("Hi", usage={})]) as server:
        first, second = ask(server, send), ask(server, send)

    assert (first.json["usage"], second.json["usage"]) == (usage, None)


def test_output_items_and_further_keys_can_be_given_as_they_are(send: Send) -> None:
    search = {"type": "web_search_call", "id": "ws_1"}

    with FakeOpenAIServer([Reply(output=[search], extra={"service_tier": "flex"})]) as server:
        heard = ask(server, send)

    assert heard.json["output"] == [search]
    assert heard.json["service_tier"] == "flex"


def test_a_stream_tells_each_item_and_ends_with_the_whole(send: Send) -> None:
    turn = Reply(message={"reasoning_content": "Hm.", "content": "I am", "refusal": "not"})

    with FakeOpenAIServer([turn]) as server:
        heard = ask(server, send, stream=True)

    kinds = [event["type"].removeprefix("response.") for event in heard.events]
    assert kinds == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "content_part.done",
        "content_part.added",
        "refusal.delta",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [event["sequence_number"] for event in heard.events] == list(range(len(kinds)))
    assert "event: response.created\n" in heard.body
    assert "[DONE]" not in heard.body


def test_calls_and_unknown_items_are_streamed_too(send: Send) -> None:
    output = [{"type": "web_search_call", "id": "ws_1"}, {**CALL, "arguments": '{"at": "a"}'}]

    with FakeOpenAIServer([Reply(output=output)]) as server:
        heard = ask(server, send, stream=True)

    pieces = [event["delta"] for event in heard.events if "delta" in event]
    assert "".join(pieces) == '{"at": "a"}'
    assert heard.events[-1]["response"]["output"] == output


@pytest.mark.parametrize("stream", [True, False])
def test_a_slow_turn_and_a_fault_work_here_too(stream: bool, send: Send) -> None:
    with FakeOpenAIServer([Fault(503), SlowSse(3, 0.001)]) as server:
        refused, heard = ask(server, send, stream=stream), ask(server, send, stream=stream)

    assert refused.status == 503
    assert "word word word" in heard.body or "word " in heard.body


def test_a_request_reads_like_one_of_chat_completions() -> None:
    image = {"type": "input_image", "image_url": "data:x", "detail": "low"}
    file = {"type": "input_file", "filename": "a", "file_data": "data:,QUFBQQ=="}
    said = {"role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}
    refused = {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}
    summary = {**THOUGHT, "summary": [{"type": "summary_text", "text": "Hm."}]}
    body = {
        "model": "m",
        "instructions": "Be brief.",
        "max_output_tokens": 9,
        "tools": [{"type": "function", "name": "look", "strict": True}, {"type": "web_search"}],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Hi"}, image, file]},
            {"type": "web_search_call"},
            summary,
            said,
            CALL,
            OUTPUT,
            refused,
        ],
    }

    request = RecordedRequest(0, body, b"", {}, 0.0, "responses")

    assert [message["role"] for message in request.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert request.messages[1]["content"][1:] == [
        {"type": "image_url", "image_url": {"url": "data:x", "detail": "low"}},
        {"type": "file", "file": file},
    ]
    assert request.messages[2]["reasoning_content"] == "Hm."
    assert request.messages[2]["tool_calls"][0]["id"] == "c1"
    assert request.tools == [
        {"type": "function", "function": {"name": "look"}},
        {"type": "web_search"},
    ]
    assert (request.output_limit, request.first_user_text) == (9, "Hi")
    assert len(request.items) == 7


def test_canned_answers_serve_either_api(send: Send) -> None:
    tool = {"type": "function", "name": "look", "parameters": {"type": "object"}}

    with FakeOpenAIServer(responder=canned_reply) as server:
        first = ask(server, send, model="steps-2", tools=[tool])
        asked = first.json["output"][0]
        output = {**OUTPUT, "call_id": asked["call_id"]}
        second = ask(server, send, model="steps-2", tools=[tool], input=[USER, asked, output])

    assert asked["name"] == "look"
    assert second.json["output"][0]["type"] == "message"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (None, "has no input"),
        ([USER, "Hi"], "has no input"),
        ([{"role": "tool", "content": "x"}], "role 'tool'"),
        ([{"role": "user"}], "content None"),
        ([{"role": "user", "content": [{"type": "text"}]}], "part of type 'text'"),
        ([{"role": "user", "content": [{"type": "input_image"}]}], "without image_url"),
        ([{"type": "function_call", "call_id": "c1", "name": "look"}], "arguments=None"),
        ([{"type": "function_call_output", "output": "red"}], "call_id=None"),
        ([CALL], "No tool output found for function calls ['c1']"),
        ([OUTPUT], "No tool call found for function call output 'c1'"),
        ([CALL, OUTPUT, OUTPUT], "No tool call found"),
        ([CALL, CALL, OUTPUT], "Duplicate function call"),
        ([{"type": "reasoning", "id": "rs_1"}, USER], "reasoning without a summary"),
        ([THOUGHT, USER], "without its required following item"),
        ([USER, THOUGHT], "without its required following item"),
    ],
)
def test_what_the_api_would_refuse_is_refused(given: object, reason: str, send: Send) -> None:
    with FakeOpenAIServer() as server:
        heard = ask(server, send, input=given)

    assert heard.status == 400
    assert reason in heard.json["error"]["message"]
    assert server.requests == []


def test_calls_may_be_in_what_the_server_has_kept(send: Send) -> None:
    with FakeOpenAIServer([calls(call("look"))]) as server:
        heard = ask(server, send, input=[OUTPUT], previous_response_id="resp_1")

    assert heard.status == 200


def test_other_places_of_the_same_api_are_known(send: Send) -> None:
    body = json.dumps({"model": "m", "messages": [USER]})
    path = "/openai/deployments/m/chat/completions?api-version=1"

    with FakeOpenAIServer(["Hi."]) as server:
        heard = send(server, "POST", path, body)

    assert heard.message["content"] == "Hi."
    assert (server.requests[0].query, server.requests[0].items) == ("api-version=1", [])
