"""The research assistant reads every kind of file it names, and says why it leaves one out."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfWriter

from research_assistant.corpus import folder_corpus
from research_assistant.documents import ResearchError, UnreadableFile
from research_assistant.readers import MAX_FILE_BYTES, SUFFIXES, read_sections


def one_page_pdf(*lines: str) -> bytes:
    """Return a PDF of one page with the lines on it, written out by hand."""
    shown = " ".join(f"({line}) Tj 0 -20 Td" for line in lines)
    stream = f"BT /F1 12 Tf 50 700 Td {shown} ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 600 800]"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = "%PDF-1.4\n"
    places: list[int] = []
    for number, text in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        f"{body}xref\n0 6\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode()


def read(folder: Path, name: str, content: str | bytes) -> list[tuple[str, str, int]]:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [(part.heading, part.text.strip(), part.line) for part in read_sections(path)]


def test_markdown_has_its_headings_as_a_path_and_code_is_not_a_heading(tmp_path: Path) -> None:
    text = "before\n\n# One\nfirst\n\n## Two ##\n```sh\n# no heading\n```\n\nThree\n=====\nlast\n"

    sections = read(tmp_path, "notes.md", text)

    assert sections == [
        ("notes", "before", 1),
        ("One", "first", 4),
        ("One > Two", "```sh\n# no heading\n```", 7),
        ("Three", "last", 13),
    ]


def test_a_markdown_table_or_list_before_a_rule_is_no_heading(tmp_path: Path) -> None:
    text = "# Prices\n\n| a | b |\n|---|---|\n\n- item\n---\nend\n"

    sections = read(tmp_path, "prices.md", text)

    assert [heading for heading, _, _ in sections] == ["Prices"]


def test_rst_levels_follow_the_order_of_the_underlines(tmp_path: Path) -> None:
    text = "*****\nTitle\n*****\n\nPart\n====\none\n\nDetail\n------\ntwo\n\nOther\n=====\nthree\n"

    sections = read(tmp_path, "guide.rst", text)

    assert sections == [
        ("Title > Part", "one", 7),
        ("Title > Part > Detail", "two", 11),
        ("Title > Other", "three", 15),
    ]


def test_plain_text_without_titles_is_headed_by_its_name(tmp_path: Path) -> None:
    sections = read(tmp_path, "letter.txt", "\nDear reader,\nall is well.\n")

    assert sections == [("letter", "Dear reader,\nall is well.", 2)]


def test_html_keeps_headings_and_entities_and_drops_scripts_and_styles(tmp_path: Path) -> None:
    page = (
        "<html><head><title>Fish &amp; chips</title><style>p {color: red}</style></head><body>"
        "<p>Intro</p><h1>Menu<a>¶</a></h1>\n<script>alert('no')</script><p>Cod &lt; 5&nbsp;€"
        "<h2>Drinks</h2><ul><li>Tea<li>Juice</ul><pre>a\n  b</pre></body></html>"
    )

    sections = read(tmp_path, "menu.html", page)

    assert sections == [
        ("Fish & chips", "Intro", 1),
        ("Menu", "Cod < 5 €", 2),
        ("Menu > Drinks", "- Tea\n\n- Juice\n\na\n  b", 2),
    ]


def test_a_pdf_is_read_page_by_page(tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(one_page_pdf("Owls sleep by day.", "They hunt at night."))

    sections = read_sections(tmp_path / "paper.pdf")

    assert [(part.heading, part.page) for part in sections] == [("page 1", 1)]
    assert sections[0].text.splitlines() == ["Owls sleep by day.", "They hunt at night."]


def test_a_pdf_page_stands_under_its_heading_in_the_outline(tmp_path: Path) -> None:
    (tmp_path / "plain.pdf").write_bytes(one_page_pdf("Owls sleep by day."))
    writer = PdfWriter(tmp_path / "plain.pdf")
    chapter = writer.add_outline_item(title="Birds", page_number=0)
    writer.add_outline_item(title="Owls", page_number=0, parent=chapter)
    writer.write(tmp_path / "paper.pdf")

    (section,) = read_sections(tmp_path / "paper.pdf")

    assert section.heading == "Birds > page 1"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("naïve".encode(), "naïve"),
        (b"\xef\xbb\xbfna\xc3\xafve", "naïve"),
        (b"na\xefve \x93word\x94", "naïve “word”"),
        ("naïve".encode("utf-16"), "naïve"),
    ],
)
def test_text_in_common_encodings_is_read(tmp_path: Path, content: bytes, text: str) -> None:
    assert read(tmp_path, "word.txt", content) == [("word", text, 1)]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.md", b"  \n", "no text"),
        ("image.txt", b"\x89PNG\0\0\0", "binary"),
        ("broken.pdf", b"%PDF-1.4 and nothing else", "not a PDF"),
        ("blank.pdf", one_page_pdf(), "no text"),
        ("endless.html", b"<a " * 100_000, "tags have no end"),
        ("huge.md", b"x" * (MAX_FILE_BYTES + 1), "larger than 32 MiB"),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        read(tmp_path, name, content)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    content=st.binary(max_size=80)
    | st.text(st.sampled_from("<>!-[]&;#=/ \n`aiféx\"'"), max_size=80).map(str.encode),
    suffix=st.sampled_from(SUFFIXES),
)
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes, suffix: str) -> None:
    (tmp_path / f"any{suffix}").write_bytes(content)

    with contextlib.suppress(UnreadableFile):
        assert all(part.text.strip() for part in read_sections(tmp_path / f"any{suffix}"))


def test_html_declarations_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="not HTML"):
        read(tmp_path, "odd.html", "<![x[")


def test_a_locked_pdf_says_that_it_is_locked(tmp_path: Path) -> None:
    (tmp_path / "open.pdf").write_bytes(one_page_pdf("secret"))
    writer = PdfWriter(tmp_path / "open.pdf")
    writer.encrypt("password", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")

    with pytest.raises(UnreadableFile, match="locked with a password"):
        read_sections(tmp_path / "locked.pdf")


def test_without_pypdf_a_pdf_names_the_extra_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "paper.pdf").write_bytes(one_page_pdf("text"))
    monkeypatch.setitem(sys.modules, "pypdf", None)

    with pytest.raises(UnreadableFile, match=r"pip install 'podium\[documents\]'"):
        read_sections(tmp_path / "paper.pdf")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")

    with pytest.raises(UnreadableFile, match="no regular file"):
        read_sections(tmp_path / "pipe.txt")


def test_a_folder_gives_its_documents_without_hidden_and_foreign_folders(tmp_path: Path) -> None:
    for name in (".git/a.md", "node_modules/b.md", "out/report.md", "docs/c.MD", "d.txt", "e.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")

    corpus = folder_corpus(tmp_path, leave_out=tmp_path / "out")

    assert [document.name for document in corpus.documents] == ["d.txt", "docs/c.MD"]
    assert corpus.skipped == ()


def test_links_that_leave_the_folder_or_lead_nowhere_are_named(tmp_path: Path) -> None:
    folder, secret = tmp_path / "corpus", tmp_path / "secret.md"
    folder.mkdir()
    secret.write_text("secret")
    (folder / "a.md").write_text("text")
    (folder / "inside.md").symlink_to(folder / "a.md")
    (folder / "outside.md").symlink_to(secret)
    (folder / "circle.md").symlink_to(folder / "circle.md")

    corpus = folder_corpus(folder)

    assert [document.name for document in corpus.documents] == ["a.md", "inside.md"]
    assert [(item.name, item.reason[:20]) for item in corpus.skipped] == [
        ("circle.md", "it cannot be opened "),
        ("outside.md", "it is a link that le"),
    ]


def test_names_that_would_break_a_citation_are_made_plain_and_stay_apart(tmp_path: Path) -> None:
    for name in ("a[1].md", "a(1).md", "x §\x1b[31m.md"):
        (tmp_path / name).write_text("text")

    names = [document.name for document in folder_corpus(tmp_path).documents]

    assert names == ["a(1).md", "a(1).md (1)", "x \\x1b(31m.md"]


@pytest.mark.parametrize(
    ("place", "reason"),
    [("missing", "No such file"), ("a.md", "Not a directory"), ("pictures", "no document")],
)
def test_a_corpus_that_cannot_be_read_says_what_to_do(
    tmp_path: Path, place: str, reason: str
) -> None:
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "owl.png").write_bytes(b"")

    with pytest.raises(ResearchError, match=reason):
        folder_corpus(tmp_path / place)
