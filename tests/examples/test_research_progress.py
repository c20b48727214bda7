"""What the screen shows while the team works, on a terminal and in a log."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from rich.console import Console

from podium.agent import (
    AgentFinished,
    AgentStarted,
    BudgetChanged,
    RunEvent,
    RunFinished,
    RunStarted,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from podium.tools import ToolCall
from podium.tracing import Usage
from research_assistant.live import LiveTree, PlainProgress, watching
from research_assistant.progress import Progress

CALL = ToolCall("searcher", {"task": "Find \x1b[2J owls."}, id="c1")
USAGE = Usage(input_tokens=900, output_tokens=100, requests=1)


def events() -> list[RunEvent]:
    """Return the events of a run with one specialist, which has not ended."""
    top: dict[str, Any] = {"run_id": "r", "path": "coordinator", "depth": 0, "step": 1}
    below: dict[str, Any] = {
        "run_id": "r",
        "path": "coordinator/searcher",
        "depth": 1,
        "step": 1,
        "cause": "c1",
    }
    return [
        RunStarted(**top, seq=0),
        StepStarted(**top, seq=1),
        BudgetChanged(**top, seq=2, usage=USAGE),
        ToolCallStarted(**top, seq=3, call=CALL),
        AgentStarted(**below, seq=4, task="Find \x1b[2J owls."),
        StepStarted(**below, seq=5),
        TextDelta(**below, seq=6, text="Owls"),
    ]


def endings() -> list[RunEvent]:
    """Return the events that end that run."""
    top: dict[str, Any] = {"run_id": "r", "path": "coordinator", "depth": 0, "step": 2}
    below: dict[str, Any] = {
        "run_id": "r",
        "path": "coordinator/searcher",
        "depth": 1,
        "step": 1,
        "cause": "c1",
    }
    return [
        AgentFinished(**below, seq=7, exit_reason="max_agent_steps", usage=USAGE),
        ToolCallFinished(**top, seq=8, call=CALL, result="Owls", error=False, seconds=1.0),
        RunFinished(**top, seq=9, exit_reason="text", usage=USAGE + USAGE),
    ]


def test_each_agent_shows_what_it_is_doing_now() -> None:
    progress = Progress(clock=iter(range(100)).__next__)

    for event in events():
        progress.take(event)

    coordinator, searcher = progress.agents.values()
    assert coordinator.now == "searcher(task='Find \\x1b[2J owls.')"
    assert coordinator.tokens == 1_000
    assert (searcher.name, searcher.task) == ("searcher", "Find \\x1b[2J owls.")
    assert searcher.now == "writes (step 1)"


def test_an_agent_that_has_ended_says_how_and_its_clock_stands() -> None:
    progress = Progress(clock=iter(range(100)).__next__)

    for event in events() + endings():
        progress.take(event)

    coordinator, searcher = progress.agents.values()
    assert (coordinator.now, searcher.now) == ("done", "ended: max_agent_steps")
    assert progress.seconds(searcher) == progress.seconds(searcher)


def test_a_log_gets_a_line_for_what_begins_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    show = PlainProgress()

    for event in events() + endings():
        show(event)

    lines = [line.split("s  ", 1)[1] for line in capsys.readouterr().out.splitlines()]
    assert [line.rsplit(",", 1)[0] for line in lines] == [
        "coordinator calls searcher(task='Find \\x1b[2J owls.')",
        "coordinator/searcher begins: Find \\x1b[2J owls.",
        "coordinator/searcher ended: max_agent_steps, 1,000 tokens",
        "coordinator done, 2,000 tokens",
    ]


def test_a_terminal_gets_a_tree() -> None:
    tree = LiveTree()
    console = Console(width=100, record=True, force_terminal=True, quiet=True)

    for event in events():
        tree(event)
    console.quiet = False
    with console.capture() as captured:
        console.print(tree.render())

    text = captured.get()
    assert "└── " in text
    assert "\\x1b[2J owls." in text
    assert "writes (step 1)" in text
    assert "1,000 tokens" in text


def test_without_rich_a_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "rich.live", None)

    with watching() as watch:
        assert isinstance(watch, PlainProgress)


def test_with_rich_a_terminal_gets_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    with watching() as watch:
        assert isinstance(watch, LiveTree)
