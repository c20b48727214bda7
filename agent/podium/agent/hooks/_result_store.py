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
    are for their owner alone. A link in the place of the folder or of a file is not followed, and a
    folder that was exchanged since the first result is not written to.
    """

    def __init__(self, root: str | Path) -> None:
        """Keep the folder; it is made when something is written."""
        self.root = Path(root)
        self._folder: tuple[int, int] | None = None
        """Device and number of the folder that the first result went to."""

    def write(self, key: str, content: str) -> str:
        """Write `content` to a new file and return its name within the folder.

        Raises:
            OSError: the folder or the file cannot be written, or is not what it was.
        """
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        stem, ending = os.path.splitext(_UNSAFE.sub("_", key).lstrip("._")[-100:] or "result")
        folder = self._opened()
        try:
            number = 1
            while True:
                name = f"{stem}{ending}" if number == 1 else f"{stem}_{number}{ending}"
                try:
                    path = name if folder is not None else self.root / name
                    file = os.open(path, _NEW_FILE, 0o600, dir_fd=folder)
                except FileExistsError:  # another run's result, or a link that somebody put there
                    number += 1
                    continue
                with os.fdopen(file, "w", encoding="utf-8") as stream:
                    stream.write(content)
                return name
        finally:
            if folder is not None:
                os.close(folder)

    def _opened(self) -> int | None:
        """Return a descriptor of the folder, so that nobody can exchange it from here on.

        None where the system has no such descriptors, as on Windows.
        """
        if os.open not in os.supports_dir_fd:
            return None
        folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        found = os.fstat(folder)
        identity = found.st_dev, found.st_ino
        if self._folder not in (None, identity):
            os.close(folder)
            raise OSError(
                f"The folder {str(self.root)!r} is another one than that of the earlier results. "
                "Give the store a folder that only this program changes."
            )
        self._folder = identity
        return folder


_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
