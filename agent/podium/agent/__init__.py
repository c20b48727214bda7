"""One agent: a chat model in a loop with tools, its messages, hooks and events.

from podium.agent import Agent
from podium.agent.models import LexicalChatGenerator

agent = Agent(chat_generator=LexicalChatGenerator(), system_prompt="Answer briefly.")
print(agent.run("Hello").text)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from podium.agent._agent import Agent
from podium.agent._result import AgentResult
from podium.agent._stop import Stop
from podium.agent._stream import RunStream
from podium.agent.errors import (
    AgentError,
    BudgetExceededError,
    DelegationError,
    ModelError,
    OutputError,
)
from podium.agent.hooks import Hook, HookPoint, hook
from podium.agent.messages import ChatMessage, ChatRole, ReasoningContent
from podium.agent.secrets import Secret
from podium.agent.streaming import (
    ComponentInfo,
    StreamingChunk,
    ToolCallDelta,
    print_streaming_chunk,
)
from podium.tools import State

if TYPE_CHECKING:
    from podium.agent._account import RunAccount, current_account
    from podium.agent.budget import Budget, BudgetView
    from podium.agent.events import (
        AgentFinished,
        AgentStarted,
        BudgetChanged,
        ReasoningDelta,
        RunEvent,
        RunFinished,
        RunStarted,
        StepStarted,
        TextDelta,
        ToolCallFinished,
        ToolCallProgress,
        ToolCallStarted,
    )

__all__ = [
    "Agent",
    "AgentError",
    "AgentFinished",
    "AgentResult",
    "AgentStarted",
    "Budget",
    "BudgetChanged",
    "BudgetExceededError",
    "BudgetView",
    "ChatMessage",
    "ChatRole",
    "ComponentInfo",
    "DelegationError",
    "Hook",
    "HookPoint",
    "ModelError",
    "OutputError",
    "ReasoningContent",
    "ReasoningDelta",
    "RunAccount",
    "RunEvent",
    "RunFinished",
    "RunStarted",
    "RunStream",
    "Secret",
    "State",
    "StepStarted",
    "Stop",
    "StreamingChunk",
    "TextDelta",
    "ToolCallDelta",
    "ToolCallFinished",
    "ToolCallProgress",
    "ToolCallStarted",
    "current_account",
    "hook",
    "print_streaming_chunk",
]


_LAZY = {
    "podium.agent._account": ("RunAccount", "current_account"),
    "podium.agent.budget": ("Budget", "BudgetView"),
    "podium.agent.events": (
        "AgentFinished",
        "AgentStarted",
        "BudgetChanged",
        "ReasoningDelta",
        "RunEvent",
        "RunFinished",
        "RunStarted",
        "StepStarted",
        "TextDelta",
        "ToolCallFinished",
        "ToolCallProgress",
        "ToolCallStarted",
    ),
}


def __getattr__(name: str) -> Any:
    """Load what not every program needs when it is first asked for."""
    for module, names in _LAZY.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'podium.agent' has no attribute {name!r}")
