"""Messages and tools as chat completions requests: one function for each thing that is sent.

A message becomes bytes once and keeps them (`ChatMessage.wire_form`); a request joins them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from podium.agent.messages import ChatMessage, ChatRole, MessagePart
from podium.agent.models._openai.json_text import encode
from podium.agent.models._openai.strict_schema import closed_schema
from podium.tools import (
    ContentPart,
    FileContent,
    ImageContent,
    TextContent,
    Tool,
    ToolCall,
    ToolCallResult,
)

UNNAMED_TOOL = "unnamed_tool"
"""The name of a call that came without one: no tool has it, so it is answered with an error."""

_NO_TOOL_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_NO_SPEAKER_NAME = re.compile(r"[\s<|\\/>]")


def encode_request(
    parameters: Mapping[str, Any], tools: Sequence[bytes], messages: Sequence[ChatMessage]
) -> bytes:
    """Return the body of a request; `parameters` holds the model and everything but these two.

    An empty list of tools is left out, since some servers refuse it.
    """
    pieces = [encode(parameters)[:-1]]
    if tools:
        pieces += [b',"tools":[', b",".join(tools), b"]"]
    pieces += [b',"messages":[', b",".join(encode_messages(messages)), b"]}"]
    return b"".join(pieces)


def encode_messages(messages: Sequence[ChatMessage]) -> list[bytes]:
    """Return the messages encoded, in order.

    Images and files in tool results cannot stand in a tool's message: one user message after each
    batch of results brings them.
    """
    forms = ChatMessage.wire_forms(messages, "chat", _encode_message)
    attachments = ChatMessage.wire_forms(messages, "chat.attachments", _encode_attachments)
    if not any(attachments):
        return forms
    encoded: list[bytes] = []
    waiting: list[bytes] = []
    for message, form, attached in zip(messages, forms, attachments, strict=True):
        if waiting and message.role is not ChatRole.TOOL:
            encoded.append(_attachments_message(waiting))
            waiting = []
        encoded.append(form)
        if attached:
            waiting.append(attached)
    if waiting:
        encoded.append(_attachments_message(waiting))
    return encoded


def encode_tool(tool: Tool, *, strict: bool = False) -> bytes:
    """Return a tool's definition; a schema that cannot be strict is sent as it is."""
    function: dict[str, Any] = {"name": tool.name, "description": tool.description}
    closed = closed_schema(tool.parameters) if strict else None
    if closed is None:
        function["parameters"] = tool.parameters
    else:
        function |= {"parameters": closed, "strict": True}
    return encode({"type": "function", "function": function})


def message_to_openai(message: ChatMessage) -> list[dict[str, Any]]:
    """Return the message as the API's dicts: one, or one for each result of a tool's message."""
    match message.role:
        case ChatRole.TOOL:
            return [_tool_result(result) for result in message.tool_call_results]
        case ChatRole.ASSISTANT:
            data = _assistant(message)
        case ChatRole.USER:
            data = {"role": "user", "content": _user_content(message.parts)}
        case ChatRole.SYSTEM:
            data = {"role": "system", "content": message.text or ""}
    if message.name:
        data["name"] = _NO_SPEAKER_NAME.sub("_", message.name)[:64]
    return [data]


def call_id(call: ToolCall) -> str:
    """Return the call's id, or one made from what it asks, the same for the call and its result."""
    if call.id:
        return call.id
    asked = encode([call.tool_name, call.arguments])
    return f"call_{hashlib.sha256(asked).hexdigest()[:16]}"


def sendable_name(call: ToolCall) -> str:
    """Return the name of a call's tool, as much of it as the API takes."""
    return _NO_TOOL_NAME.sub("_", call.tool_name)[:64] or UNNAMED_TOOL


def sendable_arguments(call: ToolCall) -> str:
    """Return a call's arguments as JSON text.

    Those that could not be read are not sent back: servers that parse them would fail.
    """
    return "{}" if call.problem else encode(call.arguments).decode()


def data_url(mime_type: str, base64_data: str) -> str:
    """Return what stands for data in the place of an address."""
    return f"data:{mime_type};base64,{base64_data}"


def _encode_message(message: ChatMessage) -> bytes:
    return b",".join(map(encode, message_to_openai(message)))


def _assistant(message: ChatMessage) -> dict[str, Any]:
    calls, text, reasoning = message.tool_calls, message.text, message.reasoning
    if text is None and not calls:
        # No content at all is refused by the API; a refusal is what the model said in its place.
        text = str(message.meta.get("refusal") or "")
    data: dict[str, Any] = {"role": "assistant", "content": text}
    if reasoning is not None and reasoning.extra.get("field"):
        data[reasoning.extra["field"]] = reasoning.reasoning_text
    fields: Mapping[str, Any] = message.meta.get("provider_fields") or {}
    data = {**fields, **data}
    if calls:
        data["tool_calls"] = [_tool_call(call) for call in calls]
    return data


def _tool_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": sendable_name(call), "arguments": sendable_arguments(call)}
    return {**(call.extra or {}), "id": call_id(call), "type": "function", "function": function}


def _tool_result(result: ToolCallResult) -> dict[str, Any]:
    text = result.result
    if not isinstance(text, str):
        shown: list[str] = []
        for number, part in enumerate(text, 1):
            if isinstance(part, TextContent):
                shown.append(part.text)
            else:
                shown.append(f"[{_label(result, number, part)}: see the user message below]")
        text = "\n".join(shown)
    return {"role": "tool", "tool_call_id": call_id(result.origin), "content": text}


def _encode_attachments(message: ChatMessage) -> bytes:
    parts: list[bytes] = []
    for result in message.tool_call_results:
        if isinstance(result.result, str):
            continue
        for number, part in enumerate(result.result, 1):
            if not isinstance(part, TextContent):
                label = f"[{_label(result, number, part)}]"
                parts += [encode({"type": "text", "text": label}), encode(_user_part(part))]
    return b",".join(parts)


def _attachments_message(attachments: Sequence[bytes]) -> bytes:
    return b'{"role":"user","content":[' + b",".join(attachments) + b"]}"


def _label(result: ToolCallResult, number: int, part: ImageContent | FileContent) -> str:
    return f"part {number} of the result of {call_id(result.origin)}, {part.mime_type}"


def _user_content(parts: Sequence[MessagePart]) -> str | list[dict[str, Any]]:
    if len(parts) == 1 and isinstance(parts[0], TextContent):
        return parts[0].text  # plain text is what every server takes
    return [_user_part(cast("ContentPart", part)) for part in parts]


def _user_part(part: ContentPart) -> dict[str, Any]:
    match part:
        case TextContent():
            return {"type": "text", "text": part.text}
        case ImageContent():
            image = {"url": data_url(part.mime_type, part.base64_image)}
            if part.detail is not None:
                image["detail"] = part.detail
            return {"type": "image_url", "image_url": image}
        case FileContent():
            data = data_url(part.mime_type, part.base64_data)
            return {
                "type": "file",
                "file": {"filename": part.filename or "file", "file_data": data},
            }
