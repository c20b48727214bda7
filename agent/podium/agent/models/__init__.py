"""Chat models: what an agent asks, and the ones that podium brings.

    from podium.agent.models import OpenAIChatGenerator

    generator = OpenAIChatGenerator(model="gpt-5-mini")

Anything with `run_async` or `run` of the same form is a chat generator; see `AsyncChatGenerator`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from podium.agent.models._protocol import (
    AsyncChatGenerator,
    CapsOutput,
    ChatGenerator,
    StreamingCallback,
    SyncChatGenerator,
)

if TYPE_CHECKING:
    from podium.agent._tries import next_try
    from podium.agent.models._openai.history import messages_from_openai
    from podium.agent.models._rate_limit import RateLimit
    from podium.agent.models.fallback import FallbackChatGenerator, is_curable_elsewhere
    from podium.agent.models.lexical import LexicalChatGenerator
    from podium.agent.models.openai_chat import OpenAIChatGenerator
    from podium.agent.models.openai_responses import OpenAIResponsesChatGenerator

__all__ = [
    "AsyncChatGenerator",
    "CapsOutput",
    "ChatGenerator",
    "FallbackChatGenerator",
    "LexicalChatGenerator",
    "OpenAIChatGenerator",
    "OpenAIResponsesChatGenerator",
    "RateLimit",
    "StreamingCallback",
    "SyncChatGenerator",
    "is_curable_elsewhere",
    "messages_from_openai",
    "next_try",
]

# Loaded when first asked for: each brings imports that a program without it should not pay for.
_LAZY = {
    "FallbackChatGenerator": "podium.agent.models.fallback",
    "LexicalChatGenerator": "podium.agent.models.lexical",
    "OpenAIChatGenerator": "podium.agent.models.openai_chat",
    "OpenAIResponsesChatGenerator": "podium.agent.models.openai_responses",
    "RateLimit": "podium.agent.models._rate_limit",
    "is_curable_elsewhere": "podium.agent.models.fallback",
    "messages_from_openai": "podium.agent.models._openai.history",
    "next_try": "podium.agent._tries",
}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return __all__
