"""One agent: a chat model in a loop with tools, its messages, hooks and events.

from podium.agent import Agent
from podium.agent.models import LexicalChatGenerator

agent = Agent(chat_generator=LexicalChatGenerator(), system_prompt="Answer briefly.")
print(agent.run("Hello").text)
"""

from podium.agent._agent import Agent
from podium.agent._result import AgentResult
from podium.agent._stop import Stop
from podium.agent._stream import RunStream
from podium.agent.errors import AgentError, DelegationError, ModelError, OutputError
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
    ToolCallStarted,
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

__all__ = [
    "Agent",
    "AgentError",
    "AgentFinished",
    "AgentResult",
    "AgentStarted",
    "BudgetChanged",
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
    "ToolCallStarted",
    "hook",
    "print_streaming_chunk",
]
