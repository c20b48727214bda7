"""What of a reply's output items is kept beside its text and calls, and goes back with them.

A provider that reasons wants its reasoning items back where they stood: `carried_of` takes them
out of an answer, `with_carried` puts them between what the message says by then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.agent.models._openai.reply_draft import as_list, as_mapping, as_text

BETWEEN_MESSAGES = "\n\n"
"""What stands between the texts of several messages of one answer."""
SAID = ("message", "function_call")
"""Items whose content a ChatMessage holds itself."""

Item = Mapping[str, Any]


def carried_of(output: Sequence[Item], *, server: str, reasoning_tokens: int) -> dict[str, Any]:
    """Return what has to be kept of an answer; empty where text and calls say it all.

    `server` is where it has to go back to: nobody else can read it. Of messages and calls it holds
    no content, unless there are several messages.
    """
    messages = [item for item in output if item.get("type") == "message"]
    is_plain = all(item.get("type") in SAID and not item.get("phase") for item in output)
    if is_plain and len(messages) < 2:
        return {}
    without = {"content"} if len(messages) < 2 else set[str]()
    kept = [
        {key: value for key, value in item.items() if key not in without}
        if item.get("type") == "message"
        else _without_content(item)
        for item in output
    ]
    return {"server": server, "output": kept, "tokens": reasoning_tokens}


def with_carried(carried: Mapping[str, Any], said: Sequence[Item], text: str | None) -> list[Item]:
    """Return the items of a message with those that came beside them, in their old order.

    Items that were taken out of the message since, or changed their id, are no longer matched; a
    reasoning item that nothing follows any more is left out, since the API refuses it.
    """
    kept = [as_mapping(item) for item in as_list(carried.get("output"))]
    waiting = list(said)
    whole = [item for item in kept if item.get("type") == "message" and item.get("content")]
    is_whole = bool(whole) and BETWEEN_MESSAGES.join(map(message_text, whole)) == text
    if is_whole:
        waiting = [item for item in waiting if item.get("type") == "function_call"]
    items: list[Item] = []
    for item in kept:
        if item.get("type") not in SAID or (is_whole and item.get("type") == "message"):
            items.append(item)
            continue
        match = next((each for each in waiting if _are_same(each, item)), None)
        if match is not None:
            waiting.remove(match)
            items.append(_as_output({**item, **match}))
    items += waiting
    while items and items[-1].get("type") == "reasoning":
        items.pop()
    return items


def message_text(item: Item) -> str:
    """Return the text of a message item."""
    parts = map(as_mapping, as_list(item.get("content")))
    return "".join(as_text(part.get("text")) for part in parts if part.get("type") != "refusal")


def _without_content(item: Item) -> Item:
    if item.get("type") != "function_call":
        return item
    return {key: value for key, value in item.items() if key not in {"name", "arguments"}}


def _are_same(said: Item, kept: Item) -> bool:
    if kept.get("type") == "function_call":
        return said.get("call_id") == kept.get("call_id")
    return said.get("role") == "assistant"


def _as_output(item: dict[str, Any]) -> Item:
    """Return a message in the form of an output, which one with an id must have."""
    content = item.get("content")
    if item.get("type") == "message" and isinstance(content, str):
        item["content"] = [{"type": "output_text", "text": content, "annotations": []}]
    return item
