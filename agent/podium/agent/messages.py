"""ChatMessage: one turn of a conversation, an immutable value that keeps its encoded form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from podium.tools import (
    FileContent,
    ImageContent,
    TextContent,
    ToolCall,
    ToolCallResult,
    clean_text,
)

PartT = TypeVar("PartT")


class ChatRole(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ReasoningContent:
    """What the model thought before it answered, where the provider shows it."""

    reasoning_text: str
    """The thinking, as text."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    """What the provider needs back with it, such as the name of its field or a signature."""


MessagePart = (
    TextContent | ImageContent | FileContent | ToolCall | ToolCallResult | ReasoningContent
)
UserPart = str | TextContent | ImageContent | FileContent


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message. Make it with `from_user`, `from_system`, `from_assistant` or `from_tool`.

    >>> ChatMessage.from_user("What is a closure?").text
    'What is a closure?'
    """

    role: ChatRole
    """Who speaks."""
    parts: tuple[MessagePart, ...]
    """The content, in order: reasoning, then text, then tool calls on an assistant's message."""
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    """Facts about the message that the model does not see: model, usage, finish_reason, ..."""
    name: str | None = None
    """The speaker's name, for providers that take one."""
    _wire: dict[str, bytes] = field(
        default_factory=dict[str, bytes], init=False, repr=False, compare=False, hash=False
    )

    @classmethod
    def from_user(
        cls,
        text: str | None = None,
        *,
        content_parts: Sequence[UserPart] | None = None,
        meta: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> ChatMessage:
        """Return a user's message of `text`, or of text, images and files in order.

        Raises:
            ValueError: both or neither of `text` and `content_parts`, or an empty list.
            TypeError: a part that is no text, image or file.
        """
        if (text is None) == (content_parts is None):
            raise ValueError(
                "ChatMessage.from_user takes either text or content_parts, and got "
                f"{'neither' if text is None else 'both'}. Pass one of them."
            )
        parts = [_user_part(part) for part in ([text] if content_parts is None else content_parts)]
        if not parts:
            raise ValueError("ChatMessage.from_user got content_parts=[]. Give at least one part.")
        return cls(ChatRole.USER, tuple(parts), dict(meta or {}), name)

    @classmethod
    def from_system(
        cls, text: str, *, meta: Mapping[str, Any] | None = None, name: str | None = None
    ) -> ChatMessage:
        """Return a system message: instructions that stand above the conversation."""
        return cls(ChatRole.SYSTEM, (_text_part(text, "from_system"),), dict(meta or {}), name)

    @classmethod
    def from_assistant(
        cls,
        text: str | None = None,
        *,
        tool_calls: Iterable[ToolCall] | None = None,
        meta: Mapping[str, Any] | None = None,
        name: str | None = None,
        reasoning: str | ReasoningContent | None = None,
    ) -> ChatMessage:
        """Return a model's message; one without any content is allowed."""
        parts: list[MessagePart] = []
        if isinstance(reasoning, str):
            reasoning = ReasoningContent(clean_text(reasoning))
        if reasoning is not None:
            parts.append(reasoning)
        if text is not None:
            parts.append(_text_part(text, "from_assistant"))
        parts.extend(tool_calls or ())
        return cls(ChatRole.ASSISTANT, tuple(parts), dict(meta or {}), name)

    @classmethod
    def from_tool(
        cls,
        tool_result: str | Sequence[TextContent | ImageContent | FileContent],
        origin: ToolCall,
        error: bool = False,
        *,
        meta: Mapping[str, Any] | None = None,
    ) -> ChatMessage:
        """Return the message that answers the call `origin`."""
        result = clean_text(tool_result) if isinstance(tool_result, str) else tuple(tool_result)
        return cls(ChatRole.TOOL, (ToolCallResult(result, origin, error),), dict(meta or {}))

    @property
    def text(self) -> str | None:
        """The text: all text parts joined; None when there is none (a tool's message has none)."""
        texts = self._of(TextContent)
        return "".join(part.text for part in texts) if texts else None

    @property
    def tool_calls(self) -> list[ToolCall]:
        """The tool calls, in the order the model wrote them."""
        return self._of(ToolCall)

    @property
    def tool_call_results(self) -> list[ToolCallResult]:
        """The tool results; a tool's message has exactly one."""
        return self._of(ToolCallResult)

    @property
    def tool_call_result(self) -> ToolCallResult | None:
        """The first tool result, or None."""
        return next(iter(self._of(ToolCallResult)), None)

    @property
    def images(self) -> list[ImageContent]:
        """The images, in order."""
        return self._of(ImageContent)

    @property
    def files(self) -> list[FileContent]:
        """The files, in order."""
        return self._of(FileContent)

    @property
    def reasoning(self) -> ReasoningContent | None:
        """What the model thought, or None."""
        return next(iter(self._of(ReasoningContent)), None)

    def is_from(self, role: ChatRole | str) -> bool:
        """Return whether `role` speaks."""
        return self.role == role

    def wire_form(self, api: str, encode: Callable[[ChatMessage], bytes]) -> bytes:
        """Return this message encoded for `api`; `encode` runs once, then its bytes are kept.

        A run sends each message once per step, so encoding it once is what keeps long runs flat.
        """
        encoded = self._wire.get(api)
        if encoded is None:
            encoded = self._wire[api] = encode(self)
        return encoded

    @staticmethod
    def wire_forms(
        messages: Iterable[ChatMessage], api: str, encode: Callable[[ChatMessage], bytes]
    ) -> list[bytes]:
        """Return the `wire_form` of each message, in order."""
        return [
            message.wire_form(api, encode) if (form := message._wire.get(api)) is None else form
            for message in messages
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that `from_dict` turns back into an equal message."""
        from podium.agent import _message_data  # only needed when messages are stored

        return _message_data.to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ChatMessage:
        """Return the message that `to_dict` described.

        Raises:
            ValueError: the data has no known role or holds an unknown part.
        """
        from podium.agent import _message_data  # only needed when messages are stored

        return _message_data.from_dict(data)

    def _of(self, kind: type[PartT]) -> list[PartT]:
        return [part for part in self.parts if isinstance(part, kind)]


def _text_part(text: object, factory: str) -> TextContent:
    if not isinstance(text, str):
        raise TypeError(
            f"ChatMessage.{factory} takes text, and got {type(text).__name__}. Pass a str."
        )
    return TextContent(text)


def _user_part(part: object) -> MessagePart:
    if isinstance(part, str):
        return TextContent(part)
    if isinstance(part, TextContent | ImageContent | FileContent):
        return part
    raise TypeError(
        f"A user message cannot hold a {type(part).__name__}. "
        "Use str, TextContent, ImageContent or FileContent."
    )
