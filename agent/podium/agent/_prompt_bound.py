"""An upper bound for the tokens of the next prompt: what the provider counted, and what is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any, TypeGuard

from podium.agent._learned_factors import LearnedFactors
from podium.agent._measure import BYTES, PIECES
from podium.agent.messages import ChatMessage
from podium.agent.tokens import TokenCounter
from podium.tools import Tool
from podium.tracing._usage import MAX_COUNT


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands in a prompt beside the messages."""

    tools: Sequence[tuple[Tool, str, str, Mapping[str, Any]]]
    """The tools, each with what the model is told of it."""
    response_format: Any
    """The form the answer must have."""


@dataclass(frozen=True, slots=True)
class _Sized:
    """A request, and what is known of its size."""

    messages: Sequence[ChatMessage]
    """What is sent, as it is now."""
    frame: _Frame
    """What is sent with it."""
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
        self._seen: _Sized | None = None  # the last request a provider answered
        self._asked: _Sized | None = None  # the one bounded last

    @property
    def is_strict(self) -> bool:
        """Whether it counts bytes, so that no prompt exceeds it."""
        return self._measure.is_strict

    def bound(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] | None,
        *,
        response_format: Any = None,
    ) -> int:
        """Return how many tokens a prompt of these has at most.

        `response_format` is the one among the generation parameters.
        """
        self._asked = self._size(list(messages), _frame(tools, response_format))
        return self._bound(self._asked)

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

        `messages` are those that were sent, without the reply; pass as `reply` the message that
        goes into the history. What is no count, or cannot be one, is ignored.
        """
        sent, frame = self._asked, _frame(tools, response_format)
        if sent is None or sent.frame != frame or sent.messages != list(messages):
            sent = self._size(list(messages), frame)
        known, estimate, reply_tokens = sent.known, sent.estimate, None
        if _is_count(reported_input_tokens, at_least=len(messages)):
            if reported_input_tokens > self._bound(sent):
                self._factors.learn(self._model, known, estimate, reported_input_tokens)
            known, estimate = reported_input_tokens, 0
            if _is_count(reported_output_tokens):
                reply_tokens = reported_output_tokens + self._measure.frame
        self._seen = _Sized(sent.messages, sent.frame, known, estimate, reply, reply_tokens)
        self._asked = None

    def _bound(self, sized: _Sized) -> int:
        return self._factors.bound(self._model, sized.known, sized.estimate)

    def _size(self, messages: Sequence[ChatMessage], frame: _Frame) -> _Sized:
        seen = self._seen
        if seen is None or seen.frame != frame:
            return self._size_anew(messages, frame)
        shared = _shared(seen.messages, messages)
        if shared == len(seen.messages):
            known, estimate = self._size_of_new(messages[shared:], seen)
            return _Sized(messages, frame, seen.known + known, seen.estimate + estimate)
        sized = self._size_anew(messages, frame)
        if shared < len(messages):
            return sized
        # A part of what was sent before is no larger than that.
        part = _Sized(messages, frame, seen.known, seen.estimate)
        return min(sized, part, key=self._bound)

    def _size_anew(self, messages: Sequence[ChatMessage], frame: _Frame) -> _Sized:
        counted = self._count(messages, [tool for tool, *_ in frame.tools])
        return _Sized(messages, frame, 0, counted + self._size_of_format(frame.response_format))

    def _size_of_new(self, new: Sequence[ChatMessage], seen: _Sized) -> tuple[int, int]:
        """Return the tokens of what follows a request: by the provider's count, and by estimate."""
        if not (new and seen.reply and seen.reply_tokens and _are_same(new[0], seen.reply)):
            return 0, self._count(new)
        estimate, rest = self._count(new[:1]), self._count(new[1:])
        # What was thought on the way is in the provider's count, yet seldom in the next prompt:
        # the estimate may then be less.
        return (seen.reply_tokens, rest) if seen.reply_tokens <= estimate else (0, estimate + rest)

    def _size_of_format(self, response_format: Any) -> int:
        if response_format is None:
            return 0
        from podium.agent.models._openai.parameters import response_format as as_sent  # for few

        return self._measure.schema({"response_format": as_sent(response_format)})

    def _count(self, messages: Sequence[ChatMessage], tools: Sequence[Tool] = ()) -> int:
        if not (messages or tools):
            return 0
        if self._counter is not None:
            return _checked(self._counter(messages, tools))
        return sum(map(self._measure.message, messages)) + sum(map(self._measure.tool, tools))


def _frame(tools: Sequence[Tool] | None, response_format: Any) -> _Frame:
    described = [(tool, tool.name, tool.description, tool.parameters) for tool in tools or ()]
    return _Frame(described, response_format)


def _shared(seen: Sequence[ChatMessage], messages: Sequence[ChatMessage]) -> int:
    """Return with how many equal messages both begin."""
    if all(map(is_, seen, messages)):  # nearly always
        return min(len(seen), len(messages))
    shared = 0
    for one, other in zip(seen, messages, strict=False):
        if not _are_same(one, other):
            break
        shared += 1
    return shared


def _are_same(one: ChatMessage, other: ChatMessage) -> bool:
    if one is other:
        return True
    # It brings in pydantic's encoder, and is needed only where a hook has copied messages.
    from podium.agent.models._openai.wire import encode_messages

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
