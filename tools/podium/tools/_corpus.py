"""The documents of a folder as text, in parts that fit into a prompt, with a search over them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from podium.tools._bm25 import Bm25Index
from podium.tools._folder import Folder, Stamp
from podium.tools._reading import decoded, html_as_markdown, pdf_text
from podium.tools.errors import ToolError
from podium.tracing._text import clean_text

logger = logging.getLogger(__name__)

PART_CHARS = 8_000
"""A result goes into the prompt of every later step, so a document is read in parts."""
PASSAGE_CHARS = 1_200
"""Paragraphs are gathered until a passage is about so long."""

MAX_CORPUS_CHARS = 50_000_000
"""How much text is kept for the search."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document that a search can find."""

    document: str
    """The document's name."""
    part: int
    """The part of the document it begins in, from 1."""
    text: str
    """What it says."""


class Corpus:
    """Finds passages in a folder's documents; files that change are read again."""

    def __init__(self, folder: Folder) -> None:
        """Read nothing before the first search."""
        self._folder = folder
        self._stamp: Stamp | None = None
        self._passages: list[Passage] = []
        self._index = Bm25Index(())
        self._lock = threading.Lock()  # one thread reads the folder; the others wait for its index

    def search(self, query: str, limit: int) -> list[Passage]:
        """Return the passages that match best, best first."""
        with self._lock:
            stamp = self._folder.stamp()
            if stamp != self._stamp:
                self._passages = self._read([name for name, *_ in stamp])
                self._index = Bm25Index(f"{one.document} {one.text}" for one in self._passages)
                self._stamp = stamp
            passages, index = self._passages, self._index
        return [passages[position] for position in index.search(query, limit)]

    def part(self, name: str, number: int) -> tuple[str, int]:
        """Return a part of a document, counted from 1, and how many there are.

        Raises:
            ToolError: there is no such document or part; written for the model.
        """
        text = document_text(self._folder, name)
        return cut_part(text, number, f"document {name!r}")

    def _read(self, names: Sequence[str]) -> list[Passage]:
        found: list[Passage] = []
        room = MAX_CORPUS_CHARS
        for name in names:
            if room <= 0:
                logger.warning(
                    "The search reads no document from %r on: those before it have %s characters",
                    *(name, f"{MAX_CORPUS_CHARS:,}"),
                )
                break
            passages = list(self._passages_of(name))
            room -= sum(len(one.text) for one in passages)
            found.extend(passages)
        return found

    def _passages_of(self, name: str) -> Iterator[Passage]:
        try:
            text = document_text(self._folder, name)
        except ToolError as error:
            logger.warning("The search goes without a document: %s", error)
            return
        for start, piece in _pieces(text):
            yield Passage(name, 1 + start // PART_CHARS, piece)


def document_text(folder: Folder, name: str) -> str:
    """Return the text of a document: Markdown for HTML.

    Raises:
        ToolError: it does not exist, or holds no text that can be read.
    """
    data, suffix = folder.read(name), PurePath(name).suffix.lower()
    try:
        if suffix == ".pdf":
            return clean_text(pdf_text(data))
        if suffix in (".html", ".htm"):
            return clean_text(html_as_markdown(data))
    except (ImportError, ValueError) as error:
        raise ToolError(f"The document {name!r} cannot be read: {error}") from error
    if b"\0" in data[:8192] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ToolError(f"The document {name!r} is binary, not text. Go on without it.")
    return clean_text(decoded(data))


def cut_part(text: str, number: int, what: str, size: int = PART_CHARS) -> tuple[str, int]:
    """Return part `number` of a text, and how many parts of `size` characters there are.

    Raises:
        ToolError: there is no such part; written for the model.
    """
    count = max(1, -(-len(text) // size))
    if not 1 <= number <= count:
        raise ToolError(f"The {what} has no part {number}. Ask for one from 1 to {count}.")
    return text[(number - 1) * size : number * size], count


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield passages of whole lines with the place where each begins."""
    start, size, held = 0, 0, list[str]()
    for line in _lines(text):
        if held and size + len(line) > PASSAGE_CHARS and (not line.strip() or size > PASSAGE_CHARS):
            yield start, "".join(held).strip()
            start, size, held = start + size, 0, []
        held.append(line)
        size += len(line)
    if "".join(held).strip():
        yield start, "".join(held).strip()


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        for at in range(0, len(line), PASSAGE_CHARS):
            yield line[at : at + PASSAGE_CHARS]
