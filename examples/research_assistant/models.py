"""Which model answers: an OpenAI-compatible one where there is any, else the stand-in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.agent import ChatMessage
from podium.agent.models import (
    ChatGenerator,
    LexicalChatGenerator,
    OpenAIChatGenerator,
    StreamingCallback,
)
from podium.tools import Tool
from research_assistant.documents import ResearchError

KEY = "OPENAI_API_KEY"
DEFAULT_MODEL = "gpt-5-mini"
TIMEOUT_SECONDS = 300.0
"""A model on one's own machine may think for minutes before its first word."""
STAND_IN = (
    "the lexical stand-in. It matches words and quotes sentences; it is not a language model. "
    f"For a real one set {KEY}, or name a server with --base-url."
)


class WholeReplies(OpenAIChatGenerator):
    """The same model without streaming, for servers that cannot stream tool calls."""

    async def run_async(
        self,
        messages: Sequence[ChatMessage] | str,
        *,
        tools: Iterable[Tool] | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        streaming_callback: StreamingCallback | None = None,
    ) -> dict[str, list[ChatMessage]]:
        """Return the reply; nobody hears it come."""
        return await super().run_async(messages, tools=tools, generation_kwargs=generation_kwargs)


def choose_model(
    model: str | None, base_url: str | None, *, stream: bool
) -> tuple[ChatGenerator, str]:
    """Return the chat generator, and what to tell the user about it.

    Raises:
        ResearchError: a model is named, but there is no key and no server to ask; or the server's
            address is none.
    """
    key = os.environ.get(KEY, "")
    if not (key or base_url):
        if model:
            raise ResearchError(
                f"The model {model!r} cannot be asked: {KEY} is not set. "
                "Set it, or name a server that needs no key with --base-url."
            )
        return LexicalChatGenerator(), STAND_IN
    kind = OpenAIChatGenerator if stream else WholeReplies
    name = model or DEFAULT_MODEL
    try:
        generator = kind(
            api_key=key or "none", model=name, api_base_url=base_url, timeout=TIMEOUT_SECONDS
        )
    except ValueError as error:
        raise ResearchError(f"--base-url: {error}") from error
    return generator, f"{name} at {base_url or 'OpenAI'}"
