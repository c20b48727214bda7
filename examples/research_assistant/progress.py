"""What each agent is doing, kept up to date from the events of a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from podium.agent import (
    AgentFinished,
    AgentStarted,
    Budget,
    BudgetChanged,
    RunEvent,
    RunFinished,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from podium.tools import ToolCall, printable

MAX_SHOWN_CHARS = 60


@dataclass(slots=True)
class AgentProgress:
    """One agent of the run, now."""

    path: str
    """Where it stands, such as `coordinator/searcher#2`."""
    started: float
    task: str = ""
    doing: str = "starts"
    calls: dict[str, str] = field(default_factory=dict[str, str])
    """The tool calls under way, by id."""
    tokens: int = 0
    """What it has used itself."""
    cost: Decimal = Decimal(0)
    """What that cost, as far as prices are known."""
    ended: float | None = None
    exit_reason: str = ""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def now(self) -> str:
        """What it is doing, in a few words."""
        if self.ended is not None:
            return "done" if self.exit_reason == "text" else f"ended: {self.exit_reason}"
        return ", ".join(self.calls.values()) or self.doing


@dataclass(slots=True)
class Progress:
    """All agents of a run, by path, in the order in which they started."""

    clock: Callable[[], float] = time.monotonic
    agents: dict[str, AgentProgress] = field(default_factory=dict[str, AgentProgress])

    def take(self, event: RunEvent) -> AgentProgress:
        """Note what an event says and return the agent it is about."""
        agent = self.agents.get(event.path)
        if agent is None:
            agent = self.agents[event.path] = AgentProgress(event.path, self.clock())
        match event:
            case AgentStarted():
                agent.task = shown(event.task)
            case StepStarted():
                agent.doing = f"thinks (step {event.step})"
            case TextDelta():
                agent.doing = f"writes (step {event.step})"
            case ToolCallStarted():
                agent.calls[event.call.id or ""] = shown_call(event.call)
            case ToolCallFinished():
                agent.calls.pop(event.call.id or "", None)
            case BudgetChanged():
                agent.tokens = event.usage.total_tokens
                agent.cost = event.usage.cost or Decimal(0)
            case AgentFinished() | RunFinished():
                agent.ended, agent.exit_reason = self.clock(), event.exit_reason
            case _:
                pass
        return agent

    def seconds(self, agent: AgentProgress) -> float:
        """Return how long an agent has worked."""
        return (self.clock() if agent.ended is None else agent.ended) - agent.started

    def left(self, budget: Budget) -> str:
        """Return what is left of the budget of the outermost agent, in a few words."""
        agents = list(self.agents.values())
        parts: list[str] = []
        if budget.total_tokens is not None:
            used = sum(agent.tokens for agent in agents)
            parts.append(f"{max(0, budget.total_tokens - used):,} tokens")
        if budget.cost_usd is not None:
            spent = sum((agent.cost for agent in agents), Decimal(0))
            parts.append(f"{max(Decimal(0), Decimal(budget.cost_usd) - spent):.4f} US dollars")
        if budget.seconds is not None:
            passed = self.seconds(agents[0]) if agents else 0.0
            parts.append(f"{max(0.0, budget.seconds - passed):.1f} s")
        return f"left: {', '.join(parts)}"


def shown(text: str) -> str:
    """Return text for one line of a terminal: short, and with nothing that could drive it."""
    return printable(" ".join(text.split()), limit=MAX_SHOWN_CHARS)


def shown_call(call: ToolCall) -> str:
    """Return a tool call as it would be written in Python, cut to a line."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return shown(f"{call.tool_name}({arguments})")
