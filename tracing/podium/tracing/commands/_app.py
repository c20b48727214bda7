"""The group of commands, and how a command fails: one sentence, and exit code 1."""

from __future__ import annotations

import typer

from podium.tracing.commands import (
    _cost,
    _critical_path,
    _diff,
    _export,
    _html,
    _list,
    _push,
    _show,
    _why,
)
from podium.tracing.commands._failing import TellingGroup

app = typer.Typer(
    cls=TellingGroup,
    help="Look at recorded runs: who called whom, what it cost, why it stopped.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("list")(_list.list_traces)
app.command("show")(_show.show)
app.command("cost")(_cost.cost)
app.command("why")(_why.why)
app.command("critical-path")(_critical_path.critical_path)
app.command("diff")(_diff.diff)
app.command("export")(_export.export)
app.command("html")(_html.html)
app.command("push")(_push.push)
