"""The command `podium`. Needs the extra `cli`.

podium trace show trace.jsonl
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process, and end it with its exit code."""
    try:
        import typer  # a script of the core package, whose packages an extra brings

        from podium.tracing.commands import app as trace
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        sys.exit(
            f"podium: the command needs the package {error.name!r}, which is not installed. "
            "Run `pip install 'podium[cli]'`."
        )
    app = typer.Typer(
        help="Agents that delegate, within budgets that hold.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    # With one group alone, typer would make that the whole command.
    app.callback()(_no_options)
    app.add_typer(trace, name="trace")
    app(prog_name="podium")


def _no_options() -> None:
    """Run one of the commands below."""


if __name__ == "__main__":
    main()
