"""What a request and its reply cost in tokens, and replies cut to an output limit.

The counts are those of podium's own estimator, so that a test can foretell them:
`estimate_prompt_tokens(messages, tools)` is the `prompt_tokens` of the same request.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from podium.agent.messages import ChatMessage, MessagePart, ReasoningContent
from podium.agent.models._estimate import (
    IMAGE_TOKENS,
    LOW_DETAIL_IMAGE_TOKENS,
    MESSAGE_OVERHEAD,
    estimate_tokens,
    part_tokens,
    schema_tokens,
)
from podium.tools import TextContent

_TEXTS = ("reasoning_content", "reasoning", "content", "refusal")
_KEPT_COUNTS = 4096


class Meter:
    """Counts tokens, remembering the texts it has seen: a history comes again with each step."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._count = functools.lru_cache(maxsize=_KEPT_COUNTS)(estimate_tokens)

    def prompt(self, body: Mapping[str, Any]) -> int:
        """Return the tokens of a request: its messages and its tools."""
        messages: Sequence[Mapping[str, Any]] = body["messages"]
        tools: Sequence[Mapping[str, Any]] = body.get("tools") or ()
        return sum(MESSAGE_OVERHEAD + self.reply(message) for message in messages) + sum(
            map(schema_tokens, tools)
        )

    def reply(self, message: Mapping[str, Any]) -> int:
        """Return the tokens of a message without its frame."""
        texts = [message[key] for key in _TEXTS if key in message]
        return sum(map(self._content, texts)) + sum(
            map(self._call, message.get("tool_calls") or ())
        )

    def cut(self, message: Mapping[str, Any], limit: int) -> Mapping[str, Any]:
        """Return as much of a reply as fits in `limit` tokens: the same object when all does.

        What is cut off first is the end of the last tool call's arguments, as with a real model.
        """
        if self.reply(message) <= limit:
            return message
        kept, left = dict(message), limit
        for key in _TEXTS:
            if isinstance(text := kept.get(key), str):
                kept[key] = longest_prefix(text, left)
                left -= self._content(kept[key])
        calls: list[Mapping[str, Any]] = []
        for call in message.get("tool_calls") or ():
            calls += _cut_call(call, left)
            left -= self._call(call)
        kept["tool_calls"] = calls
        if not calls:
            del kept["tool_calls"]
        return kept

    def _content(self, content: object) -> int:
        if isinstance(content, str):
            return self._count(content)
        if isinstance(content, list):
            return sum(map(self._part, cast("list[Mapping[str, Any]]", content)))
        return 0

    def _part(self, part: Mapping[str, Any]) -> int:
        match part:
            case {"image_url": {"detail": "low"}}:
                return LOW_DETAIL_IMAGE_TOKENS
            case {"image_url": _}:
                return IMAGE_TOKENS
            case {"file": {"file_data": str() as data}}:
                return len(data.rpartition(",")[2]) // 4
            case _:
                return self._content(part.get("text"))

    def _call(self, call: Mapping[str, Any]) -> int:
        name, arguments = _call_texts(call)
        return MESSAGE_OVERHEAD + self._count(name) + self._count(arguments)


def _call_texts(call: Mapping[str, Any]) -> tuple[str, str]:
    function: Mapping[str, Any] = call.get("function") or {}
    return str(function.get("name") or ""), str(function.get("arguments") or "")


def _cut_call(call: Mapping[str, Any], limit: int) -> list[Mapping[str, Any]]:
    """Return the call with as much of its arguments as fits, or nothing if not even its name."""
    name, arguments = _call_texts(call)
    left = limit - MESSAGE_OVERHEAD - estimate_tokens(name)
    if left < 0:
        return []
    kept = longest_prefix(arguments, left)
    if kept == arguments:
        return [call]
    return [{**call, "function": {**call["function"], "arguments": kept}}]


def longest_prefix(text: str, limit: int) -> str:
    """Return as much of the start of `text` as fits in `limit` tokens."""
    lengths = range(1, len(text) + 1)
    return text[: bisect_right(lengths, limit, key=lambda length: estimate_tokens(text[:length]))]


def cut_message(message: ChatMessage, limit: int) -> ChatMessage:
    """Return as much of a reply as fits in `limit` tokens: the same object when all does.

    Thinking comes first, then text, then the tool calls that fit whole.
    """
    kept: list[MessagePart] = []
    for part in message.parts:
        size = part_tokens(part)
        if size > limit:
            kept += _start_of(part, limit)
            return replace(message, parts=tuple(kept))
        kept.append(part)
        limit -= size
    return message


def _start_of(part: MessagePart, limit: int) -> list[MessagePart]:
    match part:
        case TextContent(text):
            return [TextContent(longest_prefix(text, limit))]
        case ReasoningContent(text):
            return [replace(part, reasoning_text=longest_prefix(text, limit))]
        case _:
            return []
