"""The one message that a rendered prompt becomes."""

from __future__ import annotations

from podium.agent.messages import ChatMessage
from podium.agent.prompts._context import PromptContext
from podium.agent.prompts._limits import PromptError
from podium.tools import ContentPart, TextContent


def build_message(output: str, context: PromptContext, role: str, has_block: bool) -> ChatMessage:
    """Return the message that was rendered: `output`, or what the message block took in.

    Raises:
        PromptError: there is not exactly one message, it has another role, or it is empty.
    """
    if not has_block:
        return _message(context.parts.split(output), role, None)
    if output.strip():
        raise PromptError(
            f"The {role} prompt has text outside its message block: {output.strip()!r:.80}. "
            "Move it into the block."
        )
    if len(context.messages) != 1:
        raise PromptError(
            f"The {role} prompt rendered {len(context.messages)} messages, and it must be one. "
            "See to it that its message block is reached exactly once."
        )
    found, name, text = context.messages[0]
    if found != role:
        raise PromptError(
            f"The {role} prompt rendered a message of role {found!r:.80}. "
            f"Give its message block the role {role!r}."
        )
    if not isinstance(name, str | None):
        raise PromptError(
            f"The {role} prompt gives its message the name {name!r:.80}. Make the name a text."
        )
    return _message(context.parts.split(text), role, name)


def _message(pieces: list[str | ContentPart], role: str, name: str | None) -> ChatMessage:
    # White space between two parts is layout of the template, and providers refuse blank texts.
    content = [piece for piece in pieces if not isinstance(piece, str) or piece.strip()]
    if not content:
        raise PromptError(
            f"The {role} prompt rendered to nothing. Give it text that does not depend on empty "
            "values, or leave the prompt out."
        )
    if role == "user":
        return ChatMessage.from_user(content_parts=content, name=name)
    texts = [piece.text if isinstance(piece, TextContent) else piece for piece in content]
    text = "".join(piece for piece in texts if isinstance(piece, str))
    if not all(isinstance(piece, str) for piece in texts):
        raise PromptError(
            f"The {role} prompt holds an image or a file besides {text!r:.40}. A system message "
            "is text only: put it into the user prompt."
        )
    return ChatMessage.from_system(text, name=name)
