"""Requests to the responses API: whether the API would take them, and what they say as a chat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, cast

Json = Mapping[str, Any]

_NOTHING: Json = {}
_CONTENT_TYPES = frozenset({"input_text", "input_image", "input_file", "output_text", "refusal"})
_ROLES = frozenset({"user", "assistant", "system", "developer"})


def check_input(items: Iterable[Json]) -> None:
    """Check the items of a request as the API does.

    Raises:
        ValueError: one is of no known form, a call has no output or an output no call, an id comes
            twice, or reasoning is not followed by what it led to.
    """
    listed = list(items)
    for place, item in enumerate(listed):
        _check_item(item, place)
    _check_pairs(listed)
    for item, following in zip_longest(listed, listed[1:], fillvalue=_NOTHING):
        if item.get("type") == "reasoning" and not _is_of_assistant(following):
            raise ValueError(
                f"Item {item.get('id')!r} of type 'reasoning' was provided without its required "
                "following item. Send what it led to behind it, or leave it out."
            )


def as_chat(body: Json) -> dict[str, Any]:
    """Return the request in the words of chat completions, for routes, counts and limits."""
    chat: dict[str, Any] = {
        "model": body.get("model"),
        "messages": _as_messages(_items(body.get("input"))),
        "tools": [_as_chat_tool(tool) for tool in body.get("tools") or ()],
        "max_tokens": body.get("max_output_tokens"),
    }
    if body.get("instructions"):
        chat["messages"].insert(0, {"role": "system", "content": body["instructions"]})
    return chat


def read_items(body: Json) -> list[Json]:
    """Return the items of a request that the API would take.

    Raises:
        ValueError: it would not.
    """
    given: object = body.get("input")
    if not isinstance(given, str) and not (
        isinstance(given, list)
        and all(isinstance(item, dict) for item in cast("list[object]", given))
    ):
        raise ValueError("The body has no input. Send 'input': 'text' or a list of items.")
    items = _items(given)
    if not body.get("previous_response_id"):  # else the calls may be in what the server has kept
        check_input(items)
    return items


def _items(given: Any) -> list[Json]:
    return [{"role": "user", "content": given}] if isinstance(given, str) else list(given or ())


def _check_pairs(items: Sequence[Json]) -> None:
    open_calls: set[str] = set()
    known: set[str] = set()
    for item in items:
        identity = str(item.get("call_id"))
        if item.get("type") == "function_call":
            if identity in known:
                raise ValueError(f"Duplicate function call with call_id {identity!r}.")
            known.add(identity)
            open_calls.add(identity)
        elif item.get("type") == "function_call_output":
            if identity not in open_calls:
                raise ValueError(f"No tool call found for function call output {identity!r}.")
            open_calls.remove(identity)
    if open_calls:
        raise ValueError(f"No tool output found for function calls {sorted(open_calls)}.")


def _check_item(item: Json, place: int) -> None:
    kind = item.get("type", "message")
    where = f"input[{place}]"
    if kind == "message":
        if item.get("role") not in _ROLES:
            raise ValueError(f"{where} has the role {item.get('role')!r}. Use {sorted(_ROLES)}.")
        _check_content(item.get("content"), where)
    elif kind == "function_call":
        _check_texts(item, ("call_id", "name", "arguments"), where)
    elif kind == "function_call_output":
        _check_texts(item, ("call_id",), where)
        _check_content(item.get("output"), where)
    elif kind == "reasoning" and not isinstance(item.get("summary"), list):
        raise ValueError(f"{where} is reasoning without a summary. Send it as it came.")


def _check_texts(item: Json, keys: Sequence[str], where: str) -> None:
    for key in keys:
        if not isinstance(item.get(key), str):
            raise ValueError(f"{where} has {key}={item.get(key)!r}. Send text for {key!r}.")


def _check_content(content: object, where: str) -> None:
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        raise ValueError(f"{where} has the content {content!r:.40}. Send text or a list of parts.")
    for part in cast("list[Json]", content):
        if part.get("type") not in _CONTENT_TYPES:
            raise ValueError(
                f"{where} has a part of type {part.get('type')!r}. Use {sorted(_CONTENT_TYPES)}."
            )
        if part["type"] == "input_image" and not isinstance(part.get("image_url"), str):
            raise ValueError(f"{where} has an image without image_url. Send a data URL as text.")


def _is_of_assistant(item: Json) -> bool:
    return item.get("type") in {"reasoning", "function_call"} or item.get("role") == "assistant"


def _as_messages(items: Iterable[Json]) -> list[dict[str, Any]]:
    """Return the messages; what an assistant says in several items is one."""
    messages: list[dict[str, Any]] = []
    for item in items:
        if not _is_of_assistant(item):
            messages += _as_message(item)
            continue
        if not messages or messages[-1]["role"] != "assistant":
            messages.append({"role": "assistant", "content": None})
        _add_to_assistant(messages[-1], item)
    return messages


def _as_message(item: Json) -> list[dict[str, Any]]:
    if item.get("type") == "function_call_output":
        content = _as_chat_content(item.get("output"))
        return [{"role": "tool", "tool_call_id": item["call_id"], "content": content}]
    if "role" in item:
        return [{"role": item["role"], "content": _as_chat_content(item.get("content"))}]
    return []


def _add_to_assistant(message: dict[str, Any], item: Json) -> None:
    match item.get("type", "message"):
        case "reasoning":
            parts: Iterable[Json] = item.get("content") or item.get("summary") or ()
            thought = "".join(str(part.get("text")) for part in parts)
            message["reasoning_content"] = message.get("reasoning_content", "") + thought
        case "function_call":
            function = {"name": item["name"], "arguments": item["arguments"]}
            call = {"id": item["call_id"], "type": "function", "function": function}
            message.setdefault("tool_calls", []).append(call)
        case _:
            message["content"] = _as_chat_content(item.get("content"))


def _as_chat_content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [_as_chat_part(part) for part in cast("list[Json]", content)]


def _as_chat_part(part: Json) -> Json:
    match part.get("type"):
        case "input_image":
            image = {"url": part["image_url"], "detail": part.get("detail")}
            return {"type": "image_url", "image_url": image}
        case "input_file":
            return {"type": "file", "file": part}
        case "refusal":
            return {"type": "text", "text": part.get("refusal")}
        case _:
            return {"type": "text", "text": part.get("text")}


def _as_chat_tool(tool: Json) -> Json:
    if tool.get("type") != "function":
        return tool
    function = {key: value for key, value in tool.items() if key not in {"type", "strict"}}
    return {"type": "function", "function": function}
