"""Whole answers of the responses API, as messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._responses.answer import read_response

USAGE = {
    "input_tokens": 9,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens": 30,
    "output_tokens_details": {"reasoning_tokens": 20},
    "total_tokens": 39,
}
THOUGHT: dict[str, Any] = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [],
    "encrypted_content": "sealed",
}


def said(*texts: str, **fields: object) -> dict[str, Any]:
    parts = [{"type": "output_text", "text": text} for text in texts]
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": parts, **fields}


def asked(
    name: str = "look", arguments: str = '{"at": "a"}', identity: str = "c1"
) -> dict[str, Any]:
    call = {"type": "function_call", "id": "fc_1", "call_id": identity}
    return {**call, "name": name, "arguments": arguments}


def read(*output: object, **fields: object) -> ChatMessage:
    body = {"id": "resp_1", "model": "m-1", "status": "completed", "output": output, "error": None}
    return read_response(json.dumps({**body, "usage": USAGE, **fields}).encode(), "m", server="s")[
        0
    ]


def test_a_message_has_the_text_and_the_facts() -> None:
    reply = read(said("Hel", "lo."))

    assert reply == ChatMessage.from_assistant(
        "Hello.",
        meta={
            "model": "m-1",
            "id": "resp_1",
            "usage": USAGE,
            "index": 0,
            "finish_reason": "stop",
        },
    )


def test_calls_keep_the_id_their_results_go_by() -> None:
    reply = read(asked(), asked("list", "{}", "c2"))

    assert [(call.tool_name, call.arguments, call.id) for call in reply.tool_calls] == [
        ("look", {"at": "a"}, "c1"),
        ("list", {}, "c2"),
    ]
    assert reply.meta["finish_reason"] == "tool_calls"
    assert reply.reasoning is None


def test_arguments_that_are_no_json_leave_a_call_with_a_problem() -> None:
    call = read(asked(arguments='{"at": ')).tool_calls[0]

    assert call.problem


def test_a_summary_is_shown_and_the_items_are_kept_without_what_the_message_says() -> None:
    summary = [{"type": "summary_text", "text": text} for text in ("First.", "Then.")]

    reply = read({**THOUGHT, "summary": summary}, said("Hi"), asked())

    assert reply.reasoning is not None
    assert reply.reasoning.reasoning_text == "First.\n\nThen."
    assert reply.reasoning.extra == {
        "server": "s",
        "tokens": 20,
        "output": [
            {**THOUGHT, "summary": summary},
            {"type": "message", "id": "msg_1", "role": "assistant"},
            {"type": "function_call", "id": "fc_1", "call_id": "c1"},
        ],
    }


def test_thinking_that_is_shown_in_full_goes_before_its_summary() -> None:
    content = [{"type": "reasoning_text", "text": "All of it."}]
    summary = [{"type": "summary_text", "text": "In short."}]

    reply = read({**THOUGHT, "summary": summary, "content": content}, said("Hi"))

    assert reply.reasoning is not None
    assert reply.reasoning.reasoning_text == "All of it."


def test_several_messages_are_one_text_and_are_kept_apart_too() -> None:
    first, second = said("One.", phase="commentary"), said("Two.", phase="final_answer")

    reply = read(first, second)

    assert reply.text == "One.\n\nTwo."
    assert reply.reasoning is not None
    assert reply.reasoning.extra["output"] == [first, second]


def test_a_refusal_is_no_text() -> None:
    refusal = {"type": "refusal", "refusal": "I can't."}

    reply = read({"type": "message", "content": [refusal]})

    assert (reply.text, reply.meta["refusal"]) == (None, "I can't.")


@pytest.mark.parametrize(
    ("details", "finish_reason", "raw"),
    [
        ({"reason": "max_output_tokens"}, "length", "max_output_tokens"),
        ({"reason": "content_filter"}, "content_filter", None),
        (None, "length", None),
    ],
)
def test_an_incomplete_response_says_why(
    details: object, finish_reason: str, raw: str | None
) -> None:
    reply = read(said("Hel"), status="incomplete", incomplete_details=details)

    assert reply.meta["finish_reason"] == finish_reason
    assert reply.meta.get("raw_finish_reason") == raw


@pytest.mark.parametrize(
    ("fields", "text", "code"),
    [
        (
            {"status": "failed", "error": {"code": "server_error", "message": "Out of order."}},
            "reported an error in its answer: Out of order.",
            "server_error",
        ),
        ({"status": "failed"}, "has the status 'failed' after 3 characters", "failed"),
        ({"status": "queued"}, "leave out background=", "queued"),
    ],
)
def test_a_response_that_did_not_come_to_its_end_is_an_error(
    fields: dict[str, Any], text: str, code: str
) -> None:
    with pytest.raises(ModelError, match=text) as caught:
        read(said("Hel"), **fields)

    assert caught.value.code == code
    assert caught.value.is_retryable


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"choices": []}', b"null"])
def test_what_is_no_response_is_an_error_that_says_so(body: bytes) -> None:
    with pytest.raises(ModelError, match="'m' answered without output"):
        read_response(body, "m", server="s")
