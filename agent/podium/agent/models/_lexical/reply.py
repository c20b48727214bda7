"""The reply as a message, within its token limit, and as the chunks of a stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from podium.agent.messages import ChatMessage
from podium.agent.models._estimate import call_tokens, estimate_tokens
from podium.agent.streaming import ComponentInfo, StreamingChunk, ToolCallDelta
from podium.tools import ToolCall

_WORDS = re.compile(r"\s*\S+")
_SENDER = ComponentInfo("LexicalChatGenerator")


def build_reply(
    text: str, calls: Sequence[ToolCall], *, limit: int | None, prompt_tokens: int, model: str
) -> ChatMessage:
    """Return the assistant's message of `calls`, or of `text` when there are none.

    Calls that would go beyond `limit` are left out. If none is left, or the text is cut, the
    finish reason is `length`.
    """
    kept = _fitting(calls, limit)
    said = "" if calls else _cut(text, limit)
    written = sum(map(_call_tokens, kept)) if kept else estimate_tokens(said)
    if kept:
        reason = "tool_calls"
    else:
        reason = "length" if calls or said != text else "stop"
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": written,
        "total_tokens": prompt_tokens + written,
    }
    meta = {"model": model, "index": 0, "finish_reason": reason, "usage": usage}
    return ChatMessage.from_assistant(None if kept else said, tool_calls=kept, meta=meta)


def _fitting(calls: Sequence[ToolCall], limit: int | None) -> list[ToolCall]:
    kept: list[ToolCall] = []
    room = limit
    for call in calls:
        if room is not None:
            room -= _call_tokens(call)
            if room < 0:
                break
        kept.append(call)
    return kept


def _call_tokens(call: ToolCall) -> int:
    return call_tokens(call.tool_name, _as_json(call))


def _cut(text: str, limit: int | None) -> str:
    """Return as many whole words of `text` as `limit` tokens allow."""
    if limit is None or estimate_tokens(text) <= limit:
        return text
    room, end = limit, 0
    for word in _WORDS.finditer(text):
        room -= estimate_tokens(word.group())
        if room < 0:
            break
        end = word.end()
    return text[:end]


def _as_json(call: ToolCall) -> str:
    return json.dumps(dict(call.arguments), ensure_ascii=False)


def chunks(reply: ChatMessage) -> Iterator[StreamingChunk]:
    """Yield `reply` word by word, or call by call, then an empty chunk with reason and usage."""
    meta = {"model": reply.meta["model"]}
    text = reply.text or ""
    for number, word in enumerate(_WORDS.findall(text)):
        yield StreamingChunk(word, meta, _SENDER, index=0, start=number == 0)
    for index, call in enumerate(reply.tool_calls):
        delta = ToolCallDelta(index, call.tool_name, _as_json(call), call.id)
        yield StreamingChunk(
            meta=meta, component_info=_SENDER, index=index, tool_calls=(delta,), start=True
        )
    reason = reply.meta["finish_reason"]
    ended = {**meta, "finish_reason": reason, "usage": reply.meta["usage"]}
    yield StreamingChunk(meta=ended, component_info=_SENDER, finish_reason=reason)
