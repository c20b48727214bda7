"""Messages and tools as the responses API wants them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from podium.agent.messages import ChatMessage, ReasoningContent
from podium.agent.models._responses.wire import encode_messages, encode_request, encode_tool
from podium.tools import FileContent, ImageContent, TextContent, Tool, ToolCall

SERVER = "api.example"
IMAGE = ImageContent("cGl4ZWxz", "image/png", "low")
FILE = FileContent("JVBERg==", "application/pdf", "a.pdf")
CALL = ToolCall("look", {"at": "a"}, "c1")
THOUGHT: dict[str, Any] = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [],
    "encrypted_content": "sealed",
}
ASKED = {"type": "function_call", "id": "fc_1", "call_id": "c1", "status": "completed"}


def look(at: str = "") -> str:
    return at


def sent(*messages: ChatMessage, server: str = SERVER) -> list[dict[str, Any]]:
    """Return the items as they arrive at the server."""
    encoded = b",".join(encode_messages(messages, server=server))
    items: list[dict[str, Any]] = json.loads(b"[" + encoded + b"]")
    return items


def thoughtful(*output: object, text: str | None = None, server: str = SERVER) -> ChatMessage:
    """Return a message with a call, and with what its provider wants back."""
    reasoning = ReasoningContent("", {"server": server, "output": list(output), "tokens": 9})
    return ChatMessage.from_assistant(text, tool_calls=[CALL], reasoning=reasoning)


def test_a_conversation_is_sent_item_by_item() -> None:
    items = sent(
        ChatMessage.from_system("Be brief."),
        ChatMessage.from_user("Look at a."),
        ChatMessage.from_assistant("I look.", tool_calls=[CALL]),
        ChatMessage.from_tool("a is red", CALL),
        ChatMessage.from_assistant("It is red."),
    )

    assert items == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look at a."},
        {"type": "message", "role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at":"a"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "a is red"},
        {"type": "message", "role": "assistant", "content": "It is red."},
    ]


def test_images_and_files_stand_in_messages_and_in_tool_results() -> None:
    message = ChatMessage.from_user(content_parts=["Look:", IMAGE, FILE])

    items = sent(message, ChatMessage.from_tool([TextContent("Look:"), IMAGE, FILE], CALL))

    shown = [
        {"type": "input_text", "text": "Look:"},
        {
            "type": "input_image",
            "image_url": "data:image/png;base64,cGl4ZWxz",
            "detail": "low",
        },
        {
            "type": "input_file",
            "filename": "a.pdf",
            "file_data": "data:application/pdf;base64,JVBERg==",
        },
    ]
    assert items[0]["content"] == shown
    assert items[1] == {"type": "function_call_output", "call_id": "c1", "output": shown}


def test_an_image_without_a_detail_leaves_it_to_the_provider() -> None:
    message = ChatMessage.from_user(content_parts=[ImageContent("cGl4ZWxz"), FileContent("aGk=")])

    image, file = sent(message)[0]["content"]
    assert image["detail"] == "auto"
    assert file["filename"] == "file"


@pytest.mark.parametrize("message", [ChatMessage.from_assistant(), ChatMessage.from_assistant("")])
def test_a_message_that_says_nothing_is_left_out(message: ChatMessage) -> None:
    assert sent(ChatMessage.from_user("Hi"), message) == [{"role": "user", "content": "Hi"}]


def test_a_refusal_goes_back_as_what_the_model_said() -> None:
    message = ChatMessage.from_assistant(meta={"refusal": "I can't."})

    assert sent(message) == [{"type": "message", "role": "assistant", "content": "I can't."}]


def test_a_call_without_an_id_gets_the_same_one_as_its_result() -> None:
    call = ToolCall("look at!", {"at": "a"}, problem="no JSON")

    asked, answered = sent(
        ChatMessage.from_assistant(tool_calls=[call]), ChatMessage.from_tool("red", call)
    )

    assert asked["call_id"] == answered["call_id"]
    assert (asked["name"], asked["arguments"]) == ("look_at_", "{}")


def test_reasoning_goes_back_as_it_came_before_the_call_it_led_to() -> None:
    items = sent(thoughtful(THOUGHT, ASKED), ChatMessage.from_tool("red", CALL))

    call = {**ASKED, "name": "look", "arguments": '{"at":"a"}'}
    assert items[:2] == [THOUGHT, call]


def test_a_message_between_two_thoughts_stays_there() -> None:
    said = {"type": "message", "id": "msg_1", "status": "completed", "phase": "commentary"}
    later = {**THOUGHT, "id": "rs_2"}

    items = sent(thoughtful(THOUGHT, said, later, ASKED, text="I look."))

    assert [item["id"] for item in items] == ["rs_1", "msg_1", "rs_2", "fc_1"]
    assert items[1] == {
        **said,
        "role": "assistant",
        "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
    }


def test_several_messages_of_one_answer_go_back_as_they_came() -> None:
    first, second = (
        {"type": "message", "id": text, "content": [{"type": "output_text", "text": text}]}
        for text in ("One.", "Two.")
    )

    items = sent(thoughtful(first, second, ASKED, text="One.\n\nTwo."))

    assert items[:2] == [first, second]
    assert items[2]["id"] == "fc_1"


def test_an_edited_text_goes_back_as_it_is_now() -> None:
    first, second = (
        {"type": "message", "id": text, "content": [{"type": "output_text", "text": text}]}
        for text in ("One.", "Two.")
    )

    items = sent(thoughtful(THOUGHT, first, second, ASKED, text="Redacted."))

    texts = [item["content"][0]["text"] for item in items if item.get("type") == "message"]
    assert texts == ["Redacted."]


def test_no_other_server_gets_reasoning_it_cannot_read() -> None:
    items = sent(thoughtful(THOUGHT, ASKED), server="other.example")

    assert [item["type"] for item in items] == ["function_call"]
    assert "id" not in items[0]


def test_reasoning_that_nothing_follows_any_more_is_left_out() -> None:
    reasoning = ReasoningContent("", {"server": SERVER, "output": [THOUGHT, ASKED]})

    assert sent(ChatMessage.from_assistant(reasoning=reasoning)) == []


def test_a_call_whose_id_was_changed_goes_without_the_providers_own() -> None:
    renamed = {**ASKED, "call_id": "another"}

    items = sent(thoughtful(THOUGHT, renamed))

    assert items[0] == THOUGHT
    assert items[1]["call_id"] == "c1"
    assert "id" not in items[1]


def test_items_podium_does_not_know_go_back_too() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}

    assert sent(thoughtful(search, ASKED))[0] == search


@pytest.mark.parametrize(
    ("parameters", "strict", "is_strict"),
    [
        ({"type": "object", "properties": {"at": {"type": "string"}}}, True, True),
        ({"type": "object", "properties": {"at": {}}}, True, False),
        ({"type": "object", "properties": {"at": {"type": "string"}}}, False, False),
    ],
)
def test_a_tool_always_says_whether_it_is_strict(
    parameters: dict[str, Any], strict: bool, is_strict: bool
) -> None:
    tool = Tool("look", "Look at it.", parameters, look)

    data = json.loads(encode_tool(tool, strict=strict))

    assert (data["type"], data["name"], data["description"]) == ("function", "look", "Look at it.")
    assert data["strict"] is is_strict
    assert data["parameters"].get("additionalProperties", True) is not is_strict


def test_a_request_without_tools_has_no_list_of_them() -> None:
    body = encode_request({"model": "m"}, [], [ChatMessage.from_user("Hi")], server=SERVER)

    assert json.loads(body) == {"model": "m", "input": [{"role": "user", "content": "Hi"}]}


def test_a_message_is_encoded_once_for_each_server() -> None:
    message = ChatMessage.from_user("Hi")

    first, second = (encode_messages([message], server=SERVER)[0] for _ in range(2))

    assert first is second
