"""Messages as plain data and back: the dict form that is stored and sent between processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from podium.agent.messages import ChatMessage, ChatRole, MessagePart, ReasoningContent
from podium.tools import (
    ContentPart,
    FileContent,
    ImageContent,
    TextContent,
    ToolCall,
    ToolCallResult,
)

PART_KEYS = ("text", "image", "file", "tool_call", "tool_call_result", "reasoning")
"""The keys that say what a part of a message is; each part has exactly one."""


def to_dict(message: ChatMessage) -> dict[str, Any]:
    """Return the message as `{"role", "meta", "name", "content": [part, ...]}`."""
    return {
        "role": str(message.role),
        "meta": _plain(message.meta),
        "name": message.name,
        "content": [_part_to_dict(part) for part in message.parts],
    }


def from_dict(data: Mapping[str, Any]) -> ChatMessage:
    """Return the message; `content` may also be plain text.

    Raises:
        ValueError: no known role, or a part that is unknown or incomplete.
    """
    data = _fields(data)
    role = data.get("role")
    if role not in list(ChatRole):
        raise ValueError(
            f"A message has the role {role!r}, which is none. Use one of {', '.join(ChatRole)}."
        )
    content = data.get("content")
    if isinstance(content, str):
        content = [{"text": content}]
    if not isinstance(content, Sequence):
        raise ValueError(
            f"A message of role {role!r} has content of type {type(content).__name__}. "
            "Give text or a list of parts, such as [{'text': 'Hello'}]."
        )
    parts = tuple(_part_from(part) for part in cast("Sequence[object]", content))
    meta: object = data.get("meta") or {}
    name = data.get("name")
    if not isinstance(meta, Mapping) or not isinstance(name, str | None):
        raise ValueError(
            f"A message of role {role!r} has the meta {meta!r:.40} and the name {name!r:.40}. "
            "Give a dict and a text, or leave them out."
        )
    return ChatMessage(ChatRole(role), parts, dict(cast("Mapping[str, Any]", meta)), name)


def _part_to_dict(part: MessagePart) -> dict[str, Any]:
    match part:
        case TextContent():
            return {"text": part.text}
        case ImageContent():
            image = {"base64_image": part.base64_image, "mime_type": part.mime_type}
            return {"image": {**image, "detail": part.detail, "meta": _plain(part.meta)}}
        case FileContent():
            file = {"base64_data": part.base64_data, "mime_type": part.mime_type}
            return {"file": {**file, "filename": part.filename}}
        case ToolCall():
            return {"tool_call": _call_to_dict(part)}
        case ToolCallResult():
            result = part.result
            shown = result if isinstance(result, str) else [_part_to_dict(one) for one in result]
            origin = _call_to_dict(part.origin)
            return {"tool_call_result": {"result": shown, "origin": origin, "error": part.error}}
        case ReasoningContent():
            text, extra = part.reasoning_text, _plain(part.extra)
            return {"reasoning": {"reasoning_text": text, "extra": extra}}


def _call_to_dict(call: ToolCall) -> dict[str, Any]:
    data: dict[str, Any] = {
        "tool_name": call.tool_name,
        "arguments": _plain(call.arguments),
        "id": call.id,
        "extra": _plain(call.extra),
    }
    return data if call.problem is None else {**data, "problem": call.problem}


def _part_from(data: object) -> MessagePart:
    fields = _fields(data)
    kinds = [key for key in PART_KEYS if key in fields]
    if len(kinds) != 1:
        raise ValueError(
            f"A part of a message is {str(data)[:80]!r}, which is nothing podium knows. "
            f"Give each part exactly one of the keys {', '.join(PART_KEYS)}."
        )
    kind = kinds[0]
    try:
        return _READERS[kind](fields[kind])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"A part of a message holds no good {kind!r}: {type(error).__name__} {error}. "
            "Give it the fields that ChatMessage.to_dict() writes."
        ) from error


def _fields(data: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", data) if isinstance(data, Mapping) else {}


def _text_from(value: Any) -> TextContent:
    return TextContent(_text(value, "text"))


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"its {field} is of type {type(value).__name__}")
    return value


def _image_from(value: Any) -> ImageContent:
    mime_type = value.get("mime_type") or "image/png"
    meta = dict(value.get("meta") or {})
    return ImageContent(value["base64_image"], mime_type, value.get("detail"), meta)


def _file_from(value: Any) -> FileContent:
    mime_type = value.get("mime_type") or "application/octet-stream"
    return FileContent(value["base64_data"], mime_type, value.get("filename"))


def _call_from(value: Any) -> ToolCall:
    extra, identity, problem = value.get("extra"), value.get("id"), value.get("problem")
    return ToolCall(
        _text(value["tool_name"], "tool_name"),
        dict(value["arguments"] or {}),
        None if identity is None else _text(identity, "id"),
        None if problem is None else _text(problem, "problem"),
        None if extra is None else dict(extra),
    )


def _result_from(value: Any) -> ToolCallResult:
    result = value["result"]
    if not isinstance(result, str):
        result = tuple(cast("ContentPart", _part_from(part)) for part in result)
    return ToolCallResult(result, _call_from(value["origin"]), bool(value.get("error", False)))


def _reasoning_from(value: Any) -> ReasoningContent:
    text = _text(value["reasoning_text"], "reasoning_text")
    return ReasoningContent(text, dict(value.get("extra") or {}))


_READERS: Mapping[str, Callable[[Any], MessagePart]] = {
    "text": _text_from,
    "image": _image_from,
    "file": _file_from,
    "tool_call": _call_from,
    "tool_call_result": _result_from,
    "reasoning": _reasoning_from,
}


def _plain(value: Any) -> Any:
    """Return dicts and lists copied all the way down, so that the data is the receiver's own."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    return value
