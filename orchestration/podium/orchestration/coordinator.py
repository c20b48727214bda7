"""Coordinator: an agent whose specialists are its tools, with limits that hold by default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from podium.agent import Agent
from podium.agent._definition import check_tools
from podium.agent.hooks import RepeatedCallHook
from podium.orchestration.agent_tool import AgentTool
from podium.tools import Tool, Toolset

if TYPE_CHECKING:
    from podium.agent.hooks import HookPoint

_ROSTER = """\
You coordinate specialists and answer the user yourself. Delegate with the tools below: give each
specialist one clear task with everything it needs to know, for it sees nothing else. Ask several at
once when their tasks do not depend on each other. Then answer from what they found; keep their
sources, and say what could not be found.

Your specialists:"""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Coordinator(Agent):
    """An agent that delegates to specialists, in parallel and to any depth.

    Each specialist is an agent or an `AgentTool`. The system prompt tells the model who they are;
    your own `system_prompt` follows that. A specialist's failure is a tool error for the
    coordinator, never the end of the others.

    Raises:
        ValueError: no specialists, two of one name, or a limit that cannot be.
        TypeError: a specialist that is no agent, or one that is not in a list.
    """

    name: str = "coordinator"
    specialists: Sequence[Agent | AgentTool] = ()
    """Whom it can delegate to."""
    max_depth: int | None = 8
    """How deep agents may nest below it."""
    max_calls_per_specialist: int = 64
    """Calls of one specialist in one run; further ones are refused. An AgentTool's own counts."""
    max_repeats: int = 3
    """How often equal calls may run, before they are refused and the run is ended as stuck."""
    answers_when_stopped: bool = True
    """Whether a run that a limit ended makes one more call, without tools, for an answer."""

    _team: tuple[AgentTool, ...] = field(init=False)
    _toolbox: tuple[Tool | Toolset, ...] = field(init=False)
    _guard: RepeatedCallHook = field(init=False)

    def __post_init__(self) -> None:
        """Turn the specialists into tools, then check everything as for any agent."""
        if not isinstance(self.specialists, Iterable):
            raise TypeError(
                f"Coordinator {self.name!r} got specialists={self.specialists!r}, not a list. "
                "Put it in a list, as in specialists=[agent]."
            )
        if not self.specialists:
            raise ValueError(
                f"Coordinator {self.name!r} got specialists={self.specialists!r}. "
                "Give at least one agent to delegate to, or use Agent."
            )
        for limit in ("max_depth", "max_calls_per_specialist"):
            value = getattr(self, limit)
            if value is not None and (isinstance(value, bool) or value < 1):
                raise ValueError(
                    f"Coordinator {self.name!r} got {limit}={value!r}. Give at least 1."
                )
        check_tools(self.chat_generator, self.tools)
        team = tuple(self._as_tool(one) for one in self.specialists)
        names = [one.name for one in team]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(
                f"Two specialists of coordinator {self.name!r} are named {twice!r}, so a call "
                "could mean either. Give each a name of its own, as in Agent(name='reader', ...)."
            )
        own = self.tools if self.tools is not None else ()
        extra = (own,) if isinstance(own, Toolset) else tuple(own)
        self._derive(
            _team=team, _toolbox=(*team, *extra), _guard=RepeatedCallHook(self.max_repeats)
        )
        super().__post_init__()

    def toolbox(self) -> Sequence[Tool | Toolset]:
        """Return the specialists as tools, then the coordinator's own tools."""
        return self._toolbox

    def hooks_at(self, point: HookPoint) -> Sequence[Any]:
        """Return the hooks of a point; the guard against repeated calls comes after the user's."""
        listed = super().hooks_at(point)
        return [*listed, self._guard] if point == "before_tool" else listed

    def preface(self) -> str:
        """Return what tells the model how to coordinate, and whom."""
        lines = [f"- {tool.name}: {' '.join(tool.description.split())}" for tool in self._team]
        return "\n".join([_ROSTER, *lines])

    def _as_tool(self, specialist: object) -> AgentTool:
        if isinstance(specialist, Agent):
            return AgentTool(specialist, max_calls=self.max_calls_per_specialist)
        if not isinstance(specialist, AgentTool):
            raise TypeError(
                f"Coordinator {self.name!r} got the specialist {specialist!r}. "
                "Pass Agent or AgentTool objects."
            )
        if specialist.max_calls is not None:
            return specialist
        return specialist.with_max_calls(self.max_calls_per_specialist)
