"""An upper bound for the tokens of the next prompt: what the provider counted, and what is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import Any, TypeGuard

from podium.agent._learned_factors import LearnedFactors
from podium.agent._measure import BYTES, PIECES
from podium.agent.messages import ChatMessage
from podium.agent.tokens import TokenCounter
from podium.tools import Tool
from podium.tracing._usage import MAX_COUNT

@dataclass(frozen=True, slots=True, kw_only=True)
class _Sized:
    """A request, and what is known of its size."""

    messages: Sequence[ChatMessage]
    """What was sent, as it was then."""
    frame: Sequence[object]
    """The tools and the response format sent with them."""
    known: int
    """Tokens that the provider counted."""
    estimate: int
    """Tokens of the rest, by estimate."""
    reply: ChatMessage | None = None
    """What was answered."""
    reply_tokens: int | None = None
    """Tokens of the answer in the next prompt, by the provider's count."""


class PromptBound:
    """Bounds the prompts of one agent run, at the cost of what is new in each.

    The bound is what the provider reported for the part it has seen, and an estimate of the rest:
    by a `token_counter` where there is one, else by UTF-8 bytes when `strict`, else by pieces of
    words. The part it has seen counts only while tools and response format are the same and the
    history goes on where that request ended; otherwise all is estimated anew.
    """

    def __init__(
        self,
        model: str,
        *,
        factors: LearnedFactors | None = None,
        token_counter: TokenCounter | None = None,
        strict: bool = False,
    ) -> None:
        """Know nothing yet; `factors` are those that the whole run tree shares."""
        self._model = model
        self._factors = LearnedFactors() if factors is None else factors
        self._counter = token_counter
        self._measure = BYTES if strict else PIECES
        self._seen: _Sized | None = None

    def bound(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] | None,
        *,
        response_format: Any = None,
    ) -> int:
        """Return how many tokens a prompt of these has at most.

        `response_format` is the one of the generation parameters. Asking changes nothing.
        """
        return self._bound(self._size(messages, tools or (), response_format))

    def note(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] | None,
        reported_input_tokens: object,
        reported_output_tokens: object,
        *,
        reply: ChatMessage | None = None,
        response_format: Any = None,
    ) -> None:
        """Learn from a call: what was sent, what its provider counted, and what was answered.

        `messages` are those that were sent, without the reply. Pass as `reply` the message that
        goes into the history. What is no count, or cannot be one, is ignored.
        """
        sized = self._size(messages, tools or (), response_format)
        if _is_count(reported_input_tokens, at_least=len(messages)):
            if reported_input_tokens > self._bound(sized):
                unknown = reported_input_tokens - sized.known
                self._factors.learn(self._model, sized.estimate, unknown)
            sized = replace(sized, known=reported_input_tokens, estimate=0)
        written = reported_output_tokens
        self._seen = replace(
            sized,
            reply=reply,
            reply_tokens=written + self._measure.frame if _is_count(written) else None,
        )

    def _bound(self, sized: _Sized) -> int:
        return sized.known + self._factors.bound(self._model, sized.estimate)

    def _size(
        self, messages: Sequence[ChatMessage], tools: Sequence[Tool], response_format: Any
    ) -> _Sized:
        # A copy: the history is a live list.
        messages, frame, seen = list(messages), _frame(tools, response_format), self._seen
        shared = -1 if seen is None or seen.frame != frame else _shared(seen.messages, messages)
        if seen is not None and shared == len(seen.messages):
            known, estimate = self._size_of_new(messages[shared:], seen)
            return _Sized(
                messages=messages,
                frame=frame,
                known=seen.known + known,
                estimate=seen.estimate + estimate,
            )
        sized = _Sized(
            messages=messages,
            frame=frame,
            known=0,
            estimate=self._count(messages, tools) + self._schema(response_format),
        )
        if seen is not None and shared == len(messages):
            # A part of what was sent before is no larger than that.
            part = replace(sized, known=seen.known, estimate=seen.estimate)
            return min(sized, part, key=self._bound)
        return sized

    def _size_of_new(self, new: Sequence[ChatMessage], seen: _Sized) -> tuple[int, int]:
        """Return how many tokens the new messages add: those the provider counted, and the rest."""
        if not (new and seen.reply and seen.reply_tokens and _are_same(new[0], seen.reply)):
            return 0, self._count(new)
        # What was thought on the way is in the provider's count, yet seldom in the next prompt.
        estimate = self._count(new[:1])
        if seen.reply_tokens <= estimate:
            return seen.reply_tokens, self._count(new[1:])
        return 0, estimate + self._count(new[1:])

    def _count(self, messages: Sequence[ChatMessage], tools: Sequence[Tool] = ()) -> int:
        if not (messages or tools):
            return 0
        if self._counter is not None:
            return _checked(self._counter(messages, tools))
        return sum(map(self._measure.message, messages)) + sum(map(self._measure.tool, tools))

    def _schema(self, response_format: Any) -> int:
        if response_format is None:
            return 0
        # It reads pydantic models, and is needed by few.
        from podium.agent.models._openai_parameters import response_format as as_sent

        sent = as_sent(response_format)
        return self._measure.schema(sent) if isinstance(sent, Mapping) else 0


def _frame(tools: Sequence[Tool], response_format: Any) -> list[object]:
    described = [(tool, tool.name, tool.description, tool.parameters) for tool in tools]
    return [*described, response_format]


def _shared(seen: Sequence[ChatMessage], messages: Sequence[ChatMessage]) -> int:
    """Return how many messages both begin with."""
    length = min(len(seen), len(messages))
    if all(map(is_, seen, messages)):
        return length
    pairs = enumerate(zip(seen, messages, strict=False))
    return next((at for at, (one, other) in pairs if not _are_same(one, other)), length)


def _are_same(one: ChatMessage, other: ChatMessage) -> bool:
    if one is other:
        return True
    # Only where a hook has written the history anew; it brings in pydantic's encoder.
    from podium.agent.models._openai_wire import encode_messages

    return encode_messages([one]) == encode_messages([other])


def _is_count(value: object, *, at_least: int = 1) -> TypeGuard[int]:
    """Return whether a provider can mean it: no message is nothing, and no prompt is endless."""
    return type(value) is int and max(at_least, 1) <= value < MAX_COUNT


def _checked(counted: object) -> int:
    if type(counted) is not int or counted < 0:
        raise ValueError(
            f"token_counter returned {counted!r}, which is no number of tokens. "
            "Return an int of 0 or more from it."
        )
    return counted
