"""The ready tools: pages of the web, and documents of a folder and of nowhere else."""

from __future__ import annotations

import io
import logging
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from web_site import Site

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import FetchError, Tool, ToolArgumentsError, ToolInvocationError
from podium.tools import _corpus as corpus_module
from podium.tools import _folder as folder_module
from podium.tools._reading import decoded, html_as_markdown
from podium.tools.errors import ToolError
from podium.tools.ready import fetch_url, read_document, search_corpus

anyio_test = pytest.mark.anyio

HTML = b"""<html><head><title>Ships</title><style>p {}</style><script>alert(1)</script></head>
<body><nav>menu</nav><h2>Mast</h2><p>The <b>mast</b> is <a href="tall.html">tall</a>.</p>
<table><tr><th>a</th></tr><tr><td>1</td></tr></table><img src="data:x"></body></html>"""
MARKDOWN = """# Ships

## Mast

The **mast** is [tall](http://{host}/tall.html).

| a |
| --- |
| 1 |"""


def reader(**options: Any) -> Tool:
    return fetch_url(allow_private=["127.0.0.1"], **options)


def host(site: Site) -> str:
    return f"127.0.0.1:{site.server_port}"


def pdf(text: str) -> bytes:
    """A PDF of one page that says `text`."""
    pypdfium2: Any = import_module("pypdfium2")
    raw: Any = import_module("pypdfium2.raw")
    document = pypdfium2.PdfDocument.new()
    page = document.new_page(200, 200)
    font = raw.FPDFText_LoadStandardFont(document, b"Helvetica")
    written = raw.FPDFPageObj_CreateTextObj(document, font, 12)
    buffer = (text + "\0").encode("utf-16-le")
    raw.FPDFText_SetText(written, (raw.FPDF_WCHAR * (len(buffer) // 2)).from_buffer_copy(buffer))
    raw.FPDFPageObj_Transform(written, 1, 0, 0, 1, 20, 100)
    raw.FPDFPage_InsertObject(page, written)
    raw.FPDFPage_GenerateContent(page)
    saved = io.BytesIO()
    document.save(saved)
    document.close()
    return saved.getvalue()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "ships").mkdir(parents=True)
    (folder / "ships" / "mast.md").write_text("# Mast\n\nThe mast is forty meters tall.\n")
    (folder / "hull.txt").write_text("The hull is made of oak.\n")
    (folder / "page.html").write_bytes(HTML)
    (folder / "sail.pdf").write_bytes(pdf("Sails are made of flax."))
    (tmp_path / "secret.txt").write_text("The password is mast.")
    return folder


def told(tool: Tool, **arguments: Any) -> str:
    """What the model is told when the call fails."""
    with pytest.raises(ToolInvocationError) as failed:
        tool.invoke(**arguments)
    return str(failed.value.__cause__)


@anyio_test
async def test_a_page_is_read_as_markdown_with_whole_links(site: Site) -> None:
    site.page("/ship", HTML, content_type="text/html")

    text = await reader().invoke_async(url=f"http://{host(site)}/ship")

    assert text == f"[http://{host(site)}/ship]\n{MARKDOWN.format(host=host(site))}"


@anyio_test
async def test_a_long_page_is_read_in_parts(site: Site) -> None:
    site.page("/a", b"abcdefghij", content_type="text/plain")
    url, read = f"http://{host(site)}/a", reader(part_chars=4)

    first = await read.invoke_async(url=url)
    last = await read.invoke_async(url=url, part=3)

    assert first == f"[{url}, part 1 of 3. Ask for part 2 to read on.]\nabcd"
    assert last == f"[{url}, part 3 of 3.]\nij"
    with pytest.raises(
        ToolInvocationError, match=r"The page has no part 4. Ask for one from 1 to 3"
    ):
        await read.invoke_async(url=url, part=4)


@anyio_test
async def test_a_page_that_is_too_long_is_read_so_far(site: Site) -> None:
    site.page("/a", b"abcdefghij", content_type="text/plain")

    text = await reader(max_bytes=5).invoke_async(url=f"http://{host(site)}/a")

    assert text.endswith("\nabcde\n\n[The page is longer: the rest was not read.]")


@anyio_test
async def test_a_pdf_on_the_web_is_read_as_text(site: Site) -> None:
    site.page("/a", pdf("Sails are made of flax."), content_type="application/pdf")
    site.page("/b", b"%PDF-broken", content_type="application/pdf")

    text = await reader().invoke_async(url=f"http://{host(site)}/a")

    assert text.endswith("]\nSails are made of flax.")
    with pytest.raises(
        ToolInvocationError, match=r"The PDF at .*/b' cannot be read: .* cannot be opened"
    ):
        await reader().invoke_async(url=f"http://{host(site)}/b")


@anyio_test
async def test_the_model_is_told_why_a_page_was_not_fetched() -> None:
    model = ScriptedChatGenerator(
        [calls(call("fetch_url", url="http://169.254.169.254/")), "Sorry."]
    )

    result = await Agent(chat_generator=model, tools=[fetch_url()]).run_async("go")

    answer = result.messages[2].tool_call_results[0]
    assert (answer.error, answer.text) == (
        True,
        "The URL 'http://169.254.169.254/' was not fetched: its host has an address that is not "
        "public. Use a page on the public web.",
    )


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "markdownify", None)

    with pytest.raises(ImportError, match=r"'markdownify'.*pip install 'podium\[web\]'"):
        fetch_url()


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("Öl".encode(), None, "Öl"),
        ("Öl".encode("latin-1"), "iso-8859-1", "Öl"),
        ("Öl".encode("cp1252"), None, "Öl"),
        ("Öl".encode("utf-16"), "ascii", "Öl"),
        (b"\xef\xbb\xbf\xc3\x96l", "latin-1", "Öl"),
        ("油".encode("shift_jis"), "shift_jis", "油"),
        (b"abc", "no-such-charset", "abc"),
        (b"abc", "base64", "abc"),
        (b"a\x81b", "utf-8", "a\ufffdb"),
    ],
)
def test_text_is_decoded_whatever_the_server_says(
    data: bytes, charset: str | None, text: str
) -> None:
    assert decoded(data, charset) == text


def test_a_page_that_names_its_own_encoding_is_believed() -> None:
    page = '<meta charset="iso-8859-2"><p>Łódź'.encode("iso-8859-2")

    assert html_as_markdown(page) == "Łódź"


@pytest.mark.parametrize(
    "page",
    [
        b"<div>" * 5_000 + b"deep",
        b"<a " * 5_000 + b"deep",
        b"<![deep",
        b"<p>deep<a href='http://[x'>",
    ],
)
def test_a_hostile_page_still_gives_its_words(page: bytes) -> None:
    assert "deep" in html_as_markdown(page, url="http://a.test/")


def test_a_search_finds_passages_in_every_kind_of_document(docs: Path) -> None:
    search = search_corpus(docs)

    assert search.invoke(query="how many meters tall is it?", k=1) == (
        "[ships/mast.md, part 1]\n# Mast\n\nThe mast is forty meters tall."
    )
    assert search.invoke(query="flax").startswith("[sail.pdf, part 1]\nSails are made of flax.")
    assert search.invoke(query="ship page table").startswith("[page.html, part 1]\n# Ships")
    assert search.invoke(query="submarine").startswith("No passage holds a word of 'submarine'.")
    with pytest.raises(ToolArgumentsError, match="'k'"):
        search.invoke(query="mast", k=21)


def test_a_search_sees_what_has_changed(docs: Path) -> None:
    search = search_corpus(docs)
    search.invoke(query="oak")

    (docs / "hull.txt").write_text("The hull is made of steel.\n")
    (docs / "ships" / "mast.md").unlink()

    assert "steel" in search.invoke(query="hull")
    assert "forty" not in search.invoke(query="mast")


def test_a_long_document_is_found_in_passages_and_read_in_parts(docs: Path) -> None:
    paragraphs = "\n\n".join(f"Paragraph {n}. " + "Filler words. " * 60 for n in range(40))
    (docs / "long.txt").write_text(paragraphs)
    search, read = search_corpus(docs), read_document(docs)

    found = search.invoke(query="paragraph 30", k=1)
    text = read.invoke(document="long.txt", part=4)

    assert found.startswith("[long.txt, part 4]\nParagraph 30.")
    assert len(found) < 2_500
    assert "Paragraph 30." in text
    assert read.invoke(document="long.txt").startswith("[long.txt, part 1 of 5. Ask for part 2")


def test_a_document_without_line_breaks_is_cut_all_the_same(docs: Path) -> None:
    (docs / "long.txt").write_text("x" * 5_000 + " needle")

    assert len(search_corpus(docs).invoke(query="needle")) < 1_300


def test_a_document_is_read_by_its_name(docs: Path) -> None:
    read = read_document(docs)

    assert read.invoke(document="hull.txt") == "[hull.txt]\nThe hull is made of oak.\n"
    assert "Did you mean 'ships/mast.md'" in told(read, document="ships/mask.md")
    assert "has no part 2. Ask for one from 1 to 1" in told(read, document="hull.txt", part=2)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../secret.txt",
            "ships/../../secret.txt",
            "/etc/passwd",
            "\\\\host\\share.txt",
            "~/a.txt",
        ),
        *("out.txt", "out/secret.txt", "round.txt", "nul\0.txt", "", ".", "ships", ".hidden.txt"),
        *("to_hidden.txt", "to_git/config.txt"),
        *("pipe.txt", "hull.txt/x", "a" * 5_000 + ".txt", "program.py"),
    ],
)
def test_threat_51_nothing_outside_the_folder_can_be_read(docs: Path, name: str) -> None:
    (docs / "out.txt").symlink_to(docs.parent / "secret.txt")
    (docs / "out").symlink_to(docs.parent, target_is_directory=True)
    (docs / "round.txt").symlink_to(docs / "round.txt")
    (docs / ".hidden.txt").write_text("hidden")
    (docs / "to_hidden.txt").symlink_to(docs / ".hidden.txt")
    (docs / ".git").mkdir()
    (docs / ".git" / "config.txt").write_text("hidden")
    (docs / "to_git").symlink_to(docs / ".git", target_is_directory=True)
    (docs / "program.py").write_text("print()")
    os.mkfifo(docs / "pipe.txt")

    assert "There is no document" in told(read_document(docs), document=name)


def test_threat_51_a_search_does_not_follow_links_out_of_the_folder(docs: Path) -> None:
    (docs / "out.txt").symlink_to(docs.parent / "secret.txt")
    (docs / "in.txt").symlink_to(docs / "hull.txt")

    assert "password" not in search_corpus(docs).invoke(query="password mast")
    assert "[in.txt, part 1]" in search_corpus(docs).invoke(query="oak")


def test_threat_51_a_link_that_takes_a_files_place_is_not_followed(docs: Path) -> None:
    (docs / "swapped.txt").symlink_to(docs.parent / "secret.txt")

    with pytest.raises(OSError, match="symbolic links"):
        folder_module._content(docs / "swapped.txt")


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("bad.txt", b"MZ\0\0", "'bad.txt' is binary, not text. Go on without it"),
        ("bad.pdf", b"%PDF-", "'bad.pdf' cannot be read: The PDF of 5 bytes cannot be opened"),
    ],
)
def test_a_document_that_cannot_be_read_is_told_and_left_out_of_the_search(
    docs: Path, caplog: pytest.LogCaptureFixture, name: str, data: bytes, words: str
) -> None:
    (docs / name).write_bytes(data)

    assert words in told(read_document(docs), document=name)
    with caplog.at_level(logging.WARNING):
        assert "oak" in search_corpus(docs).invoke(query="oak")
    assert words in caplog.text


def test_a_document_that_is_too_large_or_locked_is_told(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "MAX_FILE_BYTES", 10)

    assert "cannot be read (it has more than 10 bytes)" in told(
        read_document(docs), document="hull.txt"
    )


def test_a_search_stops_reading_when_it_holds_enough(
    docs: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(corpus_module, "MAX_CORPUS_CHARS", 10)

    with caplog.at_level(logging.WARNING):
        assert "oak" in search_corpus(docs).invoke(query="oak mast")

    assert "reads no document from 'page.html' on" in caplog.text


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no folder .*none' to read documents in"):
        search_corpus(tmp_path / "none")


def test_failures_are_tool_errors_so_that_the_model_reads_them_as_they_are() -> None:
    assert issubclass(FetchError, ToolError)
