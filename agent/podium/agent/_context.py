"""What a run needs: fixed facts of one agent's run, and what the whole tree of runs shares."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from podium.agent._channel import EventChannel

if TYPE_CHECKING:
    from anyio.lowlevel import EventLoopToken

    from podium.agent._effects import Effects
    from podium.agent._spending import Spending
    from podium.agent.events import RunEvent
    from podium.agent.models import StreamingCallback
    from podium.tracing._open_span import OpenSpan
    from podium.tracing._usage_tree import UsageMeter

DEFAULT_MAX_DEPTH = 8
"""How deep agents may nest when nobody says otherwise."""

EventT = TypeVar("EventT", bound="RunEvent")


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeContext:
    """What all runs below one outermost run share."""

    run_id: str
    """Names the outermost run."""
    effects: Effects
    """The one seam through which models, tools and the clock are reached."""
    channel: EventChannel | None
    """Where events go; None when nobody listens."""
    loop: EventLoopToken
    """The event loop the channel belongs to."""
    is_watched: bool
    """Whether anybody traced or measured when the outermost run started: a run is seen whole or
    not at all."""
    sequence: itertools.count[int] = field(default_factory=itertools.count)
    """Numbers the events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What one agent's run needs and never changes."""

    tree: TreeContext
    """What it shares with the other runs of its tree."""
    name: str
    """The agent's name."""
    path: str
    """The agent's place in the tree, such as `coordinator/research#2`."""
    depth: int
    """How many agents stand above it."""
    max_depth: int
    """The greatest depth an agent below it may stand at."""
    parent: RunContext | None
    """The run above it."""
    asked: tuple[int, str]
    """Which definition runs, by identity, and what it was asked: an equal one below is a circle."""
    cause: str | None
    """The tool call that started it."""
    meter: UsageMeter
    """Records what it uses."""
    span: OpenSpan
    """Its span; the parent of those below it."""
    spending: Spending | None
    """What it may spend; None when nothing limits it."""
    seconds: float | None
    """Its own time limit; those above it hold by themselves."""
    deadline: float | None
    """When its time is over, or that of a run above it, on the monotonic clock."""
    hook_context: Mapping[str, Any]
    """What the caller hands to hooks, the same for all agents of the tree."""
    streaming_callback: StreamingCallback | None
    """The caller's callback for chunks."""
    child_numbers: dict[str, itertools.count[int]] = field(
        default_factory=dict[str, "itertools.count[int]"]
    )
    """Counts the runs below it by agent name."""

    def child_path(self, name: str) -> str:
        """Return the path of the next run of agent `name` below this one, and take it."""
        number = next(self.child_numbers.setdefault(name, itertools.count(1)))
        return f"{self.path}/{name}" if number == 1 else f"{self.path}/{name}#{number}"

    def is_asked_above(self, asked: tuple[int, str]) -> bool:
        """Return whether this run, or one above it, is at work on the very same thing."""
        above: RunContext | None = self
        while above is not None:
            if above.asked == asked:
                return True
            above = above.parent
        return False

    def emit(self, kind: type[EventT], step: int, **facts: Any) -> None:
        """Put an event on the channel; nothing is built when nobody listens."""
        channel = self.tree.channel
        if channel is not None:
            channel.put(
                kind(
                    run_id=self.tree.run_id,
                    path=self.path,
                    depth=self.depth,
                    seq=next(self.tree.sequence),
                    step=step,
                    cause=self.cause,
                    **facts,
                )
            )

    async def wait_for_reader(self) -> None:
        """Wait while the consumer of the events is too far behind."""
        channel = self.tree.channel
        if channel is not None and channel.is_full:
            await channel.wait_for_room()

    def without_events(self) -> RunContext:
        """Return this context for a run on another event loop, where the channel cannot be used."""
        return replace(self, tree=replace(self.tree, channel=None))


current_run: ContextVar[RunContext | None] = ContextVar("podium_current_run", default=None)
"""The run that the code here belongs to: a nested `Agent.run` joins it."""
