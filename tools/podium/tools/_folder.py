"""A folder that tools may read in: what its files are called, and nothing outside of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from podium.tools._media import MAX_FILE_BYTES
from podium.tools.errors import ToolError, nearest
from podium.tracing._text import printable

SUFFIXES = (".csv", ".htm", ".html", ".json", ".md", ".pdf", ".rst", ".txt", ".yaml", ".yml")
"""Ends of the names of files that are taken for documents."""
MAX_FILES = 10_000
"""How many files of a folder are looked at."""

Stamp = tuple[tuple[str, int, int], ...]
"""Name, size and time of each file: equal as long as nothing has changed."""


class Folder:
    """The documents in a folder and the folders in it, without hidden ones."""

    def __init__(self, root: str | os.PathLike[str], suffixes: Collection[str] = SUFFIXES) -> None:
        """Look no further than `root`.

        Raises:
            ValueError: there is no such folder.
        """
        self._root = Path(root).expanduser().resolve()
        self._suffixes = frozenset(suffixes)
        if not self._root.is_dir():
            raise ValueError(
                f"There is no folder {os.fspath(root)!r} to read documents in. "
                "Name one that exists."
            )

    def stamp(self) -> Stamp:
        """Return what is in the folder now; links that lead out of it are left out."""
        found: list[tuple[str, int, int]] = []
        for path in self._walk():
            real = self._inside(path)
            if real is not None and len(found) < MAX_FILES:
                status = real.stat()
                name = path.relative_to(self._root).as_posix()
                found.append((name, status.st_size, status.st_mtime_ns))
        return tuple(found)

    def read(self, name: str) -> bytes:
        """Return the content of the document `name`, a path within the folder.

        Raises:
            ToolError: there is no such document here, or it cannot be read; written for the model.
        """
        path = self._known(name)
        if path is None:
            names = [known for known, *_ in self.stamp()]
            raise ToolError(
                f"There is no document {printable(name, limit=100)!r}.{nearest(name, names)} "
                "Name one as the search names it."
            )
        try:
            return _content(path)
        except OSError as error:
            raise ToolError(
                f"The document {printable(name, limit=100)!r} cannot be read "
                f"({error.strerror or error}). Go on without it."
            ) from error

    def _walk(self) -> Iterator[Path]:
        for place, folders, files in os.walk(self._root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (Path(place, name) for name in sorted(files))

    def _known(self, name: str) -> Path | None:
        """Return where the document really is; None where there is none that may be read."""
        if "\0" in name or name.startswith(("/", "\\")) or ".." in Path(name).parts:
            return None
        return self._inside(self._root / name)

    def _inside(self, path: Path) -> Path | None:
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):  # RuntimeError: links in a circle, before Python 3.13
            return None
        if not real.is_relative_to(self._root):
            return None
        names = (*path.relative_to(self._root).parts, *real.relative_to(self._root).parts)
        is_hidden = any(name.startswith(".") for name in names)
        is_document = path.suffix.lower() in self._suffixes and real.is_file()
        return real if is_document and not is_hidden else None


def _content(path: Path) -> bytes:
    # Its links are resolved; one that has come since is not followed, nor a pipe waited for.
    handle = os.open(
        path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    )
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("it is no regular file")
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise OSError(f"it has more than {MAX_FILE_BYTES:,} bytes")
    return data
