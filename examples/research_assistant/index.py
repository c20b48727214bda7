"""The full-text index of a corpus: SQLite FTS5, kept between runs, searched with BM25."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from research_assistant.chunks import split_section
from research_assistant.documents import (
    Corpus,
    Document,
    ResearchError,
    Section,
    Skipped,
    UnreadableFile,
)
from research_assistant.words import content_words

FORMAT = 1
"""Raised when the tables change; an index of another format is made anew."""
DOCUMENTS_PER_COMMIT = 100
MAX_QUERY_WORDS = 40

Progress = Callable[[int, int, str], None]
"""Called before each document that is read: its number, how many there are, its name."""

_OWNER = 0x706F6469  # "podi": tells an index of ours from any other database
_TABLES = f"""
BEGIN;
DROP TABLE IF EXISTS documents;
DROP TABLE IF EXISTS passages;
CREATE TABLE documents (
    name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL
);
CREATE VIRTUAL TABLE passages USING fts5 (
    heading, text, file, place UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2'
);
PRAGMA application_id = {_OWNER};
PRAGMA user_version = {FORMAT};
COMMIT;
"""
_FIELDS = "rowid, file, heading, text, place"
# The heading says best what a passage is about; the file's name says a little.
_RANK = "bm25(passages, 5.0, 1.0, 2.0)"


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, under one heading."""

    id: int
    file: str
    heading: str
    text: str
    place: str
    """Where it begins: "line 12" or "page 3"."""
    score: float = 0.0
    """How well it matches the query; higher is better, comparable within one search only."""

    @property
    def source(self) -> str:
        """What an answer cites: `[file § heading]`."""
        return f"[{self.file} § {self.heading}]"


class NotInCorpus(ValueError):
    """There is no such document or heading; the message is written for the model."""


@dataclass(frozen=True, slots=True)
class Update:
    """What one update of the index did."""

    read: int
    """Documents that were new or changed."""
    unchanged: int
    removed: int
    skipped: tuple[Skipped, ...]


class Index:
    """A searchable corpus on disk. May be used from any number of threads."""

    def __init__(self, path: Path) -> None:
        """Open the index at `path`, or make it.

        Raises:
            ResearchError: the place cannot be written, or holds something else.
        """
        self._lock = threading.RLock()  # guards the one connection
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=30, check_same_thread=False)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise ResearchError(
                f"The index {str(path)!r} cannot be used ({error}). "
                "Name another folder with --out, or make the index anew with --rebuild."
            ) from error

    def _prepare(self) -> None:
        database = self._database
        database.execute("PRAGMA synchronous = OFF")  # it can always be made again, so be quick
        (is_used,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (owner,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if is_used and owner != _OWNER:
            raise sqlite3.DatabaseError("it is a database of another program")
        if version != FORMAT:
            database.executescript(_TABLES)

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; a closed index cannot be searched."""
        with self._lock:
            self._database.close()

    def update(self, corpus: Corpus, progress: Progress | None = None) -> Update:
        """Read what is new or changed in `corpus`, drop what is gone, and say what was skipped.

        Each document is stored as a whole or not at all; an update that is broken off keeps most
        of what it did.
        """
        known: dict[str, str] = dict(self._rows("SELECT name, fingerprint FROM documents"))
        wanted = {document.name: document.fingerprint for document in corpus.documents}
        gone = [name for name in known if name not in wanted]
        changed = [item for item in corpus.documents if known.get(item.name) != item.fingerprint]
        skipped = list(corpus.skipped)
        with self._lock, self._database:
            for name in gone:
                self._drop(name)
            for number, document in enumerate(changed, start=1):
                if progress is not None:
                    progress(number, len(changed), document.name)
                if document.name in known:
                    self._drop(document.name)
                try:
                    self._store(document, document.read())
                except UnreadableFile as problem:
                    skipped.append(Skipped(document.name, str(problem)))
                if number % DOCUMENTS_PER_COMMIT == 0:
                    self._database.commit()
        failed = len(skipped) - len(corpus.skipped)
        return Update(
            read=len(changed) - failed,
            unchanged=len(wanted) - len(changed),
            removed=len(gone),
            skipped=tuple(skipped),
        )

    def _store(self, document: Document, sections: list[Section]) -> None:
        rows = [
            (section.heading, text, document.name, place)
            for section in sections
            for place, text in split_section(section)
        ]
        ((first,),) = self._rows("SELECT coalesce(max(last), 0) + 1 FROM documents")
        self._database.executemany(
            "INSERT INTO passages (rowid, heading, text, file, place) VALUES (?, ?, ?, ?, ?)",
            ((number, *row) for number, row in enumerate(rows, start=first)),
        )
        self._database.execute(
            "INSERT INTO documents VALUES (?, ?, ?, ?)",
            (document.name, document.fingerprint, first, first + len(rows) - 1),
        )

    def _drop(self, name: str) -> None:
        self._database.execute(
            "DELETE FROM passages WHERE rowid BETWEEN"
            " (SELECT first FROM documents WHERE name = :name)"
            " AND (SELECT last FROM documents WHERE name = :name)",
            {"name": name},
        )
        self._database.execute("DELETE FROM documents WHERE name = ?", (name,))

    def documents(self) -> list[str]:
        """Return the names of all documents, sorted."""
        return [name for (name,) in self._rows("SELECT name FROM documents ORDER BY name")]

    def search(self, query: str, limit: int = 5) -> list[Passage]:
        """Return the passages that match `query` best, best first; any text is a valid query.

        A passage matches when it holds any of the words; rare words, words in the heading and
        words that stand side by side count for more. The same text is returned once.
        """
        words = content_words(query)[:MAX_QUERY_WORDS]
        pairs = (" ".join(pair) for pair in itertools.pairwise(words))
        match = " OR ".join(f'"{term}"' for term in dict.fromkeys((*words, *pairs)))
        if not match:
            return []
        rows = self._rows(
            f"SELECT {_FIELDS}, -{_RANK} FROM passages WHERE passages MATCH ?"
            f" ORDER BY {_RANK} LIMIT ?",
            (match, limit * 4),
        )
        unlike: dict[str, Passage] = {}
        for passage in _passages(rows):
            twin = unlike.get(passage.text)
            if twin is None or len(passage.source) < len(twin.source):
                unlike[passage.text] = passage
        return list(unlike.values())[:limit]

    def read(self, file: str, heading: str | None = None) -> list[Passage]:
        """Return the passages under `heading` with one neighbour on each side, or the whole file.

        Raises:
            NotInCorpus: there is no such file or heading; the message names what comes near.
        """
        whole = self._passages_of(file)
        if not whole:
            raise NotInCorpus(_unknown("document", file, self.documents()))
        if not heading:
            return whole
        hits = _under(whole, heading)
        if not hits:
            raise NotInCorpus(
                _unknown(f"heading in {file!r}", heading, [passage.heading for passage in whole])
            )
        return whole[max(0, hits[0] - 1) : hits[-1] + 2]

    def under(self, file: str, heading: str) -> list[Passage]:
        """Return the passages that a citation of `file` and `heading` means, if any."""
        whole = self._passages_of(file)
        return [whole[at] for at in _under(whole, heading)]

    def _passages_of(self, file: str) -> list[Passage]:
        return _passages(
            self._rows(
                f"SELECT {_FIELDS}, 0.0 FROM passages WHERE rowid BETWEEN"
                " (SELECT first FROM documents WHERE name = :name)"
                " AND (SELECT last FROM documents WHERE name = :name) ORDER BY rowid",
                {"name": file},
            )
        )

    def _rows(self, statement: str, values: Any = ()) -> list[Any]:
        with self._lock:
            return self._database.execute(statement, values).fetchall()


def _passages(rows: Iterable[Any]) -> list[Passage]:
    return [Passage(*row) for row in rows]


def _under(passages: list[Passage], heading: str) -> list[int]:
    """Return the positions of the passages under `heading`, given in full or by its last part."""
    wanted = " ".join(heading.split()).casefold()
    headings = [passage.heading.casefold() for passage in passages]
    exact = [at for at, known in enumerate(headings) if known == wanted]
    return exact or [at for at, known in enumerate(headings) if known.endswith(f"> {wanted}")]


def _unknown(kind: str, name: str, known: list[str]) -> str:
    name = name[:200]
    near = get_close_matches(name, known, n=5, cutoff=0.3) or known[:5]
    return (
        f"There is no {kind} named {name!r}. Take one of these: {'; '.join(dict.fromkeys(near))}."
    )
