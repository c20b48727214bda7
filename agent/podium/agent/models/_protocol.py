"""What a chat generator is: anything with `run_async`, `run`, or both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
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


@runtime_checkable
class CapsOutput(Protocol):
    """What a chat generator may have beside `run_async` or `run`, so that budgets hold with it.

    A budget gives each call an output limit that fits the room it has. A generator without this is
    called as it is, and its replies may be of any length: under a budget for tokens or money, give
    it at least `max_output_tokens`, since then so much can be set aside for each call.
    """

    @property
    def output_cap_is_hard(self) -> bool:
        """Whether no reply goes beyond its cap, with the reasoning that the provider charges."""
        ...

    @property
    def max_output_tokens(self) -> int | None:
        """The most tokens that any reply has; None when nobody knows."""
        ...

    def with_output_cap(
        self, generation_kwargs: Mapping[str, Any] | None, max_tokens: int
    ) -> Mapping[str, Any]:
        """Return the parameters, changed so that the call writes at most `max_tokens` tokens.

        They are those of the call; the generator's own, which they are added to, count as well. A
        limit that is lower already stays, and `generation_kwargs` itself is not changed.
        """
        ...

    def output_limit(self, generation_kwargs: Mapping[str, Any] | None) -> int | None:
        """Return how many tokens a call with these parameters may write; None for no limit."""
        ...


ChatGenerator = AsyncChatGenerator | SyncChatGenerator


def models_behind(generator: object) -> list[object]:
    """Return the generators that may be called in the place of this one, which may be itself.

    One that asks others has them in `chat_generators`, the preferred one first.
    """
    others: Sequence[object] | None = getattr(generator, "chat_generators", None)
    if not others:
        return [generator]
    return [model for one in others for model in models_behind(one)]
