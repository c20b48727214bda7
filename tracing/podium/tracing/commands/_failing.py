"""A group of commands that tells a failure in one sentence."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from podium.tracing._text import printable
from podium.tracing.commands._terminal import notes


class TellingGroup(TyperGroup):
    """Turns what a command cannot do into a sentence on stderr and exit code 1."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (ValueError, OSError) as error:
            if isinstance(error, BrokenPipeError):  # whoever reads the output has enough
                raise
            notes().print(f"podium: {printable(_told(error))}", style="red", soft_wrap=True)
            raise typer.Exit(1) from error


def _told(error: ValueError | OSError) -> str:
    if isinstance(error, ValueError):
        return str(error)
    place = "The output" if error.filename is None else f"{error.filename!r:.80}"
    return f"{place} cannot be used: {error.strerror}. Name another file, or make room for it."
