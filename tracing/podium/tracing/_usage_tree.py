"""Who used what: the tree of usage by agent path, and the meter that records one agent's run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, cast

from podium.tracing._usage import Usage, add_token_usage, complete_token_usage


@dataclass(frozen=True, slots=True, kw_only=True)
class CallUsage:
    """What one agent's calls of one model for one purpose used together."""

    model: str
    """The model that answered."""
    purpose: str
    """What the calls were for: `loop`, `final_answer`, `hook`, `tool` or `compaction`."""
    usage: Usage
    """The sum over these calls."""

    @property
    def count(self) -> int:
        """How many calls there were."""
        return self.usage.requests


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTree:
    """One agent run and the runs it started; `print` it for a table by agent path.

    The own usage of all nodes sums to the total of the root, so no token has two owners.
    """

    path: str
    """Where the agent stands, such as `coordinator/research#2`; unique in its tree."""
    name: str
    """The agent's name."""
    own: Usage
    """What the agent used itself."""
    total: Usage = field(init=False)
    """What the agent and everything below it used."""
    calls: tuple[CallUsage, ...] = ()
    """`own` split by model and purpose, in order of first use."""
    children: tuple[UsageTree, ...] = ()
    """The agents it started, in that order."""
    exit_reason: str | None = None
    """Why its run ended; None while it goes on."""
    wall_seconds: float = 0.0
    """From start to end; children that ran at the same time overlap."""
    model_seconds: float = 0.0
    """In its own model calls."""
    tool_seconds: float = 0.0
    """In its own tool calls, summed; calls that ran at the same time each count in full."""
    wait_seconds: float = 0.0
    """Waiting for room in a budget."""
    abandoned_threads: int = 0
    """Its own calls of blocking tools that could not be stopped and ran on after it."""

    def __post_init__(self) -> None:
        """Derive the total, so that it cannot disagree with the parts."""
        total = self.own
        for child in self.children:
            total += child.total
        object.__setattr__(self, "total", total)

    @property
    def cost(self) -> Decimal | None:
        """US dollars for the agent and everything below it; None when not known."""
        return self.total.cost

    def walk(self) -> Iterator[UsageTree]:
        """Yield this node and all below it: root first, each agent before those it started."""
        waiting: list[UsageTree] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def find(self, path: str) -> UsageTree | None:
        """Return the node of an agent path, or None."""
        return next((node for node in self.walk() if node.path == path), None)

    def __str__(self) -> str:
        """Return a table: a row for each agent, indented by depth, and a line of totals."""
        from podium.tracing import _usage_table  # only needed when shown

        return _usage_table.render(self)


class UsageMeter:
    """Records what one agent run uses while it goes on; safe to use from worker threads."""

    def __init__(
        self,
        path: str,
        name: str,
        parent: UsageMeter | None = None,
        *,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Start the clock and become a child of `parent`."""
        self.path = path
        self.name = name
        self._parent = parent
        self._clock = clock
        # Guards everything below: tools and hooks in worker threads record here as well.
        self._lock = threading.Lock()
        self._children: list[UsageMeter] = []
        self._calls: dict[tuple[str, str], Usage] = {}
        self._raw: dict[str, Any] = {}
        self._tool_calls = 0
        self._model_seconds = 0.0
        self._tool_seconds = 0.0
        self._wait_seconds = 0.0
        self._abandoned_threads = 0
        self._exit_reason: str | None = None
        self._started = clock()
        self._ended: float | None = None
        if parent is not None:
            with parent._lock:
                parent._children.append(self)

    def record_call(
        self,
        raw_usage: object,
        *,
        model: str,
        purpose: str = "loop",
        seconds: float = 0.0,
        cost: Callable[[Usage], Decimal | None] | None = None,
    ) -> Usage:
        """Count one model call by the usage its provider reported, and return it typed.

        `cost` says what such a call costs, where prices are known.
        """
        usage = Usage.of_call(raw_usage)
        if cost is not None:
            usage = replace(usage, cost=cost(usage))
        with self._lock:
            known = self._calls.get((model, purpose))
            self._calls[model, purpose] = usage if known is None else known + usage
            self._model_seconds += seconds
        self._add_raw(complete_token_usage(raw_usage, usage))
        return usage

    def record_tool(self, seconds: float = 0.0) -> None:
        """Count one answered tool call."""
        with self._lock:
            self._tool_calls += 1
            self._tool_seconds += seconds

    def record_abandoned(self) -> None:
        """Count one call of a blocking tool that could not be stopped."""
        with self._lock:
            self._abandoned_threads += 1

    def add_wait(self, seconds: float) -> None:
        """Add time spent waiting for room in a budget."""
        with self._lock:
            self._wait_seconds += seconds

    @property
    def token_usage(self) -> dict[str, Any]:
        """A copy of the summed usage dicts of this run's calls and of all closed runs below it."""
        with self._lock:
            return _copied(self._raw)

    @property
    def own(self) -> Usage:
        """What this agent used itself so far."""
        with self._lock:
            return self._own()

    @property
    def total(self) -> Usage:
        """What this agent and everything below it used so far, runs that still go on included."""
        with self._lock:
            children = tuple(self._children)
        return sum((child.total for child in children), self.own)

    def close(self, exit_reason: str | None) -> None:
        """End the run and hand its `token_usage` up; only the first call counts.

        What is recorded after that, by a thread that could not be stopped, is still counted.
        """
        with self._lock:
            if self._ended is not None:
                return
            self._ended = self._clock()
            self._exit_reason = exit_reason
            inclusive = _copied(self._raw)
        if self._parent is not None:
            self._parent._add_raw(inclusive)

    def tree(self) -> UsageTree:
        """Return what is known now as an immutable tree."""
        with self._lock:
            ended = self._clock() if self._ended is None else self._ended
            return UsageTree(
                path=self.path,
                name=self.name,
                own=self._own(),
                calls=tuple(
                    CallUsage(model=model, purpose=purpose, usage=usage)
                    for (model, purpose), usage in self._calls.items()
                ),
                # Locks are only ever taken from a parent to its children, so none waits in a ring.
                children=tuple(child.tree() for child in self._children),
                exit_reason=self._exit_reason,
                wall_seconds=ended - self._started,
                model_seconds=self._model_seconds,
                tool_seconds=self._tool_seconds,
                wait_seconds=self._wait_seconds,
                abandoned_threads=self._abandoned_threads,
            )

    def _own(self) -> Usage:
        return sum(self._calls.values(), Usage(tool_calls=self._tool_calls))

    def _add_raw(self, extra: dict[str, Any]) -> None:
        meter: UsageMeter | None = self
        while meter is not None:
            with meter._lock:
                add_token_usage(meter._raw, extra)
                # A closed run has handed its sum up already, so what comes late follows it.
                meter = meter._parent if meter._ended is not None else None


def _copied(usage: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _copied(cast("dict[str, Any]", value)) if isinstance(value, dict) else value
        for key, value in usage.items()
    }
