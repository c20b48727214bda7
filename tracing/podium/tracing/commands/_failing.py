"""A group of commands that tells a failure in one sentence."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from podium.tracing._text import printable
from podium.tracing.commands._terminal import notes


class TellingGroup(TyperGroup):
    """Turns a ValueError of a command into a sentence on stderr and exit code 1."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command."""
        try:
            return super().invoke(ctx)
        except ValueError as error:
            notes().print(f"podium: {printable(str(error))}", style="red", soft_wrap=True)
            raise typer.Exit(1) from error
