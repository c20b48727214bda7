"""Messages and tools as responses requests; a message becomes bytes once and keeps them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, cast

from podium.agent.messages import ChatMessage, ChatRole, MessagePart
from podium.agent.models._openai.json_text import encode
from podium.agent.models._openai.strict_schema import closed_schema
from podium.agent.models._openai.wire import call_id, data_url, sendable_arguments, sendable_name
from podium.agent.models._responses.items import Item, with_carried
from podium.tools import (
    ContentPart,
    FileContent,
    ImageContent,
    TextContent,
    Tool,
    ToolCall,
    ToolCallResult,
)


def encode_request(
    parameters: Mapping[str, Any],
    tools: Sequence[bytes],
    messages: Sequence[ChatMessage],
    *,
    server: str,
) -> bytes:
    """Return the body of a request; `parameters` holds the model and everything but these two."""
    pieces = [encode(parameters)[:-1]]
    if tools:
        pieces += [b',"tools":[', b",".join(tools), b"]"]
    pieces += [b',"input":[', b",".join(encode_messages(messages, server=server)), b"]}"]
    return b"".join(pieces)


def encode_messages(messages: Sequence[ChatMessage], *, server: str) -> list[bytes]:
    """Return the messages encoded, in order; one that says nothing is left out.

    What only `server` can read, such as reasoning items, goes back to no other.
    """
    encode_one = functools.partial(_encode_message, server=server)
    return [
        form for form in ChatMessage.wire_forms(messages, f"responses.{server}", encode_one) if form
    ]


def encode_tool(tool: Tool, *, strict: bool = False) -> bytes:
    """Return a tool's definition; a schema that cannot be strict is sent as it is.

    `strict` is always said, since the API would take it for true.
    """
    closed = closed_schema(tool.parameters) if strict else None
    return encode(
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters if closed is None else closed,
            "strict": closed is not None,
        }
    )


def message_to_items(message: ChatMessage, *, server: str) -> list[Item]:
    """Return the message as the API's items: none, one, or one for each call or result."""
    match message.role:
        case ChatRole.TOOL:
            return [_result(result) for result in message.tool_call_results]
        case ChatRole.ASSISTANT:
            return _assistant(message, server)
        case ChatRole.USER:
            return [{"role": "user", "content": _content(message.parts)}]
        case ChatRole.SYSTEM:
            return [{"role": "system", "content": message.text or ""}]


def _encode_message(message: ChatMessage, *, server: str) -> bytes:
    return b",".join(map(encode, message_to_items(message, server=server)))


def _assistant(message: ChatMessage, server: str) -> list[Item]:
    calls = message.tool_calls
    text = message.text
    if not text and not calls:
        text = str(message.meta.get("refusal") or "")  # what the model said in the text's place
    # The type is needed by compatible servers, which take a message without it for a user's.
    said: list[Item] = [{"type": "message", "role": "assistant", "content": text}] if text else []
    said += [_call(call) for call in calls]
    reasoning = message.reasoning
    if reasoning is None or reasoning.extra.get("server") != server:
        return said
    return with_carried(reasoning.extra, said, text)


def _call(call: ToolCall) -> Item:
    return {
        "type": "function_call",
        "call_id": call_id(call),
        "name": sendable_name(call),
        "arguments": sendable_arguments(call),
    }


def _result(result: ToolCallResult) -> Item:
    output = result.result
    return {
        "type": "function_call_output",
        "call_id": call_id(result.origin),
        "output": output if isinstance(output, str) else [_part(part) for part in output],
    }


def _content(parts: Sequence[MessagePart]) -> str | list[Item]:
    if len(parts) == 1 and isinstance(parts[0], TextContent):
        return parts[0].text  # plain text is what every server takes
    return [_part(cast("ContentPart", part)) for part in parts]


def _part(part: ContentPart) -> Item:
    match part:
        case TextContent():
            return {"type": "input_text", "text": part.text}
        case ImageContent():
            return {
                "type": "input_image",
                "image_url": data_url(part.mime_type, part.base64_image),
                "detail": part.detail or "auto",
            }
        case FileContent():
            return {
                "type": "input_file",
                "filename": part.filename or "file",
                "file_data": data_url(part.mime_type, part.base64_data),
            }
