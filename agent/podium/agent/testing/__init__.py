"""Fakes for tests: a chat model that follows a script, and a server that plays a provider.

>>> from podium.agent import Agent
>>> from podium.agent.testing import ScriptedChatGenerator
>>> with ScriptedChatGenerator(["Paris."]) as model:
...     result = Agent(chat_generator=model).run("What is the capital of France?")
>>> result.text
'Paris.'

Both are strict: a call too many and a turn left over fail the test. With pytest the fixtures
`scripted_model`, `openai_server` and `span_recorder` are there without an import.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podium.agent.testing._requests import RecordedRequest
    from podium.agent.testing._script import ScriptError, call, calls
    from podium.agent.testing._turns import (
        Drop,
        Fault,
        RawReads,
        Reply,
        SlowSse,
        Sse,
        turn_from_dict,
    )
    from podium.agent.testing.fake_openai import FakeOpenAIServer
    from podium.agent.testing.scripted import ScriptedChatGenerator, ScriptedRequest

__all__ = [
    "Drop",
    "FakeOpenAIServer",
    "Fault",
    "RawReads",
    "RecordedRequest",
    "Reply",
    "ScriptError",
    "ScriptedChatGenerator",
    "ScriptedRequest",
    "SlowSse",
    "Sse",
    "call",
    "calls",
    "turn_from_dict",
]

_MODULES = {
    "_requests": ["RecordedRequest"],
    "_script": ["ScriptError", "call", "calls"],
    "_turns": ["Drop", "Fault", "RawReads", "Reply", "SlowSse", "Sse", "turn_from_dict"],
    "fake_openai": ["FakeOpenAIServer"],
    "scripted": ["ScriptedChatGenerator", "ScriptedRequest"],
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: pytest loads this package in every user's test run."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
