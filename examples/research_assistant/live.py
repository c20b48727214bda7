"""Progress on the screen: a live tree on a terminal, lines of text everywhere else."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Protocol

from podium.agent import (
    AgentFinished,
    AgentStarted,
    Budget,
    RunEvent,
    RunFinished,
    ToolCallStarted,
)
from research_assistant.progress import AgentProgress, Progress, shown_call

if TYPE_CHECKING:
    from rich.live import Live
    from rich.tree import Tree


class Watcher(Protocol):
    """Is called with every event of a run."""

    def __call__(self, event: RunEvent) -> None:
        """Show the event."""
        ...


@contextlib.contextmanager
def watching(budget: Budget | None = None) -> Generator[Watcher, None, None]:
    """Show a run while the block is open: with rich as a tree, without it line by line.

    What is left of the `budget` is shown with it.
    """
    display = _rich_display() if sys.stdout.isatty() else None
    if display is None:
        yield PlainProgress(budget)
        return
    tree = LiveTree(budget)
    with display(get_renderable=tree.render, refresh_per_second=8):
        yield tree


def _rich_display() -> type[Live] | None:
    try:
        from rich.live import Live  # optional: the extra `cli`
    except ImportError:
        return None
    return Live


class PlainProgress:
    """Prints a line for each thing that begins or ends."""

    def __init__(self, budget: Budget | None = None) -> None:
        """Start the clock."""
        self._progress = Progress()
        self._budget = budget

    def __call__(self, event: RunEvent) -> None:
        """Print what the event says, if it is worth a line."""
        agent = self._progress.take(event)
        line = self._line(event, agent)
        if line:
            first = next(iter(self._progress.agents.values()))
            print(f"{self._progress.seconds(first):6.1f} s  {agent.path} {line}", flush=True)

    def _line(self, event: RunEvent, agent: AgentProgress) -> str:
        match event:
            case AgentStarted():
                return f"begins: {agent.task}"
            case ToolCallStarted():
                return f"calls {shown_call(event.call)}"
            case AgentFinished() | RunFinished():
                seconds = self._progress.seconds(agent)
                left = f"; {self._progress.left(self._budget)}" if self._budget else ""
                return f"{agent.now}, {event.usage.total_tokens:,} tokens, {seconds:.1f} s{left}"
            case _:
                return ""


class LiveTree:
    """Draws all agents as a tree, each with what it is doing, its tokens and its time."""

    def __init__(self, budget: Budget | None = None) -> None:
        """Start the clock."""
        self._progress = Progress()
        self._budget = budget

    def __call__(self, event: RunEvent) -> None:
        """Note what the event says; the screen is drawn again by itself."""
        self._progress.take(event)

    def render(self) -> Tree:
        """Return the tree as it is now."""
        from rich.text import Text  # loaded already when there is a tree to draw
        from rich.tree import Tree

        left = self._progress.left(self._budget) if self._budget else ""
        root = Tree(Text(left, style="bold"), hide_root=not left)
        branches: dict[str, Tree] = {}
        for path, agent in list(self._progress.agents.items()):
            above = branches.get(path.rpartition("/")[0], root)
            branches[path] = above.add(Text.assemble(*self._label(agent)))
        return root

    def _label(self, agent: AgentProgress) -> Iterator[tuple[str, str]]:
        has_ended = agent.ended is not None
        yield f"{agent.name}  ", "bold green" if has_ended else "bold cyan"
        yield agent.now, "dim" if has_ended else ""
        yield f"  {agent.tokens:,} tokens  {self._progress.seconds(agent):.1f} s", "dim"
        if agent.task:
            yield f"\n{agent.task}", "italic dim"
