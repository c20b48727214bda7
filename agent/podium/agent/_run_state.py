"""What changes in one run: the state that hooks and tools see, and how far the loop has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from podium.agent._context import RunContext
from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent._stop import Stop
from podium.agent.messages import ChatMessage
from podium.tools import State, Tool, Toolset
from podium.tools.errors import StateError

if TYPE_CHECKING:
    from podium.agent._agent import Agent
    from podium.agent.models import StreamingCallback


def add_messages(current: list[ChatMessage], new: object) -> list[ChatMessage]:
    """Return the conversation with `new` behind it: a message, or a list of them.

    Raises:
        StateError: something else than a message, which no model could be sent.
    """
    added = cast("list[object]", new if isinstance(new, list | tuple) else [new])
    odd = [one for one in added if not isinstance(one, ChatMessage)]
    if odd:
        raise StateError(
            f"State key 'messages' takes ChatMessage objects, and got {odd[0]!r:.80}. "
            "Make one with ChatMessage.from_user(text)."
        )
    return [*current, *cast("list[ChatMessage]", added)]


def take_stop(current: object, new: object) -> str | None:
    """Return the reason for which a run is to stop; it becomes the exit reason.

    Raises:
        StateError: it is no text.
    """
    if new is None or isinstance(new, str):
        return new
    raise StateError(
        f"State key 'stop_run' takes the reason as text, and got {new!r:.80}. "
        "Set it to a word of your own, such as 'enough_found'."
    )


RUN_KEYS: Mapping[str, Mapping[str, Any]] = {
    "messages": {"type": list[ChatMessage], "handler": add_messages},
    "step_count": {"type": int},
    "token_usage": {"type": dict},
    "context_tokens": {"type": int},
    "tool_call_counts": {"type": dict},
    "exit_reason": {"type": str},
    "stop_run": {"type": str, "handler": take_stop},
    "continue_run": {"type": bool},
    "tools": {"type": list},
    "hook_context": {"type": dict},
    "budget": {"type": object},
}
"""What every run keeps in its state."""

RESERVED_KEYS = frozenset(RUN_KEYS) - {"messages"}
"""Keys a user's state schema may not declare."""

PRIVATE_KEYS = frozenset(
    {"budget", "context_tokens", "continue_run", "hook_context", "stop_run", "tools"}
)
"""Keys that steer a run and are not part of its result."""


@dataclass(slots=True, kw_only=True)
class RunState:
    """One run on its way."""

    agent: Agent
    """The definition; never changed."""
    context: RunContext
    """What the run needs."""
    state: State
    """What hooks and tools share."""
    tools: Sequence[Tool | Toolset] | Toolset
    """What the agent may use in this run."""
    generation_kwargs: Mapping[str, Any] | None
    """The caller's parameters for the model."""
    given: Sequence[ChatMessage]
    """The messages the run was given."""
    sound: Sequence[ChatMessage] = ()
    """The conversation as it was when last found valid: only what came since is looked at."""
    step_count: int = 0
    """Completed steps. The state shows them; what hooks write there moves no limit."""
    stop: Stop | None = None
    """How it ended; None while it goes on."""
    output: Any = None
    """The validated output, once there is one."""
    output_attempts: int = 0
    """Answers that did not fit the output type."""
    results: dict[str | None, ChatMessage] = field(default_factory=dict[str | None, ChatMessage])
    """Results of the calls under way, by call id: what is kept when the run is cut short."""
    cut_by_budget: bool = False
    """Whether the last reply was cut by the budget's own output limit."""
    denied: OutOfBudgetError | None = None
    """What a tool call found no room for; ends the run when the step is over."""
    unfinished: list[str] = field(default_factory=list[str])
    """Names of the tools whose calls were asked for and not done."""
    calls_taken: dict[str, int] = field(default_factory=dict[str, int])
    """Calls begun by tool name, against `max_calls`."""

    @property
    def messages(self) -> list[ChatMessage]:
        """The live conversation."""
        messages: list[ChatMessage] = self.state.data["messages"]
        return messages

    @property
    def streaming_callback(self) -> StreamingCallback | None:
        """The caller's callback for chunks."""
        return self.context.streaming_callback

    def add(self, *messages: ChatMessage) -> None:
        """Append to the conversation."""
        self.messages.extend(messages)

    def count_step(self) -> None:
        """Say that a step is complete."""
        self.step_count += 1
        self.state.data["step_count"] = self.step_count

    def resume_count(self) -> None:
        """Go on from the count that a `before_run` hook took from a stored run."""
        found = self.state.data.get("step_count")
        if isinstance(found, int) and found > 0:
            self.step_count = found

    def end(self, reason: str, **facts: Any) -> None:
        """End the run for `reason`; the loop stops at its next turn."""
        self.state.data["exit_reason"] = reason
        facts.setdefault("by", self.context.path)
        self.stop = Stop(reason=reason, step=self.step_count, path=self.context.path, **facts)

    def go_on(self) -> None:
        """Take the ending back, because an exit hook asked to continue."""
        self.state.data["exit_reason"] = None
        self.stop = None
