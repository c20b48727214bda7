"""A chat completion request as the fake server got it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from podium.tools._threads import run_in_thread


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request to `/v1/chat/completions`."""

    number: int
    """Its place among the requests, from 0."""
    body: dict[str, Any]
    """The body, parsed."""
    raw: bytes
    """The body as it came."""
    headers: Mapping[str, str]
    """The headers, names in lower case."""
    time: float
    """When it was complete, by `time.monotonic()`."""
    _gone: threading.Event = field(
        default_factory=threading.Event, init=False, repr=False, compare=False
    )

    @property
    def model(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, oldest first."""
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tool definitions; empty when there are none."""
        tools: list[dict[str, Any]] | None = self.body.get("tools")
        return tools or []

    @property
    def is_stream(self) -> bool:
        """Whether the answer is to be streamed."""
        return bool(self.body.get("stream"))

    @property
    def wants_usage(self) -> bool:
        """Whether a stream is to end with a chunk that holds the usage."""
        options: object = self.body.get("stream_options")
        return isinstance(options, Mapping) and bool(
            cast("Mapping[str, Any]", options).get("include_usage")
        )

    @property
    def output_limit(self) -> int | None:
        """The most tokens the reply may have, or None for as many as the model likes."""
        limits = (self.body.get("max_completion_tokens"), self.body.get("max_tokens"))
        return min((limit for limit in limits if isinstance(limit, int)), default=None)

    @property
    def first_user_text(self) -> str:
        """The text of the first user message: of a specialist, its task."""
        for message in self.messages:
            if message.get("role") == "user":
                return content_text(message.get("content"))
        return ""

    @property
    def disconnected(self) -> bool:
        """Whether the client left before the answer was complete."""
        return self._gone.is_set()

    async def wait_disconnected(self, timeout_seconds: float = 5.0) -> bool:
        """Wait until the client has left; return False when it has not in time."""
        return await run_in_thread(self._gone.wait, timeout_seconds)

    def note_disconnect(self) -> None:
        """Remember that the client has left; the server calls this."""
        self._gone.set()


def content_text(content: object) -> str:
    """Return the text of a message's `content`, which is text or a list of parts."""
    if isinstance(content, list):
        parts = cast("list[dict[str, Any]]", content)
        return "".join(str(part.get("text", "")) for part in parts)
    return content if isinstance(content, str) else ""
