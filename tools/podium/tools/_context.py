"""What a running tool call is handed, besides its arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from podium.tools._calls import ToolCall
from podium.tools._state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """The call, the run's state, and what belongs to the agent that makes the call."""

    call: ToolCall
    """The call being answered."""
    state: State
    """This call's handle on the run's state; closed when the call is over."""
    streaming_callback: Callable[[Any], Awaitable[None] | None] | None = None
    """The run's streaming callback, where the agent passes it on to tools."""
    run: Any = None
    """The calling agent's run context; opaque here, read by tools that run agents."""
    child_path: str | None = None
    """The agent path reserved for the agent this call starts, in call order."""
    report: Callable[[float, float | None, str], None] | None = None
    """Tells those who watch the run how far the call is: done, of how much, and in words."""
    siblings: tuple[int, int] = (0, 1)
    """Which of the agents started in this step it is, from 0, and how many they are."""
