"""The one seam through which a run touches the world: models, tools and the clock.

Recording, replay and durable execution replace this object; the loop does not change.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from podium.agent.errors import AgentError
from podium.agent.messages import ChatMessage
from podium.tools import CallContext, Tool
from podium.tools._shapes import is_mapping
from podium.tools._threads import run_in_thread, run_on_callers_loop

if TYPE_CHECKING:
    from podium.agent.models import ChatGenerator, StreamingCallback
    from podium.agent.streaming import StreamingChunk


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One call of a chat model."""

    generator: ChatGenerator
    """The model to call."""
    messages: Sequence[ChatMessage]
    """The conversation, oldest first."""
    tools: Sequence[Tool]
    """What the model may call; empty for none."""
    generation_kwargs: Mapping[str, Any] | None
    """The caller's parameters for this run."""
    streaming_callback: StreamingCallback | None
    """Where chunks go; None asks for a whole reply."""


class Effects(Protocol):
    """What a run may do to the world."""

    async def call_model(self, request: ModelRequest) -> Sequence[ChatMessage]:
        """Return the model's replies."""
        ...

    async def call_tool(self, tool: Tool, arguments: dict[str, Any], context: CallContext) -> Any:
        """Return what the tool's function returned."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back."""
        ...


class LiveEffects:
    """The world as it is."""

    async def call_model(self, request: ModelRequest) -> Sequence[ChatMessage]:
        """Await the generator, or run a blocking one in a worker thread."""
        generator = request.generator
        options: dict[str, Any] = {}
        if request.tools or getattr(generator, "tools", None):
            options["tools"] = request.tools  # also when empty: the generator may have its own
        if request.generation_kwargs:
            options["generation_kwargs"] = request.generation_kwargs
        run_async = getattr(generator, "run_async", None)
        if run_async is not None:
            if request.streaming_callback is not None:
                options["streaming_callback"] = request.streaming_callback
            answer = await run_async(request.messages, **options)
        else:
            if request.streaming_callback is not None:
                options["streaming_callback"] = _from_thread(request.streaming_callback)
            answer = await run_in_thread(cast("Any", generator).run, request.messages, **options)
        return _replies(answer, generator)

    async def call_tool(self, tool: Tool, arguments: dict[str, Any], context: CallContext) -> Any:
        """Run the tool."""
        return await tool.call(arguments, context)

    def monotonic(self) -> float:
        """Return the process's monotonic clock."""
        return time.monotonic()


LIVE = LiveEffects()
"""The effects of an ordinary run; it holds nothing."""


def _from_thread(callback: StreamingCallback) -> StreamingCallback:
    async def on_loop(chunk: StreamingChunk) -> None:
        outcome = callback(chunk)
        if inspect.isawaitable(outcome):
            await outcome

    def forward(chunk: StreamingChunk) -> None:
        run_on_callers_loop(functools.partial(on_loop, chunk))

    return forward


def _replies(answer: object, generator: object) -> Sequence[ChatMessage]:
    replies: object = answer.get("replies") if is_mapping(answer) else None
    if isinstance(replies, list | tuple):
        listed = cast("Sequence[object]", replies)
        if all(isinstance(one, ChatMessage) and one.is_from("assistant") for one in listed):
            return cast("Sequence[ChatMessage]", listed)
    raise AgentError(
        f"{type(generator).__name__} returned {answer!r:.80} where a chat generator "
        "returns {'replies': [ChatMessage, ...]}, made by ChatMessage.from_assistant. "
        "Return that from its run or run_async."
    )
