"""Messages and tools as the chat completions API wants them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.agent.messages import ChatMessage, ReasoningContent
from podium.agent.models._openai.wire import (
    encode_messages,
    encode_request,
    encode_tool,
    message_to_openai,
)
from podium.tools import FileContent, ImageContent, TextContent, Tool, ToolCall

PIXELS = "cGl4ZWxz"
IMAGE = ImageContent(PIXELS, "image/png", "low")
FILE = FileContent("JVBERg==", "application/pdf", "a.pdf")
CALL = ToolCall("look", {"at": "a"}, "c1")


def sent(*messages: ChatMessage) -> list[dict[str, Any]]:
    """Return the messages as they arrive at the server."""
    data: list[dict[str, Any]] = json.loads(b"[" + b",".join(encode_messages(messages)) + b"]")
    return data


def test_a_conversation_is_sent_message_by_message() -> None:
    messages = sent(
        ChatMessage.from_system("Be brief."),
        ChatMessage.from_user("Look at a."),
        ChatMessage.from_assistant(tool_calls=[CALL]),
        ChatMessage.from_tool("a is red", CALL),
        ChatMessage.from_assistant("It is red."),
    )

    function = {"name": "look", "arguments": '{"at":"a"}'}
    assert messages == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look at a."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a is red"},
        {"role": "assistant", "content": "It is red."},
    ]


@pytest.mark.parametrize(
    ("message", "content"),
    [
        (ChatMessage.from_assistant(), ""),
        (ChatMessage.from_assistant(""), ""),
        (ChatMessage.from_assistant("", tool_calls=[CALL]), ""),
        (ChatMessage.from_assistant(tool_calls=[CALL]), None),
        (ChatMessage.from_assistant(meta={"refusal": "I can't."}), "I can't."),
    ],
)
def test_content_is_there_always_and_null_only_beside_calls(
    message: ChatMessage, content: str | None
) -> None:
    assert sent(message)[0]["content"] == content


def test_images_and_files_of_a_user_are_parts_of_the_message() -> None:
    message = ChatMessage.from_user(content_parts=["Look:", IMAGE, FILE])

    url = f"data:image/png;base64,{PIXELS}"
    file = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}
    assert sent(message)[0]["content"] == [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": url, "detail": "low"}},
        {"type": "file", "file": file},
    ]


def test_images_of_tool_results_follow_in_one_user_message_after_the_batch() -> None:
    first, second = CALL, ToolCall("scan", {}, "c2")

    messages = sent(
        ChatMessage.from_assistant(tool_calls=[first, second]),
        ChatMessage.from_tool([TextContent("Here it is."), IMAGE], first),
        ChatMessage.from_tool([FILE], second),
        ChatMessage.from_assistant("Nice."),
    )

    assert [message["role"] for message in messages] == [
        "assistant",
        "tool",
        "tool",
        "user",
        "assistant",
    ]
    assert messages[1]["content"] == (
        "Here it is.\n[part 2 of the result of c1, image/png: see the user message below]"
    )
    assert messages[2]["content"] == (
        "[part 1 of the result of c2, application/pdf: see the user message below]"
    )
    assert [part["type"] for part in messages[3]["content"]] == [
        "text",
        "image_url",
        "text",
        "file",
    ]
    assert messages[3]["content"][0]["text"] == "[part 2 of the result of c1, image/png]"


def test_images_of_the_last_results_follow_too() -> None:
    messages = sent(ChatMessage.from_tool([IMAGE], CALL))

    assert [message["role"] for message in messages] == ["tool", "user"]
    assert PIXELS not in messages[0]["content"]


def test_a_call_and_its_result_without_an_id_get_the_same_one() -> None:
    call, other = ToolCall("look", {"at": "a"}), ToolCall("look", {"at": "b"})

    asked, answer = sent(
        ChatMessage.from_assistant(tool_calls=[call, other]), ChatMessage.from_tool("red", call)
    )

    assert answer["tool_call_id"] == asked["tool_calls"][0]["id"] != ""
    assert asked["tool_calls"][1]["id"] != asked["tool_calls"][0]["id"]


def test_arguments_that_could_not_be_read_are_sent_as_none() -> None:
    broken = ToolCall("look", {}, "c1", problem="the arguments are not valid JSON")

    message = sent(ChatMessage.from_assistant(tool_calls=[broken]))[0]

    assert message["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize(
    ("name", "on_the_wire"),
    [("look", "look"), ("../x y", "___x_y"), ("", "unnamed_tool"), ("a" * 100, "a" * 64)],
)
def test_a_tool_name_the_api_would_refuse_is_made_acceptable(name: str, on_the_wire: str) -> None:
    message = sent(ChatMessage.from_assistant(tool_calls=[ToolCall(name, {}, "c1")]))[0]

    assert message["tool_calls"][0]["function"]["name"] == on_the_wire


def test_what_the_provider_sent_beside_goes_back_to_it() -> None:
    call = ToolCall("look", {}, "c1", extra={"extra_content": {"signature": "s"}})
    message = ChatMessage.from_assistant(
        tool_calls=[call],
        reasoning=ReasoningContent("Hm.", {"field": "reasoning_content"}),
        meta={"provider_fields": {"reasoning_details": [{"id": 1}], "role": "user"}},
    )

    data = sent(message)[0]

    assert data["role"] == "assistant"
    assert data["reasoning_content"] == "Hm."
    assert data["reasoning_details"] == [{"id": 1}]
    assert data["tool_calls"][0]["extra_content"] == {"signature": "s"}


def test_reasoning_of_unknown_origin_stays_here() -> None:
    assert sent(ChatMessage.from_assistant("Red.", reasoning="Hm.")) == [
        {"role": "assistant", "content": "Red."}
    ]


def test_a_name_is_sent_in_letters_the_api_takes() -> None:
    assert sent(ChatMessage.from_user("hi", name="Ann <b>"))[0]["name"] == "Ann__b_"


def test_a_message_is_encoded_once() -> None:
    message = ChatMessage.from_user("hi")

    first, second = encode_messages([message]), encode_messages([message])

    assert first[0] is second[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [("cut \ud83c", "cut \ufffd"), (float("inf"), None), ({"\ud83c": 1}, {"\ufffd": 1})],
)
def test_arguments_that_json_cannot_hold_are_sent_all_the_same(value: object, text: object) -> None:
    message = sent(ChatMessage.from_assistant(tool_calls=[ToolCall("look", {"at": value}, "c1")]))

    arguments = json.loads(message[0]["tool_calls"][0]["function"]["arguments"])
    assert arguments == {"at": text}


PARAMETERS = {
    "type": "object",
    "properties": {"at": {"type": "string"}, "deep": {"type": "integer"}},
}


def look(at: str, deep: int = 1) -> str:
    return at * deep


def glance(at: str = "", deep: int = 1) -> str:
    return at * deep


def store(data: object = None) -> object:
    return data


def test_a_request_holds_parameters_tools_and_messages() -> None:
    tool = Tool("look", "Look at it.", PARAMETERS | {"required": ["at"]}, look)

    body = encode_request(
        {"model": "m", "temperature": 0.5}, [encode_tool(tool)], [ChatMessage.from_user("hi")]
    )

    data = json.loads(body)
    assert data == {
        "model": "m",
        "temperature": 0.5,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "description": "Look at it.",
                    "parameters": tool.parameters,
                },
            }
        ],
        "messages": [{"role": "user", "content": "hi"}],
    }


def test_an_empty_list_of_tools_is_left_out() -> None:
    assert json.loads(encode_request({"model": "m"}, [], [])) == {"model": "m", "messages": []}


def test_a_strict_tool_is_closed_and_says_so() -> None:
    tool = Tool("look", "Look at it.", PARAMETERS, glance)

    function = json.loads(encode_tool(tool, strict=True))["function"]

    assert function["strict"] is True
    assert function["parameters"]["required"] == ["at", "deep"]
    assert function["parameters"]["additionalProperties"] is False


def test_a_tool_that_cannot_be_strict_is_sent_as_it_is() -> None:
    free = {"type": "object", "properties": {"data": {"type": "object"}}}
    tool = Tool("store", "Store it.", free, store)

    function = json.loads(encode_tool(tool, strict=True))["function"]

    assert "strict" not in function
    assert function["parameters"] == tool.parameters


def test_a_tools_message_with_several_results_becomes_several() -> None:
    one = ChatMessage.from_tool("1", CALL)
    both = ChatMessage(one.role, (*one.parts, *one.parts))

    assert [message["role"] for message in message_to_openai(both)] == ["tool", "tool"]
