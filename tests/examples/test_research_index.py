"""The index reads only what changed, finds what is meant, and takes any text as a query."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from research_assistant.corpus import folder_corpus
from research_assistant.documents import Corpus, Document, ResearchError, Section, UnreadableFile
from research_assistant.index import Index, NotInCorpus, Update
from research_assistant.python_docs import builtin_sections, docstring_sections, python_corpus

BIRDS = """\
# Birds

Birds have feathers.

## Owls

Owls hunt mice at night.

## Ducks

Ducks swim.
"""
FISH = "# Fish\n\nFish swim in the sea. Some fish hunt.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two documents."""
    folder = tmp_path / "animals"
    (folder / "wet").mkdir(parents=True)
    (folder / "birds.md").write_text(BIRDS)
    (folder / "wet" / "fish.md").write_text(FISH)
    return folder


@pytest.fixture
def index(tmp_path: Path, folder: Path) -> Iterator[Index]:
    """Return an index of the folder, up to date."""
    with Index(tmp_path / "out" / "index.sqlite") as index:
        index.update(folder_corpus(folder))
        yield index


def sources(index: Index, query: str) -> list[str]:
    return [passage.source for passage in index.search(query)]


def test_the_best_passage_comes_first_with_its_source(index: Index) -> None:
    first, *rest = index.search("What do owls hunt at night?")

    assert first.source == "[birds.md § Birds > Owls]"
    assert (first.text, first.place) == ("Owls hunt mice at night.", "line 7")
    assert all(first.score >= passage.score for passage in rest)


def test_words_are_found_in_other_forms_and_other_case(index: Index) -> None:
    assert sources(index, "HUNTING owl") == ["[birds.md § Birds > Owls]", "[wet/fish.md § Fish]"]


def test_the_same_text_is_found_once_under_its_shorter_source(tmp_path: Path) -> None:
    (tmp_path / "everything.md").write_text(f"# All\n\n{BIRDS}")
    (tmp_path / "owls.md").write_text("# Owls\n\nOwls hunt mice at night.")
    with Index(tmp_path / "index.sqlite") as index:
        index.update(folder_corpus(tmp_path))

        found = sources(index, "owls mice")

    assert found == ["[owls.md § Owls]"]


def test_only_new_and_changed_documents_are_read_again(index: Index, folder: Path) -> None:
    (folder / "birds.md").write_text(BIRDS.replace("mice", "voles"))
    (folder / "new.txt").write_text("Cats purr.")
    seen: list[tuple[int, int, str]] = []

    def note(number: int, total: int, name: str) -> None:
        seen.append((number, total, name))

    update = index.update(folder_corpus(folder), note)

    assert update == Update(read=2, unchanged=1, removed=0, skipped=())
    assert seen == [(1, 2, "birds.md"), (2, 2, "new.txt")]
    assert sources(index, "voles") == ["[birds.md § Birds > Owls]"]
    assert sources(index, "mice") == []


def test_removed_documents_are_dropped(index: Index, folder: Path) -> None:
    (folder / "wet" / "fish.md").unlink()

    update = index.update(folder_corpus(folder))

    assert update == Update(read=0, unchanged=1, removed=1, skipped=())
    assert index.documents() == ["birds.md"]
    assert sources(index, "fish sea") == []


def test_an_index_lives_on_in_its_file(tmp_path: Path, index: Index, folder: Path) -> None:
    index.close()

    with Index(tmp_path / "out" / "index.sqlite") as again:
        update = again.update(folder_corpus(folder))

        assert update.read == 0
        assert sources(again, "ducks") == ["[birds.md § Birds > Ducks]"]


def test_a_document_that_can_no_longer_be_read_is_dropped_and_named(
    index: Index, folder: Path
) -> None:
    (folder / "birds.md").write_bytes(b"\0\0\0")

    update = index.update(folder_corpus(folder))

    assert [(item.name, item.reason) for item in update.skipped] == [
        ("birds.md", "it is binary, not text")
    ]
    assert sources(index, "owls") == []


def test_an_update_that_is_broken_off_leaves_a_whole_index(index: Index) -> None:
    def interrupt() -> list[Section]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.update(Corpus("broken", (Document("a.md", "1", interrupt),)))

    assert index.documents() == ["birds.md", "wet/fish.md"]
    assert sources(index, "owls") == ["[birds.md § Birds > Owls]"]


def test_a_section_is_read_with_its_neighbours(index: Index) -> None:
    passages = index.read("birds.md", "Birds > Owls")

    assert [passage.heading for passage in passages] == ["Birds", "Birds > Owls", "Birds > Ducks"]


def test_a_heading_may_be_given_by_its_last_part(index: Index) -> None:
    assert index.read("birds.md", " ducks ")[-1].text == "Ducks swim."
    assert index.under("birds.md", "owls") == index.under("birds.md", "Birds > Owls") != []


def test_without_a_heading_the_whole_document_is_read(index: Index) -> None:
    assert len(index.read("birds.md")) == 3


@pytest.mark.parametrize(
    ("file", "heading", "message"),
    [
        ("bird.md", None, "no document named 'bird.md'. Take one of these: birds.md"),
        ("../../etc/passwd", None, "no document named '../../etc/passwd'"),
        ("birds.md", "Owl", "no heading in 'birds.md' named 'Owl'. Take one of these: .*Owls"),
    ],
)
def test_an_unknown_place_is_answered_with_what_comes_near(
    index: Index, file: str, heading: str | None, message: str
) -> None:
    with pytest.raises(NotInCorpus, match=message):
        index.read(file, heading)
    assert index.under(file, heading or "") == []


@pytest.mark.parametrize(
    "query",
    [
        "",
        "  ",
        '"',
        "owls AND",
        "NEAR(owls",
        "text: owls",
        "-owls",
        "owls*",
        "^owls",
        "'); DROP",
        "\0",
    ],
)
def test_the_grammar_of_the_search_engine_is_just_text(index: Index, query: str) -> None:
    assert index.search(query) == (index.search("owls") if "owls" in query else [])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_is_a_query(index: Index, query: str) -> None:
    assert len(index.search(query)) <= 5


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    text=st.text(st.characters(exclude_categories=()), max_size=80), heading=st.text(max_size=20)
)
def test_any_text_can_be_stored_and_cited(tmp_path: Path, text: str, heading: str) -> None:
    document = Document(
        "a", text.encode(errors="replace").hex(), lambda: [Section((heading,), text)]
    )
    with Index(tmp_path / "any.sqlite") as index:
        index.update(Corpus("any", (document,)))

        stored = index.read("a") if text.strip() else []
        assert all(passage in index.under("a", passage.heading) for passage in stored)


def test_many_threads_may_search_at_once(index: Index) -> None:
    start = threading.Barrier(8)

    def search(_: int) -> list[str]:
        start.wait()
        return [source for _ in range(20) for source in sources(index, "owls at night")]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(search, range(8)))

    assert found == [["[birds.md § Birds > Owls]"] * 20] * 8


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite").write_text("precious notes, not a database" * 100)

    with pytest.raises(ResearchError, match="make the index anew with --rebuild"):
        Index(tmp_path / "index.sqlite")

    assert (tmp_path / "index.sqlite").read_text().startswith("precious")


def test_the_database_of_another_program_is_refused_and_kept(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "index.sqlite") as other:
        other.execute("CREATE TABLE documents (precious)")
    other.close()

    with pytest.raises(ResearchError, match="database of another program"):
        Index(tmp_path / "index.sqlite")


def test_an_index_of_an_older_format_is_made_anew(
    tmp_path: Path, index: Index, folder: Path
) -> None:
    index.close()
    with sqlite3.connect(tmp_path / "out" / "index.sqlite") as older:
        older.execute("PRAGMA user_version = 0")
    older.close()

    with Index(tmp_path / "out" / "index.sqlite") as again:
        assert again.update(folder_corpus(folder)).read == 2


def test_long_sections_are_cut_between_paragraphs_and_know_their_lines(tmp_path: Path) -> None:
    paragraphs = [f"Paragraph {number}. " + "word " * 100 for number in range(6)]
    (tmp_path / "long.md").write_text("# Long\n\n" + "\n\n".join(paragraphs))
    with Index(tmp_path / "index.sqlite") as index:
        index.update(folder_corpus(tmp_path))

        passages = index.read("long.md")

    assert [passage.text.split(".")[0] for passage in passages] == [
        "Paragraph 0",
        "Paragraph 2",
        "Paragraph 4",
    ]
    assert [passage.place for passage in passages] == ["line 3", "line 7", "line 11"]


def test_a_text_without_spaces_is_cut_too(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("x" * 10_000)
    with Index(tmp_path / "index.sqlite") as index:
        index.update(folder_corpus(tmp_path))

        assert [len(passage.text) for passage in index.read("long.txt")] == [4_000, 4_000, 2_000]


def test_python_brings_its_reference_and_its_docstrings(tmp_path: Path) -> None:
    with Index(tmp_path / "index.sqlite") as index:
        update = index.update(python_corpus())

        assert update.skipped == ()
        assert '[reference/with § The "with" statement]' in sources(index, "the with statement")
        assert "[library/builtins § builtins.str.split]" in sources(index, "str.split separator")
        assert "[library/json § json.dumps]" in sources(index, "json.dumps")


def test_docstrings_are_read_without_running_the_module(tmp_path: Path) -> None:
    source = (
        '"""About the module."""\nraise SystemExit\n'
        'class Owl:\n    """A bird."""\n'
        '    def hunt(self, at="night"):\n        """Hunts mice."""\n'
        'def _hidden():\n    """Not shown."""\n'
    )
    (tmp_path / "birds.py").write_text(source)

    sections = docstring_sections(tmp_path / "birds.py", "zoo.birds")

    assert [(part.heading, part.text, part.line) for part in sections] == [
        ("zoo.birds", "About the module.", 1),
        ("zoo.birds.Owl", "A bird.", 4),
        ("zoo.birds.Owl.hunt", "hunt(self, at='night')\n\nHunts mice.", 6),
    ]


def test_a_module_that_is_no_python_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def (:\n")

    with pytest.raises(UnreadableFile, match="not Python"):
        docstring_sections(tmp_path / "broken.py", "broken")


def test_modules_without_a_file_are_read_from_the_interpreter() -> None:
    headings = [section.heading for section in builtin_sections("itertools")]

    assert "itertools.chain.from_iterable" in headings
