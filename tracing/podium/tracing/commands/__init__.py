"""The commands of `podium trace`: look at recorded runs in a terminal. Needs the extra `cli`.

    podium trace list trace.jsonl
    podium trace show trace.jsonl
    podium trace why trace.jsonl

`app` is the group, for programs that put it among their own commands.
"""

from podium.tracing.commands._app import app

__all__ = ["app"]
