"""One reply of a stream: what its chunks have said so far, and what each of them says anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agent.messages import ReasoningContent
from podium.agent.models._openai.answer import raise_for_error, raise_for_failure
from podium.agent.models._openai.json_text import join_text
from podium.agent.models._openai.reply_draft import (
    REASONING_FIELDS,
    ReplyDraft,
    as_list,
    as_mapping,
    as_text,
    content_pieces,
    is_unknown_field,
    normal_finish_reason,
)
from podium.agent.models._openai.stream_calls import CallAssembler
from podium.agent.streaming import ComponentInfo, StreamingChunk
from podium.tools import clean_text

SOURCE = ComponentInfo("OpenAIChatGenerator")
"""Who sends the chunks, as long as no agent says that it is itself."""


class StreamedChoice:
    """Collects one reply from its part of the chunks."""

    __slots__ = (
        "_blocks",
        "_calls",
        "_extra",
        "_half",
        "_logprobs",
        "_meta",
        "_model",
        "_reasoning",
        "_reasoning_field",
        "_refusal",
        "_source",
        "_text",
        "_tool_names",
        "finish_reason",
        "index",
    )

    def __init__(
        self,
        index: int,
        *,
        model: str,
        tool_names: frozenset[str],
        source: ComponentInfo = SOURCE,
    ) -> None:
        """Start before the first chunk; `source` is said to send what a callback gets."""
        self.index = index
        """Which of the answer's choices it is."""
        self.finish_reason: str | None = None
        """The provider's word for why the reply ended; None while it has not."""
        self._model = model
        self._tool_names = tool_names
        self._source = source
        # One dict for all chunks of the reply: a new one for each would cost more than the rest.
        self._meta: dict[str, Any] = {"model": model, "index": index}
        self._blocks: dict[object, int] = {}
        self._text: list[str] = []
        self._half = ""
        self._reasoning: list[str] = []
        self._reasoning_field = ""
        self._refusal: list[str] = []
        self._calls: CallAssembler | None = None
        self._logprobs: dict[str, list[Any]] = {}
        self._extra: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """The text so far."""
        return join_text(self._text)

    def add(self, choice: Mapping[str, Any], usage: Any, out: list[StreamingChunk]) -> None:
        """Take in what one chunk says of this reply; put what a callback should get into `out`.

        Raises:
            ModelError: it says that the provider failed.
        """
        delta = choice.get("delta")
        if not delta and "message" in choice and not self._text:
            delta = choice["message"]  # a whole reply in the place of its pieces
        if delta:
            for key, value in as_mapping(delta).items():
                if value:
                    self._field(key, value, out)
        if choice.get("error"):
            raise_for_error(choice, model=self._model, partial_text=self.text)
        if choice.get("logprobs"):
            for key, values in as_mapping(choice["logprobs"]).items():
                self._logprobs.setdefault(key, []).extend(as_list(values))
        reason = choice.get("finish_reason")
        if reason:
            self._finish(as_text(reason), usage, out)

    def draft(self) -> ReplyDraft:
        """Return what was collected."""
        return ReplyDraft(
            index=self.index,
            text=self.text,
            reasoning=join_text(self._reasoning),
            reasoning_field=self._reasoning_field,
            refusal=join_text(self._refusal),
            calls=self._calls.finish() if self._calls is not None else (),
            finish_reason=self.finish_reason,
            logprobs=self._logprobs,
            extra=self._extra,
        )

    def _field(self, key: str, value: Any, out: list[StreamingChunk]) -> None:
        if key == "content":
            if isinstance(value, str):
                self._say(value, out)
            else:
                self._parts(value, out)
        elif key == "tool_calls":
            self._call(as_list(value) or [value], out)  # a call by itself is a list of one
        elif key == "function_call":
            self._call([{"index": 0, "function": value}], out)
        elif key in REASONING_FIELDS and isinstance(value, str):
            if self._reasoning_field in {"", key}:  # some send the same under both names
                self._think(value, key, out)
        elif key == "refusal":
            self._refuse(as_text(value), out)
        elif is_unknown_field(key, value):
            self._keep(key, value)

    def _parts(self, content: object, out: list[StreamingChunk]) -> None:
        text, thinking, refusal = content_pieces(content)
        if thinking:
            self._think(thinking, "", out)
        if refusal:
            self._refuse(refusal, out)
        if text:
            self._say(text, out)

    def _say(self, piece: str, out: list[StreamingChunk]) -> None:
        self._text.append(piece)
        if self._half or not piece.isascii():
            piece = self._without_half(piece)
            if not piece:
                return
        index, start = self._block("text")
        out.append(StreamingChunk(piece, self._meta, self._source, index, None, None, start))

    def _think(self, piece: str, field: str, out: list[StreamingChunk]) -> None:
        self._reasoning_field = field
        self._reasoning.append(piece)
        index, start = self._block("reasoning")
        thought = ReasoningContent(clean_text(piece))
        out.append(
            StreamingChunk("", self._meta, self._source, index, start=start, reasoning=thought)
        )

    def _refuse(self, piece: str, out: list[StreamingChunk]) -> None:
        # Not as content: a refusal is no part of the reply's text.
        self._refusal.append(piece)
        out.append(StreamingChunk("", {**self._meta, "refusal": clean_text(piece)}, self._source))

    def _call(self, fragments: list[Any], out: list[StreamingChunk]) -> None:
        if self._calls is None:
            self._calls = CallAssembler(self._tool_names)
        for delta in self._calls.add(fragments):
            index, start = self._block(delta.index)
            out.append(StreamingChunk("", self._meta, self._source, index, (delta,), None, start))

    def _keep(self, key: str, value: Any) -> None:
        """Keep a field nobody here knows: lists and text in pieces grow, a repeated value stays."""
        current = self._extra.get(key)
        pieces = as_list(current)
        if pieces:
            self._extra[key] = [*pieces, *as_list(value)]
        elif isinstance(current, str) and isinstance(value, str) and current != value:
            self._extra[key] = current + value
        else:
            self._extra[key] = value

    def _finish(self, reason: str, usage: Any, out: list[StreamingChunk]) -> None:
        raise_for_failure(reason, model=self._model, partial_text=self.text)
        if reason == self.finish_reason:
            return
        self.finish_reason = reason
        if self._half:
            self._half = ""
            out.append(StreamingChunk("\ufffd", self._meta, self._source, self._block("text")[0]))
        meta = {**self._meta, "usage": usage} if usage else self._meta
        said = normal_finish_reason(reason, has_calls=self._calls is not None)
        out.append(StreamingChunk("", meta, self._source, finish_reason=said))

    def _block(self, key: object) -> tuple[int, bool]:
        """Return a block's position among those of the reply, and whether it is new."""
        index = self._blocks.get(key)
        if index is not None:
            return index, False
        index = self._blocks[key] = len(self._blocks)
        return index, True

    def _without_half(self, piece: str) -> str:
        """Return the piece without the half of a character at its end, which waits for the rest."""
        piece = self._half + piece
        self._half = piece[-1] if "\ud800" <= piece[-1] <= "\udbff" else ""
        return join_text([piece[:-1] if self._half else piece])
