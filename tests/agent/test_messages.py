"""ChatMessage: its factories, what it says of itself, and its form as plain data."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agent.messages import ChatMessage, ChatRole, ReasoningContent
from podium.tools import FileContent, ImageContent, TextContent, ToolCall

IMAGE = ImageContent.from_bytes(b"pixels", detail="low")
FILE = FileContent.from_bytes(b"%PDF", mime_type="application/pdf", filename="a.pdf")
CALL = ToolCall("add", {"a": 1, "rest": [2, {"b": None}]}, "c1", extra={"signature": "xyz"})


def test_a_users_message_holds_text_images_and_files_in_order() -> None:
    message = ChatMessage.from_user(content_parts=["Look:", IMAGE, FILE])

    assert message.parts == (TextContent("Look:"), IMAGE, FILE)
    assert message.text == "Look:"
    assert message.images == [IMAGE]
    assert message.files == [FILE]
    assert message.is_from("user")


def test_an_assistants_message_has_reasoning_then_text_then_calls() -> None:
    message = ChatMessage.from_assistant("Adding.", tool_calls=[CALL], reasoning="Sum it.")

    assert message.parts == (ReasoningContent("Sum it."), TextContent("Adding."), CALL)
    assert message.reasoning == ReasoningContent("Sum it.")
    assert message.tool_calls == [CALL]


def test_an_assistants_message_may_be_empty() -> None:
    assert ChatMessage.from_assistant().text is None


def test_a_tools_message_has_its_result_and_no_text() -> None:
    message = ChatMessage.from_tool("3", CALL, error=True)

    assert message.text is None
    assert message.tool_call_result is not None
    assert message.tool_call_result.origin == CALL
    assert message.tool_call_result.error


def test_lone_surrogates_are_replaced_as_text_comes_in() -> None:
    assert ChatMessage.from_user("cut \ud83c").text == "cut \ufffd"
    assert ChatMessage.from_tool("cut \ud83c", CALL).tool_call_results[0].text == "cut \ufffd"


@pytest.mark.parametrize(
    ("arguments", "error", "about"),
    [
        ({}, ValueError, "got neither"),
        ({"text": "a", "content_parts": ["b"]}, ValueError, "got both"),
        ({"content_parts": []}, ValueError, "at least one part"),
        ({"content_parts": [CALL]}, TypeError, "cannot hold a ToolCall"),
    ],
)
def test_a_users_message_refuses_what_it_cannot_hold(
    arguments: dict[str, Any], error: type[Exception], about: str
) -> None:
    with pytest.raises(error, match=about):
        ChatMessage.from_user(**arguments)


def test_the_wire_form_is_made_once_and_is_no_part_of_the_value() -> None:
    message, calls = ChatMessage.from_user("hi"), list[ChatMessage]()

    def encode(given: ChatMessage) -> bytes:
        calls.append(given)
        return b"encoded"

    forms = [message.wire_form("chat", encode), message.wire_form("chat", encode)]

    assert forms == [b"encoded", b"encoded"]
    assert len(calls) == 1
    assert message == ChatMessage.from_user("hi")


MESSAGES = [
    ChatMessage.from_system("Be brief.", name="boss"),
    ChatMessage.from_user(content_parts=["Look:", IMAGE, FILE], meta={"at": [1, {"b": 2}]}),
    ChatMessage.from_assistant(
        "Adding.", tool_calls=[CALL], reasoning=ReasoningContent("Sum.", {"field": "reasoning"})
    ),
    ChatMessage.from_assistant(tool_calls=[ToolCall("add", {}, "c2", problem="no JSON")]),
    ChatMessage.from_tool("3", CALL),
    ChatMessage.from_tool([TextContent("Here:"), IMAGE, FILE], CALL, error=True),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: one.role)
def test_a_message_goes_to_data_and_back_by_way_of_json(message: ChatMessage) -> None:
    data = json.loads(json.dumps(message.to_dict()))

    assert ChatMessage.from_dict(data) == message


def test_the_data_names_each_part_by_its_kind() -> None:
    data = MESSAGES[2].to_dict()

    assert data == {
        "role": "assistant",
        "meta": {},
        "name": None,
        "content": [
            {"reasoning": {"reasoning_text": "Sum.", "extra": {"field": "reasoning"}}},
            {"text": "Adding."},
            {
                "tool_call": {
                    "tool_name": "add",
                    "arguments": {"a": 1, "rest": [2, {"b": None}]},
                    "id": "c1",
                    "extra": {"signature": "xyz"},
                }
            },
        ],
    }


def test_the_data_is_the_receivers_own() -> None:
    message = ChatMessage.from_user("hi", meta={"seen": [1]})

    message.to_dict()["meta"]["seen"].append(2)

    assert message.meta == {"seen": [1]}


def test_plain_text_may_stand_for_the_list_of_parts() -> None:
    assert ChatMessage.from_dict({"role": "user", "content": "hi"}) == ChatMessage.from_user("hi")


NO_MESSAGES: list[tuple[Any, str]] = [
    ({"role": "robot", "content": "hi"}, "role 'robot'.*Use one of system, user"),
    ({"content": "hi"}, "role None"),
    ({"role": "user"}, "content of type NoneType"),
    ({"role": "user", "content": [{"video": "x"}]}, "nothing podium knows"),
    ({"role": "user", "content": ["hi"]}, "nothing podium knows"),
    ({"role": "user", "content": [{"text": "a", "image": {}}]}, "exactly one of the keys text"),
    ({"role": "user", "content": [{"text": 7}]}, "no good 'text'"),
    ({"role": "user", "content": [{"image": {"mime_type": "a/b"}}]}, "no good 'image'"),
    ({"role": "user", "content": [{"image": {"base64_image": "?"}}]}, "is not base64"),
    ({"role": "assistant", "content": [{"tool_call": "add"}]}, "no good 'tool_call'"),
    (
        {"role": "assistant", "content": [{"tool_call": {"tool_name": None, "arguments": {}}}]},
        "tool_name is of type NoneType",
    ),
    (
        {
            "role": "assistant",
            "content": [{"tool_call": {"tool_name": "a", "arguments": {}, "id": 7}}],
        },
        "id is of type int",
    ),
    ({"role": "assistant", "content": [{"reasoning": {"reasoning_text": []}}]}, "is of type list"),
    ({"role": "user", "content": "hi", "name": ["Ann"]}, "the name"),
    ({"role": "user", "content": "hi", "meta": [1]}, "the meta"),
    ("hi", "has the role None"),
]


@pytest.mark.parametrize(("data", "about"), NO_MESSAGES)
def test_data_that_is_no_message_is_refused_in_words(data: Any, about: str) -> None:
    with pytest.raises(ValueError, match=about):
        ChatMessage.from_dict(data)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60)
@given(
    text=st.text(),
    arguments=st.dictionaries(st.text(), JSON_VALUES, max_size=4),
    meta=st.dictionaries(st.text(), JSON_VALUES, max_size=4),
)
def test_data_keeps_every_value(text: str, arguments: dict[str, Any], meta: dict[str, Any]) -> None:
    message = ChatMessage.from_assistant(
        text, tool_calls=[ToolCall("add", arguments, "c1")], meta=meta
    )

    assert ChatMessage.from_dict(message.to_dict()) == message
    assert ChatMessage.from_dict(message.to_dict()).role is ChatRole.ASSISTANT


@pytest.mark.parametrize("make", [ChatMessage.from_system, ChatMessage.from_assistant])
def test_text_is_text(make: Any) -> None:
    with pytest.raises(TypeError, match="takes text, and got int"):
        make(3)
