"""What happens in a run, as typed events: `async for event in run` hands them out in order.

Every event says whose it is: `path` names the agent (`coordinator/research#2`), `cause` the tool
call that started it. Events of nested agents arrive in the same stream; those of one agent are in
order.
"""

from __future__ import annotations

from dataclasses import dataclass

from podium.tools import ToolCall
from podium.tracing import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """What every event tells."""

    run_id: str
    """The run of the outermost agent."""
    path: str
    """The agent this is about, such as `coordinator/research#2`."""
    depth: int
    """How many agents stand above it; 0 for the outermost."""
    seq: int
    """Position in the whole stream; grows by one with each event."""
    step: int
    """The agent's step, from 1; 0 before the first."""
    cause: str | None = None
    """The id of the tool call that started this agent; None for the outermost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(RunEvent):
    """The outermost agent starts; the first event of a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStarted(RunEvent):
    """A nested agent starts."""

    task: str
    """What it was asked to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted(RunEvent):
    """An agent is about to call its model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(RunEvent):
    """The model wrote a piece of text."""

    text: str
    """The piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta(RunEvent):
    """The model thought a piece."""

    text: str
    """The piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStarted(RunEvent):
    """A tool is about to run."""

    call: ToolCall
    """The call, as the model wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallProgress(RunEvent):
    """A running tool says how far it is; left out where the reader is too far behind."""

    call: ToolCall
    """The call, as the model wrote it."""
    done: float
    """How much is done."""
    total: float | None
    """Of how much; None where the tool does not say."""
    message: str
    """What it is at, in the tool's words; empty for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallFinished(RunEvent):
    """A tool call has its result."""

    call: ToolCall
    """The call that was answered."""
    result: str
    """The result as text."""
    error: bool
    """Whether the call failed."""
    seconds: float
    """How long it took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetChanged(RunEvent):
    """An agent's model call was paid for."""

    usage: Usage
    """What the agent itself has used so far, without the agents below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFinished(RunEvent):
    """A nested agent has ended, one way or another."""

    exit_reason: str
    """Why it ended; `error` when it raised."""
    usage: Usage
    """What it used, agents below it included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(RunEvent):
    """The outermost agent has ended; the last event of a stream."""

    exit_reason: str
    """Why it ended; `error` when it raised."""
    usage: Usage
    """What the whole tree used."""
