"""Conversations in the API's form, read as messages."""

from __future__ import annotations

from typing import Any

import pytest

import podium.agent.models
from podium.agent.messages import ChatMessage, ReasoningContent
from podium.agent.models import messages_from_openai
from podium.agent.models._openai.wire import message_to_openai
from podium.tools import FileContent, ImageContent, TextContent, ToolCall

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":"a"}'}}


def test_a_conversation_is_read_and_results_find_their_calls() -> None:
    messages = messages_from_openai(
        [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "Look.", "name": "ann"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "red"}]},
            {"role": "assistant", "content": "It is red."},
        ]
    )

    call = ToolCall("look", {"at": "a"}, "c1")
    assert messages == [
        ChatMessage.from_system("Be brief."),
        ChatMessage.from_user("Look.", name="ann"),
        ChatMessage.from_assistant(tool_calls=[call]),
        ChatMessage.from_tool("red", call),
        ChatMessage.from_assistant("It is red."),
    ]


def test_a_result_without_its_call_keeps_its_id() -> None:
    messages = messages_from_openai([{"role": "tool", "tool_call_id": "c9", "content": "red"}])

    result = messages[0].tool_call_results[0]
    assert (result.origin.id, result.origin.tool_name) == ("c9", "unnamed_tool")


def test_a_user_may_send_images_and_files() -> None:
    image = {"url": "data:image/jpeg;base64,cGl4", "detail": "high"}
    file = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}

    messages = messages_from_openai(
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Look:"},
                    {"type": "image_url", "image_url": image},
                    {"type": "file", "file": file},
                ],
            }
        ]
    )

    assert messages[0].parts == (
        TextContent("Look:"),
        ImageContent("cGl4", "image/jpeg", "high"),
        FileContent("JVBERg==", "application/pdf", "a.pdf"),
    )


def test_what_a_provider_wants_back_is_kept() -> None:
    data = {"role": "assistant", "content": "Red.", "reasoning": "Hm.", "reasoning_details": [1]}

    message = messages_from_openai([data])[0]

    assert message.reasoning == ReasoningContent("Hm.", {"field": "reasoning"})
    assert message_to_openai(message) == [data]


def test_a_refusal_is_kept_apart_from_the_text() -> None:
    message = messages_from_openai([{"role": "assistant", "content": None, "refusal": "No."}])[0]

    assert message.text is None
    assert message.meta == {"refusal": "No."}


def test_a_part_may_be_plain_text() -> None:
    assert messages_from_openai([{"role": "user", "content": ["Hi"]}])[0].text == "Hi"


def test_what_is_loaded_late_is_listed_all_the_same() -> None:
    assert "messages_from_openai" in dir(podium.agent.models)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        podium.agent.models.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ({"role": "robot"}, "role 'robot'.*Use 'system'"),
        ({"role": "user", "content": [{"type": "input_audio"}]}, "part of type 'input_audio'"),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x"}}]},
            "no data URL",
        ),
    ],
)
def test_what_podium_has_no_form_for_is_refused(message: dict[str, Any], about: str) -> None:
    with pytest.raises(ValueError, match=about):
        messages_from_openai([message])
