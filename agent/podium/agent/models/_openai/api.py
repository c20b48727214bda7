"""What tells one of OpenAI's APIs from another: its path, its answers, its streams; and a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.streaming import StreamingChunk


class StreamAssembler(Protocol):
    """Makes replies of the events of one stream."""

    @property
    def are_finished(self) -> bool:
        """Whether the replies are whole, whatever becomes of the stream."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether nothing more can come that matters."""
        ...

    def add(self, chunk: Any) -> list[StreamingChunk]:
        """Take one event in and return what a callback should get for it."""
        ...

    def finish(self, *, is_done: bool, stray: str = "") -> list[ChatMessage]:
        """Return the replies; `is_done` says whether the provider marked the end."""
        ...

    def ended_early(self, why: str) -> ModelError:
        """Return the error for a stream that broke off."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One API."""

    path: str
    """Where calls are posted, below the base URL."""
    read_answer: Callable[[bytes, str], list[ChatMessage]]
    """Makes replies of a whole answer; the text is the model's name, for messages."""
    open_stream: Callable[[str, frozenset[str]], StreamAssembler]
    """Makes the assembler for a stream of this model, which was offered tools of these names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """What is sent."""

    api: Api
    """Where it goes."""
    model: str
    """The model's name, for messages about the call."""
    body: bytes
    """The request, encoded."""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The SDK's options: extra headers and query, a time-out of its own."""
    tool_names: frozenset[str] = frozenset()
    """What the model may call."""
