"""What a streaming callback receives: one chunk at a time, each saying whose it is."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.agent.messages import ReasoningContent
from podium.tools import ToolCallResult, printable


@dataclass(frozen=True, slots=True)
class ComponentInfo:
    """Who sent a chunk."""

    type: str
    """What kind of thing sent it, such as `OpenAIChatGenerator` or `Agent`."""
    name: str | None = None
    """The agent path it belongs to, such as `coordinator/research#2`; None outside a run."""


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a tool call that is being streamed."""

    index: int
    """Which call of the message it belongs to, from 0."""
    tool_name: str | None = None
    """The tool's name, on the first piece."""
    arguments: str | None = None
    """The next piece of the arguments' JSON text."""
    id: str | None = None
    """The call's id, on the first piece."""


@dataclass(frozen=True, slots=True)
class StreamingChunk:
    """One piece of a reply: one of content, tool_calls, tool_call_result and reasoning, or none."""

    content: str = ""
    """The next piece of text."""
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    """What the provider sent beside it: model, usage on the last chunk, and so on."""
    component_info: ComponentInfo | None = None
    """Who sent it."""
    index: int | None = None
    """Position of the content block within the reply, from 0."""
    tool_calls: tuple[ToolCallDelta, ...] | None = None
    """Pieces of tool calls."""
    tool_call_result: ToolCallResult | None = None
    """A finished tool result, sent by the agent after its tools have run."""
    start: bool = False
    """True on the first chunk of a content block."""
    finish_reason: str | None = None
    """Why the reply ended, on its last chunk; `tool_call_results` after a batch of results."""
    reasoning: ReasoningContent | None = None
    """The next piece of the model's reasoning."""

    def __post_init__(self) -> None:
        """Refuse a chunk that is two things at once."""
        if not (self.tool_calls or self.tool_call_result or self.reasoning):
            return  # text or nothing: by far the most chunks
        kinds = (self.content, self.tool_calls, self.tool_call_result, self.reasoning)
        if sum(1 for kind in kinds if kind) > 1:
            raise ValueError(
                "StreamingChunk holds more than one of content, tool_calls, tool_call_result and "
                f"reasoning: {kinds!r}. Send one chunk for each."
            )


def print_streaming_chunk(chunk: StreamingChunk) -> None:
    """Print a chunk to standard output as it comes: text, reasoning, tool calls and results.

    Control characters are shown escaped, so that a model cannot drive the terminal.
    """
    write = sys.stdout.write
    if chunk.tool_calls:
        for delta in chunk.tool_calls:
            if delta.tool_name:
                write(f"\n[TOOL CALL]\n{printable(delta.tool_name)} ")
            if delta.arguments:
                write(printable(delta.arguments))
    elif chunk.tool_call_result is not None:
        write(f"\n[TOOL RESULT]\n{printable(chunk.tool_call_result.text)}\n")
    elif chunk.reasoning is not None:
        write(("[REASONING]\n" if chunk.start else "") + printable(chunk.reasoning.reasoning_text))
    elif chunk.content:
        write(("\n[ASSISTANT]\n" if chunk.start else "") + printable(chunk.content))
    if chunk.finish_reason == "stop":
        write("\n")
    sys.stdout.flush()
