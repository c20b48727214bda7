"""Deep chains of agents with blocking tools at every level: no deadlock, nothing lost."""

from __future__ import annotations

from collections import Counter

import anyio
import anyio.lowlevel
import pytest

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool, Coordinator
from podium.tools import Tool, ToolCall, Toolset, tool

pytestmark = pytest.mark.anyio

DEPTH, TOOLS = 50, 8


@tool
def block(n: int) -> str:
    """Return from a worker thread."""
    return f"blocked-{n}"


def chain(depth: int, link: type[AgentTool] | None) -> Agent:
    """Return an agent whose tool is an agent, and so on; each also makes blocking calls."""
    agent = Agent(
        chat_generator=ScriptedChatGenerator([calls(*blocking()), "bottom"]),
        name="level-0",
        description="The lowest level.",
        tools=[block],
    )
    for level in range(1, depth):
        below = AgentTool(agent, name="below") if link else sync_delegate(agent)
        agent = Agent(
            chat_generator=ScriptedChatGenerator(
                [calls(call("below", task="go"), *blocking()), f"above {agent.name}"]
            ),
            name=f"level-{level}",
            description="A level.",
            tools=[below, block],
            tool_concurrency_limit=TOOLS + 1,
        )
    return agent


def blocking() -> list[ToolCall]:
    return [call("block", n=n) for n in range(TOOLS)]


def sync_delegate(agent: Agent) -> Tool:
    @tool(name="below")
    def delegate(task: str) -> str:
        """Run the agent below from blocking code."""
        return agent.run(task).text

    return delegate


@pytest.mark.parametrize("link", [AgentTool, None], ids=["as a tool", "by a blocking run"])
async def test_a_chain_fifty_deep_with_blocking_tools_ends(link: type[AgentTool] | None) -> None:
    top = Coordinator(
        chat_generator=ScriptedChatGenerator([calls(call("level-49", task="go")), "top"]),
        specialists=[chain(DEPTH, link)],
        max_depth=DEPTH,
    )

    with anyio.fail_after(30):
        result = await top.run_async("go")

    nodes = list(result.usage_tree.walk())
    assert result.text == "top"
    assert len(nodes) == DEPTH + 1
    assert nodes[-1].path.count("/") == DEPTH
    assert sum(node.own.tool_calls for node in nodes) == DEPTH * TOOLS + DEPTH
    assert sum(node.own.total_tokens for node in nodes) == result.usage.total_tokens


async def test_two_agents_that_only_send_a_task_round_are_stopped() -> None:
    circle = Toolset()
    asked = Counter[str]()
    ping = Coordinator(
        chat_generator=Forever("pong", asked),
        name="ping",
        description="Sends everything to pong.",
        specialists=[specialist_of(circle, asked)],
        max_agent_steps=50,
    )
    circle.add(AgentTool(ping))

    with anyio.fail_after(30):
        result = await ping.run_async("go")

    assert result["exit_reason"] == "repeated_call"
    assert asked.total() < 120
    assert max(node.path.count("/") for node in result.usage_tree.walk()) == 1


def specialist_of(circle: Toolset, asked: Counter[str]) -> Agent:
    return Coordinator(
        chat_generator=Forever("ping", asked),
        name="pong",
        description="Sends everything to ping.",
        specialists=[Agent(chat_generator=Forever("-", asked), name="other", description="d")],
        tools=circle,
        max_agent_steps=50,
    )


async def test_a_task_that_changes_on_its_way_round_is_stopped_by_depth() -> None:
    circle = Toolset()
    ping = Agent(
        chat_generator=Forever("ping", Counter(), changing=True),
        name="ping",
        description="Sends everything to itself.",
        tools=circle,
        max_agent_steps=1,
    )
    circle.add(AgentTool(ping))

    result = await ping.run_async("go")

    assert max(node.path.count("/") for node in result.usage_tree.walk()) == 8


class Forever:
    """A model that always delegates to the same agent."""

    def __init__(self, target: str, asked: Counter[str], *, changing: bool = False) -> None:
        self.target, self.asked, self.changing = target, asked, changing

    async def run_async(self, messages: object, *, tools: object = None) -> dict[str, object]:
        await anyio.lowlevel.checkpoint()
        self.asked[self.target] += 1
        task = f"go {self.asked.total()}" if self.changing else "go"
        return {"replies": [calls(call(self.target, task=task))]}
