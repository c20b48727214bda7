"""Streamed responses: events to what a callback gets, and to the reply at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._openai.answer import answer_meta, raise_for_error
from podium.agent.models._openai.reply_draft import as_list, as_mapping, as_text
from podium.agent.models._openai.streamed_choice import StreamedChoice
from podium.agent.models._responses.answer import (
    end_of,
    no_output,
    raise_for_status,
    response_to_message,
)
from podium.agent.models._responses.items import BETWEEN_MESSAGES, Item
from podium.agent.streaming import ComponentInfo, StreamingChunk

SOURCE = ComponentInfo("OpenAIResponsesChatGenerator")
"""Who sends the chunks, as long as no agent says that it is itself."""
_DELTAS = {
    "response.output_text.delta": "content",
    "response.refusal.delta": "refusal",
    "response.reasoning_text.delta": "reasoning",
    "response.reasoning_summary_text.delta": "reasoning",
}
"""Events that bring a piece of text, and what chat completions call it."""

Chunks = list[StreamingChunk]


class StreamedResponse:
    """Collects the reply of one stream.

    What a callback gets is told as it comes; the reply is made of the whole response that the last
    event holds, or of the finished items where a server leaves them out there.
    """

    __slots__ = (
        "_argued",
        "_choice",
        "_items",
        "_model",
        "_other",
        "_places",
        "_response",
        "_server",
        "_started",
    )

    def __init__(
        self, model: str, tool_names: frozenset[str] = frozenset(), *, server: str = ""
    ) -> None:
        """Start before the first event; `server` is where reasoning may go back to."""
        self._model = model
        self._server = server
        self._choice = StreamedChoice(0, model=model, tool_names=tool_names, source=SOURCE)
        self._items: dict[int, Item] = {}
        self._places: dict[str, object] = {}
        self._argued: set[int | None] = set()
        self._started: Mapping[str, Any] = {}
        self._response: Mapping[str, Any] | None = None
        self._other: object = "nothing"

    @property
    def are_finished(self) -> bool:
        """Whether the event has come that ends the response."""
        return self._response is not None

    @property
    def is_over(self) -> bool:
        """Whether the event has come that ends the response: nothing comes after it."""
        return self._response is not None

    def add(self, chunk: Any) -> list[StreamingChunk]:
        """Take one event in and return what a callback should get for it.

        Raises:
            ModelError: the event says that the provider failed.
        """
        if not isinstance(chunk, dict) or self.is_over:
            return []
        event = cast("dict[str, Any]", chunk)
        kind = as_text(event.get("type"))
        out: Chunks = []
        if kind in _DELTAS:
            self._say(_DELTAS[kind], event, as_text(event.get("delta")), out)
            return out
        match kind:
            case "response.created":
                self._started = as_mapping(event.get("response"))
            case "response.output_item.added":
                self._open_item(event, out)
            case "response.function_call_arguments.delta":
                self._argue(_place(event), as_text(event.get("delta")), out)
            case "response.output_item.done":
                self._close_item(event, out)
            case "response.completed" | "response.incomplete" | "response.failed":
                told = as_mapping(event.get("response"))
                self._end({"status": kind.removeprefix("response."), **told}, out)
            case _:
                self._take_odd(event, out)
        return out

    def finish(self, *, is_done: bool, stray: str = "") -> list[ChatMessage]:
        """Return the reply, as a list of one.

        `is_done` says whether the provider marked the end of the stream, `stray` what it sent
        instead of events.

        Raises:
            ModelError: the stream ended before the reply did; its text so far is on the error.
        """
        response = self._response
        if response is None:
            if not self._items and not self._choice.text and (is_done or stray):
                raise no_output(stray or self._other, model=self._model)
            if not is_done:
                raise self.ended_early("the connection was closed")
            response = {**self._started, "status": "completed"}
        output = as_list(response.get("output")) or [self._items[at] for at in sorted(self._items)]
        if not output:  # a server that never sends a whole item
            draft = replace(self._choice.draft(), finish_reason=end_of(response))
            return [draft.to_message(answer_meta(response, model=self._model))]
        whole = {**response, "output": output}
        return [response_to_message(whole, model=self._model, server=self._server)]

    def ended_early(self, why: str) -> ModelError:
        """Return the error for a stream that broke off."""
        text = self._choice.text
        return ModelError(
            f"The stream of model {self._model!r} ended early after {len(text)} characters: {why}, "
            "and the response was not complete. Try again; the text so far is in partial_text.",
            partial_text=text,
            is_retryable=True,
        )

    def _open_item(self, event: Mapping[str, Any], out: Chunks) -> None:
        item = as_mapping(event.get("item"))
        if item.get("type") == "function_call":
            index = _place(event)
            identity = as_text(item.get("call_id") or item.get("id"))
            self._call(index, {"name": item.get("name"), "arguments": ""}, out, id=identity)

    def _close_item(self, event: Mapping[str, Any], out: Chunks) -> None:
        item, index = as_mapping(event.get("item")), _place(event)
        self._items[len(self._items) if index is None else index] = item
        if item.get("type") == "function_call" and index not in self._argued:
            self._argue(index, as_text(item.get("arguments")), out)

    def _argue(self, index: int | None, piece: str, out: Chunks) -> None:
        if piece:
            self._argued.add(index)
            self._call(index, {"arguments": piece}, out)

    def _call(
        self, index: int | None, function: Mapping[str, Any], out: Chunks, **facts: str
    ) -> None:
        call = {"index": index, "function": function, **facts}
        self._choice.add({"delta": {"tool_calls": [call]}}, None, out)

    def _say(self, key: str, event: Mapping[str, Any], piece: str, out: Chunks) -> None:
        """Hand on a piece of text; another message, or another thought, stands apart."""
        parts = ("output_index",) if key == "content" else ("output_index", "summary_index")
        place = [event.get(part) for part in parts]
        if piece and key != "refusal":
            if self._places.get(key, place) != place:
                piece = BETWEEN_MESSAGES + piece
            self._places[key] = place
        self._choice.add({"delta": {key: piece}}, None, out)

    def _take_odd(self, event: Mapping[str, Any], out: Chunks) -> None:
        """Take an error, the whole response of a server that does not stream, or what is no news.

        Raises:
            ModelError: it is an error.
        """
        raise_for_error(event, model=self._model, partial_text=self._choice.text)
        if isinstance(event.get("output"), list):
            for index, item in enumerate(map(as_mapping, event["output"])):
                told = {"output_index": index, "item": item}
                for kind, key in (("text", "content"), ("refusal", "refusal")):
                    for part in map(as_mapping, as_list(item.get("content"))):
                        self._say(key, told, as_text(part.get(kind)), out)
                self._open_item(told, out)
                self._close_item(told, out)
            self._end(event, out)
        elif not as_text(event.get("type")).startswith("response."):
            self._other = event

    def _end(self, response: Mapping[str, Any], out: Chunks) -> None:
        raise_for_status(response, model=self._model, partial_text=self._choice.text)
        self._response = {**self._started, **response}
        reason = end_of(response) or "stop"
        self._choice.add({"finish_reason": reason}, response.get("usage"), out)


def _place(event: Mapping[str, Any]) -> int | None:
    """Return the place of an event's item in the output; None where the server does not say."""
    index = event.get("output_index")
    return index if type(index) is int else None
