"""Replies as the responses API gives them: whole, or event by event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.agent.models._estimate import estimate_tokens
from podium.agent.testing._pieces import argument_pieces, text_pieces
from podium.agent.testing._requests import RecordedRequest

CREATED = 1_767_225_600
"""The time stamp of every answer, so that answers can be compared."""

Json = Mapping[str, Any]
TimedText = Sequence[tuple[float, str]]

_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class Weighed:
    """A reply that keeps to the request's output limit, in the words of chat completions."""

    message: Json
    """The message."""
    finish_reason: str
    """Why it ends."""
    usage: Json
    """What it costs by its own report; empty when it reports none."""


def response_of(
    weighed: Weighed, request: RecordedRequest, output: Sequence[Json] | None = None
) -> dict[str, Any]:
    """Return the reply as a response; `output` are its items where they are given as they are."""
    items = list(output) if output is not None else _items(weighed, request)
    response: dict[str, Any] = {
        "id": f"resp_{request.number}",
        "object": "response",
        "created_at": CREATED,
        "model": request.model,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": items,
        "usage": _usage(weighed) or None,
    }
    reason = _INCOMPLETE.get(weighed.finish_reason)
    if reason is not None:
        response |= {"status": "incomplete", "incomplete_details": {"reason": reason}}
    return response


def response_events(
    response: dict[str, Any], text: TimedText
) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the events of a stream of this response, with a pause before each piece of `text`."""
    started: dict[str, Any] = {**response, "status": "in_progress", "output": [], "usage": None}
    told: list[tuple[float, dict[str, Any]]] = [
        (0.0, {"type": "response.created", "response": started}),
        (0.0, {"type": "response.in_progress", "response": started}),
    ]
    for index, item in enumerate(response["output"]):
        told += ((wait, {"output_index": index, **event}) for wait, event in _of(item, text))
    told.append((0.0, {"type": f"response.{response['status']}", "response": response}))
    for number, (wait, event) in enumerate(told):
        yield wait, {**event, "sequence_number": number}


def _items(weighed: Weighed, request: RecordedRequest) -> list[Json]:
    message, number, items = weighed.message, request.number, list[Json]()
    status = "incomplete" if weighed.finish_reason in _INCOMPLETE else "completed"
    if message.get("reasoning_content"):
        summary = [{"type": "summary_text", "text": message["reasoning_content"]}]
        thought = {"type": "reasoning", "id": f"rs_{number}", "summary": summary}
        if request.body.get("store") is False:
            thought["encrypted_content"] = f"sealed-{number}"
        items.append(thought)
    content: list[Json] = []
    if message.get("content"):
        content.append({"type": "output_text", "text": message["content"], "annotations": []})
    if message.get("refusal"):
        content.append({"type": "refusal", "refusal": message["refusal"]})
    if content:
        said = {"type": "message", "id": f"msg_{number}", "role": "assistant"}
        items.append({**said, "status": status, "content": content})
    calls: Sequence[Json] = message.get("tool_calls") or ()
    for at, call in enumerate(calls):
        asked = {"type": "function_call", "id": f"fc_{number}_{at}", "call_id": call.get("id")}
        items.append({**asked, "status": status, **call["function"]})
    return items


def _usage(weighed: Weighed) -> dict[str, Any]:
    usage = weighed.usage
    if not usage or "input_tokens" in usage:
        return dict(usage)
    sent, written = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    sent_details: Json = usage.get("prompt_tokens_details") or {"cached_tokens": 0}
    thought = estimate_tokens(str(weighed.message.get("reasoning_content") or ""))
    written_details: Json = usage.get("completion_tokens_details") or {"reasoning_tokens": thought}
    return {
        "input_tokens": sent,
        "input_tokens_details": sent_details,
        "output_tokens": written,
        "output_tokens_details": written_details,
        "total_tokens": sent + written,
    }


def _of(item: Json, text: TimedText) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the events of one item, without its place."""
    emptied: dict[object, Json] = {"message": {"content": []}, "function_call": {"arguments": ""}}
    opened = {**item, "status": "in_progress", **emptied.get(item.get("type"), {})}
    yield 0.0, {"type": "response.output_item.added", "item": opened}
    match item.get("type"):
        case "reasoning":
            yield from _thoughts(item)
        case "message":
            yield from _parts(item, text)
        case "function_call":
            for piece in argument_pieces(item["arguments"]):
                yield 0.0, _delta("function_call_arguments", item, piece)
            done = {"arguments": item["arguments"], "item_id": item.get("id")}
            yield 0.0, {"type": "response.function_call_arguments.done", **done}
        case _:
            pass
    yield 0.0, {"type": "response.output_item.done", "item": item}


def _thoughts(item: Json) -> Iterator[tuple[float, dict[str, Any]]]:
    for index, part in enumerate(item.get("summary") or ()):
        place = {"summary_index": index}
        yield 0.0, {"type": "response.reasoning_summary_part.added", "part": {}, **place}
        for piece in text_pieces(part["text"]):
            yield 0.0, {**_delta("reasoning_summary_text", item, piece), **place}
        yield 0.0, {"type": "response.reasoning_summary_part.done", "part": part, **place}


def _parts(item: Json, text: TimedText) -> Iterator[tuple[float, dict[str, Any]]]:
    for index, part in enumerate(item["content"]):
        place = {"content_index": index}
        yield 0.0, {"type": "response.content_part.added", "part": {}, **place}
        if part["type"] == "refusal":
            yield 0.0, {**_delta("refusal", item, part["refusal"]), **place}
        else:
            is_whole = "".join(piece for _, piece in text) == part["text"]
            pieces = text if is_whole else [(0.0, piece) for piece in text_pieces(part["text"])]
            for wait, piece in pieces:
                yield wait, {**_delta("output_text", item, piece), **place}
        yield 0.0, {"type": "response.content_part.done", "part": part, **place}


def _delta(kind: str, item: Json, piece: str) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "item_id": item.get("id"), "delta": piece}
