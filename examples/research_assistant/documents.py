"""What a corpus is made of: documents, their sections, and the files left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from podium.tools import clean_text, printable

MAX_CITED_CHARS = 120
"""Longer file names and headings are cut: they go into every citation."""

_PLAIN = str.maketrans({"[": "(", "]": ")", "§": None})


class ResearchError(Exception):
    """What keeps the assistant from starting, in a sentence for the person at the terminal."""


class UnreadableFile(Exception):
    """Why one file cannot be read, as the end of the sentence "skipped, because ..."."""


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one heading."""

    path: tuple[str, ...]
    """The headings above the text, outermost first."""
    text: str
    line: int = 1
    """Where the text begins, counted from 1."""
    page: int | None = None
    """The page the text is on, where the document has pages."""

    @property
    def heading(self) -> str:
        """The headings as one line, fit for a citation."""
        parts = [citable(title) for title in self.path]
        while len(parts) > 1 and len(" > ".join(parts)) > MAX_CITED_CHARS:
            del parts[0]
        return " > ".join(parts)


@dataclass(frozen=True, slots=True)
class Document:
    """One document, read only when its fingerprint is new to the index."""

    name: str
    """Its name in citations, unique within the corpus."""
    fingerprint: str
    """Changes when the content may have changed."""
    read: Callable[[], list[Section]] = field(compare=False)
    """Returns the sections in order; raises UnreadableFile."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is not in the index."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """All documents of one place."""

    title: str
    """What it is, as in "a corpus of ..."."""
    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...] = ()
    """Files that were left out before they were read."""


@dataclass(slots=True)
class SectionBuilder:
    """Collects lines under a stack of headings, for readers that go through a file line by line."""

    title: str
    """The heading of text that stands before any heading."""
    _sections: list[Section] = field(default_factory=list[Section])
    _stack: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _lines: list[str] = field(default_factory=list[str])
    _first_line: int = 1

    def add_heading(self, level: int, title: str, line: int) -> None:
        """Begin a section: `level` 1 is the outermost, `line` is that of the heading."""
        self._close()
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, title.strip()))
        self._first_line = line + 1

    def add_text(self, text: str, line: int) -> None:
        """Add a line, or several, to the current section; `line` is the number of the first."""
        if not self._lines:
            self._first_line = line
        self._lines.append(text)

    def build(self) -> list[Section]:
        """Return all sections that hold text, in order."""
        self._close()
        return self._sections

    def _close(self) -> None:
        text = "\n".join(self._lines)
        blank_lines = len(text) - len(text.lstrip("\n"))
        self._lines = []
        if text.strip():
            path = tuple(title for _, title in self._stack) or (self.title,)
            self._sections.append(Section(path, text.strip("\n"), self._first_line + blank_lines))


def citable(text: str) -> str:
    """Return `text` as it may stand in a citation `[file § heading]`: one line, no such marks."""
    plain = printable(clean_text(" ".join(text.split()))).translate(_PLAIN)
    cut = plain if len(plain) <= MAX_CITED_CHARS else f"{plain[: MAX_CITED_CHARS - 1]}…"
    return cut.strip() or "untitled"
