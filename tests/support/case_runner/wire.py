"""What a provider demands of a history, checked on the messages as they are sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.agent import ChatMessage
from podium.agent.models._openai.wire import message_to_openai

Wire = Sequence[Mapping[str, Any]]


def wire_messages(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Return messages as a provider would get them."""
    return [one for message in messages for one in message_to_openai(message)]


def history_faults(messages: Wire) -> Iterator[str]:
    """Return what is wrong: a call without its one result, results out of order, ids, content."""
    due: list[str] = []
    for position, message in enumerate(messages):
        if "content" not in message:
            yield f"message {position} has no content"
        elif message["content"] is None and not message.get("tool_calls"):
            yield f"message {position} has content null without calls"
        if message["role"] == "tool":
            if not due or due[0] != message["tool_call_id"]:
                yield f"message {position} answers {message['tool_call_id']!r}, due is {due}"
            due = [one for one in due if one != message["tool_call_id"]]
            continue
        if due:
            yield f"message {position} comes before the results of {due}"
        calls: list[Any] = message.get("tool_calls") or []
        due = [call["id"] for call in calls]
        if len(set(due)) != len(due) or not all(due):
            yield f"message {position} has the ids {due}"
    if due:
        yield f"the results of {due} are missing"


def results_of(messages: Wire, turn: int | None) -> list[Mapping[str, Any]]:
    """Return the results of one batch of calls: the given one, or the last."""
    batches: list[list[Mapping[str, Any]]] = []
    for message in messages:
        if message.get("tool_calls"):
            batches.append([])
        elif message["role"] == "tool" and batches:
            batches[-1].append(message)
    if not batches:
        return []
    return batches[-1 if turn is None else turn]
