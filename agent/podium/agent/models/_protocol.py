"""What a chat generator is: anything with `run_async`, `run`, or both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from podium.agent.streaming import StreamingChunk

StreamingCallback = Callable[[StreamingChunk], Awaitable[None] | None]
"""Called with each chunk; may be a plain or an async function."""


@runtime_checkable
class AsyncChatGenerator(Protocol):
    """A chat model that is awaited."""

    def run_async(self, *args: Any, **kwargs: Any) -> Awaitable[Mapping[str, Any]]:
        """Return `{"replies": [ChatMessage]}` for `run_async(messages, *, tools, ...)`.

        Called with the messages (oldest first) and, each only where there is something to say, the
        keywords `tools` (a list of Tool), `generation_kwargs` (parameters by name) and
        `streaming_callback`. Take those you understand; an agent with tools needs `tools`.

        Usage is in `reply.meta["usage"]` (prompt_tokens, completion_tokens, total_tokens), the
        reason in `reply.meta["finish_reason"]` (stop, length, tool_calls, content_filter). With a
        `streaming_callback` the reply is streamed and each chunk is handed to it.
        """
        ...


@runtime_checkable
class SyncChatGenerator(Protocol):
    """A chat model that blocks; podium runs it in a worker thread."""

    def run(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        """Return `{"replies": [ChatMessage]}`, as `AsyncChatGenerator.run_async` does."""
        ...


ChatGenerator = AsyncChatGenerator | SyncChatGenerator
