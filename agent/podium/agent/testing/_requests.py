"""A request as the fake server got it, of either API."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from podium.agent.testing._responses_request import as_chat
from podium.tools._threads import run_in_thread


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request to `/v1/chat/completions` or `/v1/responses`."""

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
    api: Literal["chat", "responses"] = "chat"
    """Which API was asked."""
    path: str = "/v1/chat/completions"
    """Where it was posted."""
    query: str = ""
    """What stood behind the `?` of the URL."""
    _gone: threading.Event = field(
        default_factory=threading.Event, init=False, repr=False, compare=False
    )

    @property
    def model(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def chat(self) -> Mapping[str, Any]:
        """The body in the words of chat completions, whichever API was asked."""
        return self.body if self.api == "chat" else as_chat(self.body)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, oldest first, in the words of chat completions."""
        messages: list[dict[str, Any]] = self.chat["messages"]
        return messages

    @property
    def items(self) -> list[dict[str, Any]]:
        """The input items of a responses request, as they came; empty for the other API."""
        given: Any = self.body.get("input")
        return list(given) if isinstance(given, list) else []  # pyright: ignore[reportUnknownArgumentType]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tool definitions, in the words of chat completions; empty when there are none."""
        tools: list[dict[str, Any]] | None = self.chat.get("tools")
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
        names = ("max_completion_tokens", "max_tokens", "max_output_tokens")
        limits = map(self.body.get, names)
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
