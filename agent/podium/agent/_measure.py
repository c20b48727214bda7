"""How large a message, a tool or a schema is in a prompt, for any way of counting text.

`PIECES` is near the truth and nearly always above it. `BYTES` is above it for every tokenizer whose
tokens are a byte or more of text, at four times the truth for prose.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.agent.messages import ChatMessage, MessagePart
from podium.agent.models._estimate import (
    IMAGE_TOKENS,
    LOW_DETAIL_IMAGE_TOKENS,
    MESSAGE_OVERHEAD,
    estimate_tokens,
    reasoning_tokens,
)
from podium.tools import FileContent, ImageContent, TextContent, Tool, ToolCall, ToolCallResult

STRICT_OVERHEAD = 64
"""Tokens that frame a message or a call where each byte is one: the role's name counts too."""

_SENT_META = ("refusal", "provider_fields")
"""What of a message's meta goes back to the provider."""
# With spaces, as the templates of some models write JSON.
_as_json = json.JSONEncoder(ensure_ascii=False, default=str).encode


@dataclass(frozen=True, slots=True)
class Measure:
    """A way of counting text, and what follows from it for messages and tools."""

    name: str
    """Tells it from others: a message remembers how large it is by each."""
    text: Callable[[str], int]
    """Returns the tokens of a text."""
    schema_text: Callable[[str], int]
    """Returns the tokens of a schema, as JSON text."""
    is_strict: bool = False
    """Whether all that may be in the prompt counts, or only what is there as a rule."""

    @property
    def frame(self) -> int:
        """Tokens that frame a message or a tool call."""
        return STRICT_OVERHEAD if self.is_strict else MESSAGE_OVERHEAD

    def message(self, message: ChatMessage) -> int:
        """Return the tokens of a message with its frame; counted once, then remembered."""
        return int(message.wire_form(f"measure.{self.name}", self._encode))

    def tool(self, tool: Tool) -> int:
        """Return the tokens of a tool's definition."""
        described = {"name": tool.name, "description": tool.description}
        return self.schema(
            {"type": "function", "function": {**described, "parameters": tool.parameters}}
        )

    def schema(self, schema: Mapping[str, Any]) -> int:
        """Return the tokens of a schema that a request holds."""
        return self.schema_text(_as_json(dict(schema)))

    def _encode(self, message: ChatMessage) -> bytes:
        sent = {key: message.meta[key] for key in _SENT_META if message.meta.get(key)}
        beside = self.text(message.name or "") + self._data(sent)
        return b"%d" % (self.frame + beside + sum(map(self._part, message.parts)))

    def _part(self, part: MessagePart) -> int:
        match part:
            case TextContent(text):
                return self.text(text)
            case ImageContent():
                return LOW_DETAIL_IMAGE_TOKENS if part.detail == "low" else IMAGE_TOKENS
            case FileContent():
                # Nobody knows beforehand what a provider reads in a file.
                size = len(part.base64_data) if self.is_strict else len(part.base64_data) // 4
                return size + self.text(part.filename or "")
            case ToolCall():
                said = self.text(part.tool_name) + self.text(_as_json(dict(part.arguments)))
                return self.frame + said + self._hidden(part.id, part.extra)
            case ToolCallResult():
                return self._result(part)
            case _:
                # What goes back may be more than its summary; the provider has counted it.
                shown = max(self.text(part.reasoning_text), reasoning_tokens(part))
                return shown + self._hidden(None, part.extra)

    def _result(self, result: ToolCallResult) -> int:
        label = self._hidden(result.origin.id, None)
        if isinstance(result.result, str):
            return label + self.text(result.result)
        # An image or a file is named here, and again in a message of its own that brings it.
        attached = sum(not isinstance(part, TextContent) for part in result.result)
        return label + attached * (8 * self.frame + 2 * label) + sum(map(self._part, result.result))

    def _hidden(self, identity: str | None, extra: Mapping[str, Any] | None) -> int:
        """Return the tokens of what few models are shown: ids, and data for the provider."""
        if not self.is_strict:
            return 0
        return self.text(identity or "") + self._data(extra)

    def _data(self, data: Mapping[str, Any] | None) -> int:
        return self.text(_as_json(dict(data))) if data else 0


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _bounded_pieces(text: str) -> int:
    return -(-6 * estimate_tokens(text) // 5)  # 1.2 times, rounded up


def _third_of_bytes(text: str) -> int:
    return -(-_bytes(text) // 3)


PIECES = Measure("pieces", _bounded_pieces, _third_of_bytes)
"""The piece estimator with its safety factor of 1.2, and a third of the bytes of schemas."""
BYTES = Measure("bytes", _bytes, _bytes, is_strict=True)
"""A token for each byte of UTF-8."""
