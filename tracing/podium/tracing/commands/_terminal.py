"""Where commands write: results to stdout, notes and progress to stderr."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress

_WIDE = 160
"""Columns where no terminal says how many it has."""


def results() -> Console:
    """Return the console for what was asked for; what a trace says is never taken for markup."""
    console = _plain()
    if not console.is_terminal:
        console.width = max(console.width, _WIDE)
    return console


def notes() -> Console:
    """Return the console for errors and remarks."""
    return _plain(stderr=True)


def _plain(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def progress() -> Progress:
    """Return a progress display that only a terminal shows, and that leaves nothing behind."""
    console = notes()
    return Progress(console=console, transient=True, disable=not console.is_terminal)
