"""The JSON documents in a file: one a line, or one in all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from podium.tracing.reading._problems import Problems


def documents_of_file(path: Path, problems: Problems) -> Iterator[object]:
    """Yield the documents of a file, read line by line where they stand so.

    Raises:
        ValueError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            yield from documents_of_lines(file, problems)
    except OSError as error:
        raise ValueError(
            f"The trace file {str(path)!r} cannot be read: {error.strerror}. "
            "Give the path of a file that setup_tracing(file=...) or a collector wrote."
        ) from error


def documents_of_text(text: str, problems: Problems) -> Iterator[object]:
    """Yield the documents of a text."""
    return documents_of_lines(
        (line.encode("utf-8", "surrogatepass") for line in text.split("\n")), problems
    )


def documents_of_lines(lines: Iterable[bytes], problems: Problems) -> Iterator[object]:
    """Yield one document a line; a first line that is none on its own opens one over all lines."""
    lines = iter(lines)
    first = next((line for line in lines if line.strip()), b"")
    try:
        yield _parsed(first.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        rest = list(lines)
        try:
            yield _parsed(b"".join([first, *rest]))
            return
        except ValueError:
            lines = chain([first], rest)
    yield from _lines(lines, problems)


def _lines(lines: Iterable[bytes], problems: Problems) -> Iterator[object]:
    for line in lines:
        try:
            if line.strip():
                yield _parsed(line)
        except ValueError:
            # The last line of a process that was killed has no end.
            cut = not line.endswith(b"\n")
            problems.note(
                "{lines} cut in the middle and left out" if cut else "{lines} no JSON and left out",
                line[:80].decode("utf-8", "replace"),
            )


def _parsed(line: bytes) -> object:
    """Return a document; bytes that are no UTF-8 are shown as such.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
