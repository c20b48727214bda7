"""What FakeOpenAIServer can answer a request with: good replies, odd streams and faults.

Plain text stands for `Reply(text)`, and a ChatMessage for the reply with its text and tool calls.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium.agent.messages import ChatMessage
from podium.tools import ToolCall


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as a provider gives it: streamed if the request asks for a stream, else plain."""

    text: str | None = None
    """The text, if any."""
    tool_calls: Sequence[ToolCall] = ()
    """The tool calls; those without an id get one."""
    message: Mapping[str, Any] | None = None
    """The whole `message` of the answer, instead of `text` and `tool_calls`; sent as it is."""
    finish_reason: str | None = None
    """None says `tool_calls` or `stop` by what the reply holds."""
    usage: Mapping[str, Any] | None = None
    """None counts it, and cuts the reply to the request's output limit; `{}` reports none."""
    delay_seconds: float = 0.0
    """Time to think before the first byte."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    """More keys for the body of a plain answer."""
    output: Sequence[Mapping[str, Any]] | None = None
    """The output items of a response, in place of text, calls and message; sent as they are."""


@dataclass(frozen=True, slots=True)
class Sse:
    """A stream event by event, for what odd providers send."""

    events: Sequence[str | Mapping[str, Any]]
    """Each event as text without its closing blank line, or as the JSON of its `data:` line."""
    line_ending: str = "\n"
    """How lines end on the wire."""
    done: bool = True
    """Whether `data: [DONE]` closes the stream; without any, the connection just ends."""
    delay_seconds: float = 0.0
    """Time to think before the first byte."""


@dataclass(frozen=True, slots=True)
class RawReads:
    """The body of an answer in the pieces in which the network delivers it."""

    chunks: Sequence[bytes]
    """What each read of the client is meant to get."""
    gap_seconds: float = 0.005
    """Pause between two pieces, so that they do not arrive as one."""
    delay_seconds: float = 0.0
    """Time to think before the first byte."""


@dataclass(frozen=True, slots=True)
class SlowSse:
    """A stream that takes its time."""

    pieces: int
    """How many pieces of text there are."""
    piece_seconds: float
    """Pause before each piece."""
    text: str = "word "
    """The text of each piece."""
    delay_seconds: float = 0.0
    """Time to think before the first byte."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An HTTP error."""

    status: int
    """The status code, such as 429."""
    body: Mapping[str, Any] | str | None = None
    """JSON or text; None says so in OpenAI's form."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """More headers, such as `retry-after`."""
    delay_seconds: float = 0.0
    """Time to think before the first byte."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A connection that breaks: nothing comes, or an answer stops short."""

    after_bytes: int = 0
    """How much of the answer's body is sent; 0 sends not even its head."""
    reply: Reply = field(default_factory=lambda: Reply("This answer never ends."))
    """The answer that is broken off."""
    delay_seconds: float = 0.0
    """Time to think before the first byte, or before the connection breaks."""


Turn = Reply | Sse | RawReads | SlowSse | Fault | Drop
"""One answer of the server."""
AnyTurn = Turn | str | ChatMessage
"""A turn as a script may have it."""


def as_turn(turn: object) -> Turn:
    """Return `turn` in full: text and a ChatMessage become a Reply.

    Raises:
        TypeError: it is none of the kinds of turn.
    """
    if isinstance(turn, str):
        return Reply(turn)
    if isinstance(turn, ChatMessage):
        return Reply(turn.text, turn.tool_calls)
    if isinstance(turn, Turn):
        return turn
    raise TypeError(
        f"{turn!r} is no turn of a FakeOpenAIServer. Give text, a ChatMessage, or a Reply, Sse, "
        "RawReads, SlowSse, Fault or Drop."
    )


def turn_from_dict(data: Mapping[str, Any]) -> Turn:
    """Return the turn that a script kept as JSON describes.

    Knows `{"message", "finish_reason", "usage"}`, `{"sse": [...], "line_ending"}`,
    `{"reads_b64": [...]}`, `{"sse_slow": {"pieces", "delay", "text"}}` and
    `{"http_error": {"status", "body", "headers"}}`, each with an optional `delay` in seconds.

    Raises:
        ValueError: it has none of these keys.
    """
    delay = float(data.get("delay", 0.0))
    match data:
        case {"message": message}:
            usage: Mapping[str, Any] | None = data.get("usage")
            if usage is None and "usage" in data:
                usage = {}
            reason = data.get("finish_reason")
            return Reply(message=message, finish_reason=reason, usage=usage, delay_seconds=delay)
        case {"sse": events}:
            return Sse(events, data.get("line_ending", "\n"), done=False, delay_seconds=delay)
        case {"reads_b64": reads}:
            return RawReads([base64.b64decode(read) for read in reads], delay_seconds=delay)
        case {"sse_slow": slow}:
            return SlowSse(slow["pieces"], slow["delay"], slow["text"], delay_seconds=delay)
        case {"http_error": fault}:
            body, headers = fault.get("body"), fault.get("headers", {})
            return Fault(fault["status"], body, headers, delay_seconds=delay)
        case _:
            raise ValueError(
                f"No turn is described by the keys {sorted(data)}. Use one of message, sse, "
                "reads_b64, sse_slow and http_error."
            )
