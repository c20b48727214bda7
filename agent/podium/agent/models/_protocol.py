"""What a chat generator is: anything with `run_async`, `run`, or both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from podium.agent.messages import ChatMessage
from podium.agent.streaming import StreamingChunk
from podium.tools import Tool

StreamingCallback = Callable[[StreamingChunk], Awaitable[None] | None]
"""Called with each chunk; may be a plain or an async function."""


@runtime_checkable
class AsyncChatGenerator(Protocol):
    """A chat model that is awaited."""

    async def run_async(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Tool] | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        streaming_callback: StreamingCallback | None = None,
    ) -> Mapping[str, Any]:
        """Return `{"replies": [ChatMessage]}`.

        Usage is in `reply.meta["usage"]` (prompt_tokens, completion_tokens, total_tokens), the
        reason in `reply.meta["finish_reason"]` (stop, length, tool_calls, content_filter). With a
        `streaming_callback` the reply is streamed and each chunk is handed to it.
        """
        ...


@runtime_checkable
class SyncChatGenerator(Protocol):
    """A chat model that blocks; podium runs it in a worker thread."""

    def run(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Tool] | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        streaming_callback: StreamingCallback | None = None,
    ) -> Mapping[str, Any]:
        """Return `{"replies": [ChatMessage]}`, as `AsyncChatGenerator.run_async` does."""
        ...


ChatGenerator = AsyncChatGenerator | SyncChatGenerator
