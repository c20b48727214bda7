"""A tool call as the model wrote it, and the one result that answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from podium.tools.content import ContentPart, TextContent


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call the model asks for."""

    tool_name: str
    """The tool's name, as the model wrote it."""
    arguments: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    """The arguments by name; empty when they could not be read (then `problem` says why)."""
    id: str | None = None
    """What the result refers to; unique within its message once podium has taken it in."""
    problem: str | None = None
    """Why the arguments could not be read, as a clause for the model; such a call never runs."""
    extra: Mapping[str, object] | None = field(default=None, hash=False)
    """What else the provider sent with the call and wants back."""


@dataclass(frozen=True, slots=True)
class ToolCallResult:
    """What came of a tool call."""

    result: str | tuple[ContentPart, ...]
    """Text, or content parts where the tool returns images or files."""
    origin: ToolCall
    """The call this answers."""
    error: bool = False
    """True when the call failed; `result` then says how, in words for the model."""

    @property
    def text(self) -> str:
        """The result as text: parts that are not text are named, not shown."""
        if isinstance(self.result, str):
            return self.result
        return "\n".join(
            part.text if isinstance(part, TextContent) else f"[{part.mime_type}]"
            for part in self.result
        )
