"""Messages and tools in the shapes that the GenAI conventions have for them in traces."""

from __future__ import annotations

from collections.abc import Sequence

from podium.agent.messages import ChatMessage, ChatRole, MessagePart
from podium.tools import FileContent, ImageContent, TextContent, Tool, ToolCall, ToolCallResult

Shape = dict[str, object]

MAX_MESSAGES = 50
"""Of a longer conversation the newest are shown: each call sends all of it again."""


def input_messages(messages: Sequence[ChatMessage]) -> list[Shape]:
    """Return what was sent, oldest first, without the system messages."""
    sent = [message for message in messages if message.role is not ChatRole.SYSTEM]
    shown = [_message(message) for message in sent[-MAX_MESSAGES:]]
    left_out = len(sent) - len(shown)
    if left_out:
        said = {"type": "text", "content": f"[{left_out} earlier messages are not shown]"}
        shown.insert(0, {"role": "user", "parts": [said]})
    return shown


def output_messages(replies: Sequence[ChatMessage]) -> list[Shape]:
    """Return what the model answered: a message for each choice."""
    return [
        {**_message(reply), "finish_reason": str(reply.meta.get("finish_reason"))}
        for reply in replies
    ]


def system_instructions(messages: Sequence[ChatMessage]) -> list[Shape]:
    """Return the parts of the system messages."""
    return [
        _part(part)
        for message in messages
        if message.role is ChatRole.SYSTEM
        for part in message.parts
    ]


def tool_definitions(tools: Sequence[Tool]) -> list[Shape]:
    """Return what the model may call."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        }
        for tool in tools
    ]


def _message(message: ChatMessage) -> Shape:
    shape: Shape = {"role": str(message.role), "parts": [_part(part) for part in message.parts]}
    return {**shape, "name": message.name} if message.name else shape


def _part(part: MessagePart) -> Shape:
    match part:
        case TextContent(text):
            return {"type": "text", "content": text}
        case ImageContent():
            return _left_out("image", part.mime_type, part.base64_image)
        case FileContent():
            return _left_out("document", part.mime_type, part.base64_data)
        case ToolCall():
            call = {"id": part.id, "name": part.tool_name, "arguments": part.arguments}
            return {"type": "tool_call", **call}
        case ToolCallResult():
            return {"type": "tool_call_response", "id": part.origin.id, "response": part.text}
        case _:
            return {"type": "reasoning", "content": part.reasoning_text}


def _left_out(modality: str, mime_type: str, base64_data: str) -> Shape:
    """Say that there was data, and how much: its bytes are of no use in a trace."""
    said = f"[{len(base64_data) * 3 // 4:,} bytes are not shown]"
    return {"type": "blob", "modality": modality, "mime_type": mime_type, "content": said}
