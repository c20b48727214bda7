"""ScriptedChatGenerator: a chat model that says what the test wrote down, turn by turn.

>>> from podium.agent import Agent
>>> from podium.agent.testing import ScriptedChatGenerator, call, calls
>>> from podium.tools import tool
>>> @tool
... def add(a: int, b: int) -> int:
...     "Add two numbers."
...     return a + b
>>> with ScriptedChatGenerator([calls(call("add", a=2, b=3)), "It is 5."]) as model:
...     result = Agent(chat_generator=model, tools=[add]).run("What is 2 + 3?")
>>> result.text
'It is 5.'
>>> model.requests[1].messages[-1].tool_call_result.result
'5'
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import anyio.lowlevel

from podium.agent.messages import ChatMessage, MessagePart
from podium.agent.models._estimate import (
    MESSAGE_OVERHEAD,
    estimate_message_tokens,
    estimate_prompt_tokens,
)
from podium.agent.models._output_caps import lowered, stated_limit
from podium.agent.models._protocol import StreamingCallback
from podium.agent.streaming import ComponentInfo, StreamingChunk, ToolCallDelta
from podium.agent.testing._metering import cut_message
from podium.agent.testing._pieces import argument_pieces, text_pieces
from podium.agent.testing._script import Script, ScriptError, describe_turns, listed
from podium.tools import Tool, ToolCall, printable

TurnFunction = Callable[
    [Sequence[ChatMessage], Sequence[Tool] | None],
    "str | ChatMessage | Awaitable[str | ChatMessage]",
]
"""A turn that looks at what it was sent; may be a plain or an async function."""
ScriptedTurn = str | ChatMessage | Exception | TurnFunction
"""What one call is answered with: text, a message, an error to raise, or a function."""


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """One call the model got."""

    messages: tuple[ChatMessage, ...]
    """The conversation, oldest first."""
    tools: tuple[Tool, ...]
    """The tools it could use; empty when none were passed."""
    generation_kwargs: Mapping[str, Any]
    """The generation parameters; empty when none were passed."""


class ScriptedChatGenerator:
    """A chat model for tests: it takes its turns in order and fails on one too many or too few.

    Used as a context manager, it fails at the end when turns are left over; without, call
    `assert_exhausted()`. One generator may serve many agents, tasks and threads at once.
    """

    supports_structured_output = False
    output_cap_is_hard = True
    """A reply goes beyond its limit only where the script says what it used."""
    max_output_tokens: int | None = None
    """A reply without a limit is as long as the script has it."""

    def __init__(
        self,
        turns: Iterable[ScriptedTurn],
        *,
        usage: Mapping[str, Any] | None = None,
        name: str = "scripted",
    ) -> None:
        """Write the script.

        Args:
            turns: what the calls are answered with, in order: text, a message (`calls(...)` makes
                one that calls tools), an error to raise, or a function of (messages, tools) that
                returns text or a message.
            usage: reported for each reply that brings none in its `meta`; None estimates it.
            name: the model's name, in the replies' `meta` and in errors.

        Raises:
            TypeError: a turn is nothing a model can say or do.
        """
        self.model = name
        """The name it was given."""
        self.usage = usage
        """What it reports where a turn says nothing."""
        self.requests: list[ScriptedRequest] = []
        """The calls so far, in the order they came."""
        self._script = Script(map(_checked, listed(turns, "ScriptedChatGenerator")))
        self._lock = threading.Lock()  # guards `requests` and `_script`: request n gets turn n

    async def run_async(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Tool] | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        streaming_callback: StreamingCallback | None = None,
    ) -> dict[str, list[ChatMessage]]:
        """Return the next turn as the only reply, streamed when there is a callback.

        A reply longer than `max_tokens` or `max_completion_tokens` in `generation_kwargs` is cut,
        and ends for the reason `length`, unless the script sets its usage.

        Raises:
            ScriptError: the script has no turn left.
            Exception: the turn is an error.
        """
        request = ScriptedRequest(
            tuple(messages), tuple(tools or ()), dict(generation_kwargs or {})
        )
        with self._lock:
            self.requests.append(request)
            turn, number = self._script.take(), len(self.requests)
        await anyio.lowlevel.checkpoint()
        if turn is None:
            raise self._unexpected(number, request)
        said = await _play(turn, messages, tools)
        reply = self._finish(said, request, number)
        if streaming_callback is not None:
            await self._stream(reply, streaming_callback)
        return {"replies": [reply]}

    def with_output_cap(
        self, generation_kwargs: Mapping[str, Any] | None, max_tokens: int
    ) -> Mapping[str, Any]:
        """Return the parameters with an output limit; a lower one stays."""
        given = dict(generation_kwargs or {})
        return given | lowered(given, max_tokens, "max_tokens")

    def output_limit(self, generation_kwargs: Mapping[str, Any] | None) -> int | None:
        """Return how many tokens a call may write; None for no limit."""
        return stated_limit(generation_kwargs or {})

    def assert_exhausted(self) -> None:
        """Check that every turn was used.

        Raises:
            ScriptError: turns are left; the error names them.
        """
        unused = self._script.unused
        if unused:
            raise ScriptError(
                f"ScriptedChatGenerator {self.model!r} got {len(self.requests)} of "
                f"{len(self._script.turns)} calls. Not used: {describe_turns(unused)}. "
                "Remove these turns, or find out why the model was not asked."
            )

    def __enter__(self) -> Self:
        """Return the generator."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Check that every turn was used, unless an error is on its way already."""
        if error is None:
            self.assert_exhausted()

    def _unexpected(self, number: int, request: ScriptedRequest) -> ScriptError:
        last = request.messages[-1] if request.messages else None
        heard = f"{last.role}: {_gist(last)!r}" if last is not None else "none"
        return ScriptError(
            f"ScriptedChatGenerator {self.model!r} got call {number}, and its script has "
            f"{self._script.size}. The last message was {heard}. "
            "Add a turn for this call, or end the run before it."
        )

    def _finish(
        self, said: str | ChatMessage, request: ScriptedRequest, number: int
    ) -> ChatMessage:
        """Return what was said with the meta a provider would send, and an id on each call."""
        message = ChatMessage.from_assistant(said) if isinstance(said, str) else said
        parts = tuple(_with_id(part, number, at) for at, part in enumerate(message.parts))
        whole = message = dataclasses.replace(message, parts=parts)
        limit = stated_limit(request.generation_kwargs)
        if limit is not None and self.usage is None and "usage" not in message.meta:
            message = cut_message(whole, limit)
        meta = {
            "model": self.model,
            "index": 0,
            "finish_reason": "tool_calls" if message.tool_calls else "stop",
            "usage": dict(self.usage) if self.usage is not None else _estimate(request, message),
            **message.meta,
        }
        if message is not whole:
            meta["finish_reason"] = "length"
        return dataclasses.replace(message, meta=meta)

    async def _stream(self, reply: ChatMessage, callback: StreamingCallback) -> None:
        sender = ComponentInfo(type(self).__name__, self.model)
        meta = {"model": self.model}
        chunks = _chunks(reply)
        last = StreamingChunk(
            meta={**meta, "usage": reply.meta["usage"]}, finish_reason=reply.meta["finish_reason"]
        )
        for chunk in [*(dataclasses.replace(chunk, meta=meta) for chunk in chunks), last]:
            waiting = callback(dataclasses.replace(chunk, component_info=sender))
            if inspect.isawaitable(waiting):
                await waiting


async def _play(
    turn: ScriptedTurn, messages: Sequence[ChatMessage], tools: Sequence[Tool] | None
) -> str | ChatMessage:
    if isinstance(turn, Exception):
        raise turn
    if isinstance(turn, str | ChatMessage):
        return turn
    said = turn(messages, tools)
    return _said(await said if inspect.isawaitable(said) else said, turn)


def _said(value: object, turn: TurnFunction) -> str | ChatMessage:
    if isinstance(value, str | ChatMessage):
        return value
    raise TypeError(
        f"The scripted turn {turn!r} returned a {type(value).__name__}. "
        "Return text, or a ChatMessage, such as calls(call(...))."
    )


def _checked(turn: ScriptedTurn) -> ScriptedTurn:
    if isinstance(turn, str | ChatMessage | Exception):
        return turn
    if callable(turn) and not isinstance(turn, type):
        _check_takes_two(turn)
        return turn
    raise TypeError(
        f"{turn!r} is no turn of a ScriptedChatGenerator. Give text, a ChatMessage, an error "
        "instance or a function; put tool calls in calls(...)."
    )


def _check_takes_two(turn: TurnFunction) -> None:
    try:
        inspect.signature(turn).bind([], None)
    except TypeError:
        raise TypeError(
            f"The function {turn!r:.80} is no turn: it cannot be called with what a model is sent. "
            "Give it two parameters, (messages, tools)."
        ) from None


def _gist(message: ChatMessage) -> str:
    result = message.tool_call_result
    return printable(result.text if result else message.text or "", limit=60)


def _with_id(part: MessagePart, number: int, at: int) -> MessagePart:
    if isinstance(part, ToolCall) and part.id is None:
        return dataclasses.replace(part, id=f"call_{number}_{at}")
    return part


def _estimate(request: ScriptedRequest, reply: ChatMessage) -> dict[str, int]:
    sent = estimate_prompt_tokens(request.messages, request.tools)
    written = estimate_message_tokens(reply) - MESSAGE_OVERHEAD
    return {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written}


def _chunks(reply: ChatMessage) -> list[StreamingChunk]:
    """Return the reply's content as chunks: reasoning, then words, then pieces of tool calls."""
    chunks: list[StreamingChunk] = []
    if reply.reasoning is not None:
        chunks.append(StreamingChunk(reasoning=reply.reasoning, index=0, start=True))
    first = len(chunks)
    for at, piece in enumerate(text_pieces(reply.text or "")):
        chunks.append(StreamingChunk(piece, index=first, start=at == 0))
    block = first + bool(reply.text)
    for index, tool_call in enumerate(reply.tool_calls):
        named = ToolCallDelta(index, tool_name=tool_call.tool_name, id=tool_call.id)
        pieces = argument_pieces(json.dumps(dict(tool_call.arguments)))
        deltas = [named, *(ToolCallDelta(index, arguments=piece) for piece in pieces)]
        chunks += [
            StreamingChunk(tool_calls=(delta,), index=block + index, start=delta is named)
            for delta in deltas
        ]
    return chunks
