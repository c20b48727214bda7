"""Conversations in the form of chat completions requests, read as messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from podium.agent.messages import ChatMessage, ReasoningContent, UserPart
from podium.agent.models._openai.reply_draft import (
    REASONING_FIELDS,
    as_list,
    as_mapping,
    as_text,
    content_pieces,
    is_unknown_field,
    make_call,
    read_calls,
)
from podium.agent.models._openai.wire import UNNAMED_TOOL
from podium.tools import FileContent, ImageContent, ToolCall, clean_text

_DATA_URL = re.compile(r"data:(?P<mime>[^;,]+)(;[^;,]+)*;base64,(?P<data>.*)", re.DOTALL)


def messages_from_openai(messages: Iterable[Mapping[str, Any]]) -> list[ChatMessage]:
    """Return the messages of a chat completions request, such as `[{"role": "user", ...}]`.

    Results are bound to their calls by id. A result whose call is not there keeps its id and gets
    the name of no tool; whether such a history can be sent is for the agent to say.

    Raises:
        ValueError: a role or a part of a user's message that podium does not know.
    """
    read: list[ChatMessage] = []
    calls: dict[str, ToolCall] = {}
    for data in messages:
        role = data.get("role")
        if role == "assistant":
            read.append(_assistant(data))
            calls.update({call.id: call for call in read[-1].tool_calls if call.id})
        elif role in {"tool", "function"}:
            read.append(_result(data, calls))
        elif role in {"system", "developer"}:
            text = content_pieces(data.get("content"))[0]
            read.append(ChatMessage.from_system(text, name=data.get("name")))
        elif role == "user":
            read.append(_user(data))
        else:
            raise ValueError(
                f"A chat completions message has the role {role!r}. "
                "Use 'system', 'developer', 'user', 'assistant' or 'tool'."
            )
    return read


def _assistant(data: Mapping[str, Any]) -> ChatMessage:
    text, thinking, refusal = content_pieces(data.get("content"))
    meta: dict[str, Any] = {}
    if data.get("refusal") or refusal:
        meta["refusal"] = clean_text(as_text(data.get("refusal")) or refusal)
    extra = {key: value for key, value in data.items() if is_unknown_field(key, value)}
    if extra:
        meta["provider_fields"] = extra
    reasoning = ReasoningContent(clean_text(thinking)) if thinking else None
    for name in REASONING_FIELDS:
        if isinstance(data.get(name), str):
            reasoning = ReasoningContent(clean_text(data[name]), {"field": name})
            break
    return ChatMessage.from_assistant(
        text or None,
        tool_calls=read_calls(data),
        meta=meta,
        name=data.get("name"),
        reasoning=reasoning,
    )


def _result(data: Mapping[str, Any], calls: Mapping[str, ToolCall]) -> ChatMessage:
    identity = as_text(data.get("tool_call_id"))
    origin = calls.get(identity)
    if origin is None:
        origin = make_call(as_text(data.get("name")) or UNNAMED_TOOL, None, identity)
    return ChatMessage.from_tool(content_pieces(data.get("content"))[0], origin)


def _user(data: Mapping[str, Any]) -> ChatMessage:
    content = data.get("content")
    parts = [_user_part(part) for part in as_list(content)]
    if not parts:
        parts = [as_text(content)]
    return ChatMessage.from_user(content_parts=parts, name=data.get("name"))


def _user_part(part: object) -> UserPart:
    if isinstance(part, str):
        return part
    given = as_mapping(part)
    kind = given.get("type")
    if kind in {"text", "input_text"}:
        return as_text(given.get("text"))
    if kind == "image_url":
        image = as_mapping(given.get("image_url"))
        mime, data = _data_url(image.get("url") or given.get("image_url"), "image_url")
        return ImageContent(data, mime, image.get("detail"))
    if kind == "file":
        file = as_mapping(given.get("file"))
        mime, data = _data_url(file.get("file_data"), "file_data")
        return FileContent(data, mime, file.get("filename"))
    raise ValueError(
        f"A user's message has a part of type {kind!r}. Use 'text', 'image_url' or 'file'."
    )


def _data_url(url: object, place: str) -> tuple[str, str]:
    found = _DATA_URL.fullmatch(url) if isinstance(url, str) else None
    if found is None:
        raise ValueError(
            f"{place} is {str(url)[:60]!r}, which is no data URL with base64. "
            "Pass what it points to as 'data:image/png;base64,...'."
        )
    return found["mime"], found["data"]
