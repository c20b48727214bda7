"""A history that any provider accepts: every tool call answered once, in order, right after it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from podium.agent.messages import ChatMessage, ChatRole, MessagePart
from podium.tools import ToolCall

INTERRUPTED = "This call was not answered: the run was interrupted before its result came."
"""What stands in for the result of a call that nobody answered."""


def with_unique_ids(message: ChatMessage) -> ChatMessage:
    """Return the message with a non-empty id on each tool call, unique within it."""
    seen: set[str] = set()
    parts: list[MessagePart] = []
    changed = False
    for part in message.parts:
        if isinstance(part, ToolCall):
            identity = _free_id(part.id, part.tool_name, seen)
            seen.add(identity)
            if identity != part.id:
                part, changed = replace(part, id=identity), True
        parts.append(part)
    return replace(message, parts=tuple(parts)) if changed else message


def repaired(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return the messages as a history that can be sent; a valid one comes back equal.

    A call without a result gets a stand-in result that says so, results come in call order, and a
    second result for one call or a result without its call is dropped. Nothing else changes.
    """
    sound: list[ChatMessage] = []
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        if message.role is ChatRole.TOOL:
            continue  # a result that follows no call
        if message.role is not ChatRole.ASSISTANT or not message.tool_calls:
            sound.append(message)
            continue
        results: list[ChatMessage] = []
        while position < len(messages) and messages[position].role is ChatRole.TOOL:
            results.append(messages[position])
            position += 1
        named = with_unique_ids(message)
        sound.append(named)
        sound.extend(answered(message.tool_calls, named.tool_calls, results))
    return sound


def answered(
    asked: Sequence[ToolCall],
    calls: Sequence[ToolCall],
    results: Sequence[ChatMessage],
    stand_in: Callable[[ToolCall], ChatMessage] | None = None,
) -> list[ChatMessage]:
    """Return one result for each of `calls`, in order, taken from `results` or standing in.

    `asked` are the same calls with the ids that the results refer to.
    """
    left = list(results)
    chosen: list[ChatMessage] = []
    for before, call in zip(asked, calls, strict=True):
        found = next((result for result in left if _answers(result, before)), None)
        if found is None:
            chosen.append(stand_in(call) if stand_in else not_answered(call))
            continue
        left.remove(found)
        chosen.append(found if before.id == call.id else _readdressed(found, call))
    return chosen


def not_answered(call: ToolCall, why: str = INTERRUPTED) -> ChatMessage:
    """Return the result that stands in for a call that did not run."""
    return ChatMessage.from_tool(why, call, error=True, meta={"stand_in": True})


def open_calls(messages: Sequence[ChatMessage]) -> tuple[list[ToolCall], list[ChatMessage]]:
    """Return the calls of the last assistant message and the results that follow it.

    Other messages may stand between and behind these: hooks and tools may add some.
    """
    results: list[ChatMessage] = []
    for message in reversed(messages):
        if message.role is ChatRole.TOOL:
            results.append(message)
        elif message.role is ChatRole.ASSISTANT:
            return message.tool_calls, results[::-1]
    return [], []


def put_results(messages: list[ChatMessage], results: Sequence[ChatMessage]) -> None:
    """Put the results right behind the last assistant message, in the place of those there are."""
    end = len(messages)
    start = next(at for at in range(end, 0, -1) if messages[at - 1].role is ChatRole.ASSISTANT)
    others = [message for message in messages[start:] if message.role is not ChatRole.TOOL]
    messages[start:] = [*results, *others]


def only_messages(found: object) -> list[ChatMessage]:
    """Return what of a conversation is one: hooks may have put anything in its place."""
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return [message for message in listed if isinstance(message, ChatMessage)]


def _answers(message: ChatMessage, call: ToolCall) -> bool:
    result = message.tool_call_result
    if result is None:
        return False
    if call.id or result.origin.id:
        return result.origin.id == call.id
    return result.origin.tool_name == call.tool_name


def _readdressed(message: ChatMessage, call: ToolCall) -> ChatMessage:
    result = message.tool_call_result
    assert result is not None
    return replace(message, parts=(replace(result, origin=call),))


def _free_id(wanted: str | None, tool_name: str, taken: set[str]) -> str:
    stem = wanted or f"call_{tool_name}"
    if stem not in taken and wanted:
        return stem
    number = len(taken) + 1
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def is_valid(messages: Sequence[ChatMessage]) -> bool:
    """Return whether `repaired` would change nothing."""
    due: deque[str | None] = deque()
    for message in messages:
        if message.role is ChatRole.TOOL:
            result = message.tool_call_result
            if result is None or not due or due.popleft() != result.origin.id:
                return False
        elif due:
            return False
        elif message.role is ChatRole.ASSISTANT:
            due.extend(call.id for call in message.tool_calls)
            if len(set(due)) != len(due) or not all(due):
                return False
    return not due
