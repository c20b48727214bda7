"""A coordinator with one specialist that looks things up: each call uses 250 tokens."""

from __future__ import annotations

from typing import Any

from podium.agent import Agent, AgentResult
from podium.agent.testing import ScriptedChatGenerator
from podium.orchestration import AgentTool, Coordinator
from podium.tools import tool

USAGE = {"prompt_tokens": 200, "completion_tokens": 50}


@tool
def look(q: str) -> str:
    """Look something up."""
    return f"facts about {q}"


def searching(*turns: Any, **settings: Any) -> Agent:
    """Return the specialist, which says `turns`."""
    return Agent(
        chat_generator=ScriptedChatGenerator(list(turns), usage=USAGE),
        name="searcher",
        description="Searches.",
        tools=[look],
        **settings,
    )


def leading(specialist: Agent | AgentTool, *turns: Any, **settings: Any) -> Coordinator:
    """Return the coordinator, which says `turns`."""
    return Coordinator(
        chat_generator=ScriptedChatGenerator(list(turns), usage=USAGE),
        specialists=[specialist],
        **settings,
    )


def found(result: AgentResult) -> str:
    """Return what the tools answered in a run."""
    return " ".join(one.text for m in result.messages for one in m.tool_call_results)
