"""Whole answers: what becomes of each field, and which answers are errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage, ReasoningContent
from podium.agent.models._openai.answer import read_answer

USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}


def reply(message: object, finish_reason: object = "stop", **choice: object) -> ChatMessage:
    """Return the reply made of an answer with this one message."""
    choices = [{"index": 0, "message": message, "finish_reason": finish_reason, **choice}]
    body = {"id": "r1", "model": "m-1", "choices": choices, "usage": USAGE}
    return read_answer(json.dumps(body).encode(), "m")[0]


def call(arguments: object, **fields: object) -> dict[str, object]:
    """Return a tool call as a provider sends it."""
    return {
        "id": "c1",
        "type": "function",
        "function": {"name": "add", "arguments": arguments},
    } | fields


def test_a_plain_answer() -> None:
    message = reply({"role": "assistant", "content": "Hello."})

    assert message.text == "Hello."
    assert message.meta == {
        "model": "m-1",
        "id": "r1",
        "usage": USAGE,
        "index": 0,
        "finish_reason": "stop",
    }


def test_tool_calls_are_read_with_their_arguments() -> None:
    message = reply({"content": None, "tool_calls": [call('{"a": 1}')]}, "tool_calls")

    assert message.text is None
    assert [(one.tool_name, one.arguments, one.id) for one in message.tool_calls] == [
        ("add", {"a": 1}, "c1")
    ]


def test_the_older_function_call_is_a_tool_call() -> None:
    function = {"name": "add", "arguments": '{"a": 1}'}

    message = reply({"content": None, "function_call": function}, "function_call")

    assert message.tool_calls[0].arguments == {"a": 1}
    assert message.tool_calls[0].id
    assert message.meta["finish_reason"] == "tool_calls"
    assert message.meta["raw_finish_reason"] == "function_call"


@pytest.mark.parametrize("arguments", [None, "", "null", "{}", {}])
def test_no_arguments_are_no_arguments(arguments: object) -> None:
    assert reply({"tool_calls": [call(arguments)]}).tool_calls[0].arguments == {}


def test_arguments_may_come_as_an_object() -> None:
    assert reply({"tool_calls": [call({"a": [1]})]}).tool_calls[0].arguments == {"a": [1]}


def test_arguments_that_cannot_be_read_leave_the_call_with_a_problem() -> None:
    broken = reply({"tool_calls": [call('{"a": ')]}).tool_calls[0]

    assert broken.arguments == {}
    assert "not valid JSON" in str(broken.problem)


def test_each_call_gets_an_id_of_its_own() -> None:
    calls = [call("{}"), call("{}"), call("{}", id=""), call("{}", id=None)]

    ids = [one.id for one in reply({"tool_calls": calls}).tool_calls]

    assert ids[0] == "c1"
    assert all(ids)
    assert len(set(ids)) == 4


def test_a_call_may_have_its_name_beside_the_id() -> None:
    flat = {"id": "c1", "name": "add", "arguments": {"a": 1}}

    message = reply({"tool_calls": [flat]})

    assert message.tool_calls[0].tool_name == "add"
    assert message.tool_calls[0].arguments == {"a": 1}


def test_a_call_without_a_name_gets_one_that_no_tool_has() -> None:
    message = reply({"tool_calls": [{"id": "c1", "function": {"arguments": "{}"}}]})

    assert message.tool_calls[0].tool_name == "unnamed_tool"


def test_content_may_be_a_list_of_parts() -> None:
    content = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}, "!", None]

    assert reply({"content": content}).text == "Hello!"


def test_thinking_within_the_content_is_reasoning() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}

    message = reply({"content": [thinking, {"type": "text", "text": "Red."}]})

    assert message.text == "Red."
    assert message.reasoning == ReasoningContent("Hm.")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_keeps_the_name_of_its_field(field: str) -> None:
    message = reply({"content": "Red.", field: "Hm."})

    assert message.reasoning == ReasoningContent("Hm.", {"field": field})


def test_a_refusal_is_kept_apart_from_the_text() -> None:
    message = reply({"content": None, "refusal": "I can't."})

    assert message.text is None
    assert message.meta["refusal"] == "I can't."


def test_a_refusal_may_be_a_part_of_the_content() -> None:
    message = reply({"content": [{"type": "refusal", "refusal": "I can't."}]})

    assert message.text is None
    assert message.meta["refusal"] == "I can't."


def test_fields_nobody_knows_are_kept_for_the_provider() -> None:
    message = reply(
        {
            "content": "Red.",
            "annotations": [{"url": "x"}],
            "reasoning_details": [{"id": 1}],
            "empty": None,
            "tool_calls": [call("{}", extra_content={"signature": "s"})],
        }
    )

    assert message.meta["provider_fields"] == {"reasoning_details": [{"id": 1}]}
    assert message.tool_calls[0].extra == {"extra_content": {"signature": "s"}}


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("end_turn", "stop"),
        (None, "stop"),
        ("of_its_own_making", "stop"),
        ("max_tokens", "length"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
    ],
)
def test_the_reason_for_the_end_is_spelled_one_way(raw: str | None, reason: str) -> None:
    assert reply({"content": "Hi"}, raw).meta["finish_reason"] == reason


@pytest.mark.parametrize("raw", ["stop", "tool_call", "function_call", None, "odd"])
def test_a_reply_with_calls_ended_for_them(raw: str | None) -> None:
    assert reply({"tool_calls": [call("{}")]}, raw).meta["finish_reason"] == "tool_calls"


def test_a_cut_reply_with_calls_was_cut_all_the_same() -> None:
    assert reply({"tool_calls": [call("{}")]}, "length").meta["finish_reason"] == "length"


def test_of_several_replies_the_first_carries_the_usage() -> None:
    choices = [{"message": {"content": text}, "finish_reason": "stop"} for text in ("a", "b")]
    body = {"choices": choices, "usage": USAGE}

    first, second = read_answer(json.dumps(body).encode(), "m")

    assert (first.text, first.meta["index"], first.meta["usage"]) == ("a", 0, USAGE)
    assert (second.text, second.meta["index"]) == ("b", 1)
    assert "usage" not in second.meta
    assert second.meta["model"] == "m"


def test_log_probabilities_are_kept() -> None:
    assert reply({"content": "a"}, logprobs={"content": [1]}).meta["logprobs"] == {"content": [1]}


def test_halves_of_a_character_become_one_that_can_be_sent() -> None:
    body = b'{"choices":[{"message":{"content":"cut \\ud83c","reasoning":"\\udf78"}}]}'

    message = read_answer(body, "m")[0]

    assert message.text == "cut \ufffd"
    assert message.reasoning is not None
    assert message.reasoning.reasoning_text == "\ufffd"


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (None, None),
        ("text", None),
        ({}, None),
        ({"content": {"a": 1}}, '{"a":1}'),
        ({"content": 7}, "7"),
    ],
)
def test_odd_messages_are_read_as_well_as_they_can_be(message: object, text: str | None) -> None:
    assert reply(message).text == text


@pytest.mark.parametrize(
    ("body", "about"),
    [
        ({"error": {"message": "Queue is full", "code": 503}}, "Queue is full"),
        ({"error": "Queue is full"}, "Queue is full"),
        ({"object": "error", "message": "Queue is full", "code": 400}, "Queue is full"),
        ({"type": "error", "message": "Queue is full"}, "Queue is full"),
        ({"choices": [{"error": {"message": "Queue is full"}}]}, "Queue is full"),
        ({"choices": []}, "without choices.*Check that api_base_url"),
        ({"choices": None}, "without choices"),
        ({"detail": "Not Found"}, "Not Found"),
        ([], "without choices"),
    ],
    ids=str,
)
def test_an_answer_that_is_none_says_what_came(body: Any, about: str) -> None:
    with pytest.raises(ModelError, match=about):
        read_answer(json.dumps(body).encode(), "m")


@pytest.mark.parametrize("body", [b"<html>Hello</html>", b"", b"[" * 100_000, b"\xff\xfe"])
def test_an_answer_that_is_no_json_is_an_error_too(body: bytes) -> None:
    with pytest.raises(ModelError, match="without choices"):
        read_answer(body, "m")


def test_a_provider_error_keeps_its_status_and_code() -> None:
    body = {"error": {"message": "Queue is full", "type": "overloaded", "code": 503}}

    with pytest.raises(ModelError) as caught:
        read_answer(json.dumps(body).encode(), "m")

    assert caught.value.status == 503
    assert caught.value.code == "503"
    assert caught.value.is_retryable


def test_a_reply_that_the_provider_broke_off_is_an_error_with_its_text() -> None:
    with pytest.raises(ModelError, match="broke off") as caught:
        reply({"content": "Half a"}, "error")

    assert caught.value.partial_text == "Half a"


def test_data_nested_without_end_is_no_answer() -> None:
    """The half character sends it past the strict reader, which has a limit of its own."""
    deep = b"[" * 900 + b"]" * 900
    body = b'{"choices": [{"message": {"content": "\\ud83d", "odd": ' + deep + b"}}]}"

    with pytest.raises(ModelError, match="answered without choices"):
        read_answer(body, "m")
