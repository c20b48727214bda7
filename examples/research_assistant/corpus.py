"""The documents of a folder."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path

from podium.tools import clean_text
from research_assistant.documents import (
    MAX_CITED_CHARS,
    Corpus,
    Document,
    ResearchError,
    Skipped,
    citable,
)
from research_assistant.readers import SUFFIXES, read_sections

_UNWANTED = ("node_modules", "__pycache__")


def folder_corpus(root: Path, *, leave_out: Path | None = None) -> Corpus:
    """Return the documents in `root` and its folders, without hidden ones and `leave_out`.

    Links that lead out of the folder are skipped, so that a corpus is what it seems to be.

    Raises:
        ResearchError: the folder is missing, cannot be listed, or holds no file of a known kind.
    """
    folder = _check(root)
    documents: dict[str, Document] = {}
    skipped: list[Skipped] = []
    for path in _walk(folder, leave_out.resolve() if leave_out else None, skipped):
        name = _unused_name(path.relative_to(folder).as_posix(), documents)
        found = _document(path, name, folder)
        if isinstance(found, Skipped):
            skipped.append(found)
        else:
            documents[name] = found
    if not documents:
        raise ResearchError(
            f"The corpus {str(root)!r} has no document to read. "
            f"Put files into it whose names end in {', '.join(SUFFIXES)}."
        )
    return Corpus(f"the folder {citable(folder.name)}", tuple(documents.values()), tuple(skipped))


def _check(root: Path) -> Path:
    try:
        folder = root.expanduser().resolve(strict=True)
        os.scandir(folder).close()
    except OSError as error:
        raise ResearchError(
            f"The corpus {str(root)!r} cannot be read ({error.strerror}). "
            "Name a folder that exists and that you may list with --corpus."
        ) from error
    return folder


def _walk(folder: Path, leave_out: Path | None, skipped: list[Skipped]) -> Iterator[Path]:
    """Yield the files with a known suffix, in the order of their names."""

    def skip(error: OSError) -> None:
        skipped.append(
            Skipped(citable(str(error.filename)), f"it cannot be listed ({error.strerror})")
        )

    for place, folders, files in os.walk(folder, onerror=skip):
        here = Path(place)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _UNWANTED and here / name != leave_out
        )
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES:
                yield here / name


def _document(path: Path, name: str, folder: Path) -> Document | Skipped:
    try:
        real = path.resolve(strict=True)
        status = real.stat()
    except (
        OSError,
        RuntimeError,
    ) as error:  # Python 3.11 and 3.12 raise RuntimeError for a loop of links
        return Skipped(name, f"it cannot be opened ({getattr(error, 'strerror', None) or error})")
    if not real.is_relative_to(folder):
        return Skipped(name, "it is a link that leads out of the folder")
    fingerprint = f"{clean_text(str(real))}:{status.st_size}:{status.st_mtime_ns}"
    return Document(name, fingerprint, functools.partial(read_sections, path))


def _unused_name(relative: str, taken: dict[str, Document]) -> str:
    """Return a citable name; of a long path the end, and a number where two would be alike."""
    name = citable(
        relative if len(relative) <= MAX_CITED_CHARS else f"…{relative[-MAX_CITED_CHARS + 1 :]}"
    )
    return name if name not in taken else f"{name} ({len(taken)})"
