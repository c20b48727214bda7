"""Streamed chat completions: chunks to what a callback gets, and to the replies at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._openai.answer import answer_meta, no_choices, raise_for_error
from podium.agent.models._openai.reply_draft import as_list, as_mapping
from podium.agent.models._openai.streamed_choice import SOURCE, StreamedChoice
from podium.agent.streaming import StreamingChunk


class StreamedReplies:
    """Collects the replies of one stream from its chunks, which may come in any provider's form."""

    __slots__ = ("_choices", "_meta", "_model", "_other", "_tool_names")

    def __init__(self, model: str, tool_names: frozenset[str] = frozenset()) -> None:
        """Start before the first chunk; `tool_names` are the tools the model was offered."""
        self._model = model
        self._tool_names = tool_names
        self._meta: dict[str, Any] = {}
        self._choices: dict[int, StreamedChoice] = {}
        self._other: object = "nothing"

    @property
    def are_finished(self) -> bool:
        """Whether there are replies and each has its finish_reason."""
        choices = self._choices.values()
        return bool(choices) and all(choice.finish_reason for choice in choices)

    @property
    def is_over(self) -> bool:
        """Never: the usage may come after the last reply, and `[DONE]` marks the end."""
        return False

    @property
    def partial_text(self) -> str:
        """The text of the first reply so far."""
        return next((choice.text for choice in self._choices.values()), "")

    def add(self, chunk: Any) -> list[StreamingChunk]:
        """Take one chunk in and return what a callback should get for it.

        Raises:
            ModelError: the chunk says that the provider failed.
        """
        if not isinstance(chunk, dict):
            return []
        given = cast("dict[str, Any]", chunk)
        choices = given.get("choices")
        usage = given.get("usage")
        if not choices or "error" in given:
            raise_for_error(given, model=self._model, partial_text=self.partial_text)
        if not self._meta:
            self._meta = answer_meta(given, model=self._model)
        out: list[StreamingChunk] = []
        for position, choice in enumerate(as_list(choices)):
            told = as_mapping(choice)
            usage = usage or told.get("usage")  # Moonshot puts it there
            self._choice(told, position).add(told, usage, out)
        if usage and isinstance(usage, Mapping):
            self._meta["usage"] = usage  # totals so far: the last ones count
        if not choices and usage:
            out.append(StreamingChunk("", dict(self._meta), SOURCE))
        elif not choices:
            self._other = given
        return out

    def finish(self, *, is_done: bool, stray: str = "") -> list[ChatMessage]:
        """Return the replies, by choice; the first one carries the usage.

        `is_done` says whether the provider marked the end of the stream, `stray` what it sent
        instead of events.

        Raises:
            ModelError: the stream ended before the replies did; its text so far is on the error.
        """
        if not self._choices and (is_done or stray):
            raise no_choices(stray or self._other, model=self._model)
        if not (is_done or self.are_finished):
            raise self.ended_early("the connection was closed")
        choices = [self._choices[index] for index in sorted(self._choices)]
        meta = dict(self._meta)
        replies: list[ChatMessage] = []
        for choice in choices:
            replies.append(choice.draft().to_message(meta))
            meta.pop("usage", None)
        return replies

    def ended_early(self, why: str) -> ModelError:
        """Return the error for a stream that broke off."""
        text = self.partial_text
        return ModelError(
            f"The stream of model {self._model!r} ended early after {len(text)} characters: {why}, "
            "and no finish_reason had come. Try again; the text so far is in partial_text.",
            partial_text=text,
            is_retryable=True,
        )

    def _choice(self, choice: Mapping[str, Any], position: int) -> StreamedChoice:
        index = choice.get("index")
        if not isinstance(index, int):
            index = position
        found = self._choices.get(index)
        if found is None:
            found = self._choices[index] = StreamedChoice(
                index, model=self._meta["model"], tool_names=self._tool_names
            )
        return found
