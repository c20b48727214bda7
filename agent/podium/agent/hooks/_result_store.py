"""Where offloaded tool results are kept."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Protocol

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class ToolResultStore(Protocol):
    """Keeps texts under names."""

    def write(self, key: str, content: str) -> str:
        """Store `content` under a name made from `key`; return what it can be found by.

        Two writes with one key must both be kept.
        """
        ...


class FileSystemToolResultStore:
    """Keeps each result in a file of its own below one folder; nothing is ever overwritten.

    File names are made here: what a model or a tool put into the key cannot leave the folder. Files
    are for their owner alone.
    """

    def __init__(self, root: str | Path) -> None:
        """Keep the folder; it is made when something is written."""
        self.root = Path(root)

    def write(self, key: str, content: str) -> str:
        """Write `content` to a new file and return its name within the folder.

        Raises:
            OSError: the folder or the file cannot be written.
        """
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        stem, ending = os.path.splitext(_UNSAFE.sub("_", key).lstrip("._")[-100:] or "result")
        number = 1
        while True:
            name = f"{stem}{ending}" if number == 1 else f"{stem}_{number}{ending}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            try:
                file = os.open(self.root / name, flags, 0o600)
            except FileExistsError:  # another run's result, or a link that somebody put there
                number += 1
                continue
            with os.fdopen(file, "w", encoding="utf-8") as stream:
                stream.write(content)
            return name
