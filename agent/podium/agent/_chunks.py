"""What a generator calls with each chunk: events for the reader, chunks for the callback."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

from podium.agent._run_state import RunState
from podium.agent.events import ReasoningDelta, TextDelta
from podium.agent.models import StreamingCallback
from podium.agent.streaming import ComponentInfo, StreamingChunk


def chunk_listener(run: RunState) -> StreamingCallback | None:
    """Return what the generator calls with each chunk; None when nobody wants chunks."""
    context, callback = run.context, run.streaming_callback
    channel, step = context.tree.channel, run.step_count + 1
    if channel is None and callback is None:
        return None
    source = ComponentInfo("Agent", context.path)

    def listen(chunk: StreamingChunk) -> Awaitable[None] | None:
        if channel is not None:
            if chunk.content:
                context.emit(TextDelta, step, text=chunk.content)
            elif chunk.reasoning is not None:
                context.emit(ReasoningDelta, step, text=chunk.reasoning.reasoning_text)
        waiting: Any = None
        if callback is not None:
            waiting = callback(replace(chunk, component_info=source))
        if channel is not None and channel.is_full:
            return _in_turn(waiting, channel.wait_for_room())
        return waiting if waiting is not None and inspect.isawaitable(waiting) else None

    return listen


async def _in_turn(*awaitables: Any) -> None:
    for awaitable in awaitables:
        if inspect.isawaitable(awaitable):
            await awaitable
