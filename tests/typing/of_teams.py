"""What type checkers see of agents that delegate. Checked, never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_type

from podium.agent import Agent, AgentResult, ChatMessage
from podium.agent.testing import ScriptedChatGenerator
from podium.orchestration import AgentTool, Coordinator, SupportsRun
from podium.tools import Tool, tool

model = ScriptedChatGenerator(["Hello"])
specialist = Agent(chat_generator=model, name="research", description="Finds things.")


class Archive:
    """Not an agent, but it runs like one."""

    name = "archive"
    description = "Knows the past."

    async def run_async(self, messages: Sequence[ChatMessage], **inputs: Any) -> Mapping[str, Any]:
        return {"last_message": messages[-1]}


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


as_tool = AgentTool(specialist, max_calls=3, timeout_seconds=60.0, return_direct=True)
of_something_else = AgentTool(Archive(), inputs_from_state={"year": "year"})
team = Coordinator(chat_generator=model, specialists=[specialist, as_tool], tools=[add])
above: Agent = team
runs: list[SupportsRun] = [Archive(), specialist, team]
tools: list[Tool] = [as_tool, of_something_else, add]

assert_type(as_tool.with_max_calls(1), AgentTool)
assert_type(team.run("Hi"), AgentResult)
assert_type(team.clone(max_depth=2), Coordinator)

AgentTool(add)  # type: ignore[arg-type]  # a tool is no agent
Coordinator(chat_generator=model, specialists=[add])  # type: ignore[list-item]  # so is no specialist
Agent(chat_generator=model, specialists=[specialist])  # type: ignore[call-arg]  # a Coordinator has
