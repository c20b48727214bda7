"""Images and files from bytes, paths, the web and PDFs; what they are is read, never believed."""

from __future__ import annotations

import io
import struct
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import PIL.Image
import pytest
from web_site import Site

from podium.tools import FetchError, FileContent, ImageContent
from podium.tools import content as content_module
from podium.tools._media import MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS, image_size


def drawn(kind: str, size: tuple[int, int] = (3, 2), **options: Any) -> bytes:
    written = io.BytesIO()
    PIL.Image.new("RGB", size).save(written, kind, **options)
    return written.getvalue()


def png_header(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", width, height)


def pdf(pages: int = 2, size: float = 72.0) -> bytes:
    pypdfium2: Any = import_module("pypdfium2")  # untyped
    document = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        document.new_page(size, size)
    written = io.BytesIO()
    document.save(written)
    document.close()
    return written.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (drawn("PNG"), "image/png"),
        (drawn("JPEG"), "image/jpeg"),
        (drawn("JPEG", progressive=True), "image/jpeg"),
        (drawn("GIF"), "image/gif"),
        (drawn("WEBP"), "image/webp"),
        (drawn("WEBP", lossless=True), "image/webp"),
        (drawn("WEBP", exif=b"Exif\0\0notes"), "image/webp"),
    ],
)
def test_an_images_kind_and_size_are_read_from_its_first_bytes(data: bytes, kind: str) -> None:
    assert ImageContent.from_bytes(data).mime_type == kind
    assert image_size(data) == (3, 2)


@pytest.mark.parametrize(
    "data",
    [
        png_header(3, 2)[:20],
        b"\xff\xd8\xff",
        b"\xff\xd8\xffx",
        b"RIFF1234WEBPVP9 ",
        b"GIF8",
        b"\xff\xd8" + b"\xff" * 2_000,
    ],
)
def test_a_header_that_is_cut_off_says_nothing_of_the_size(data: bytes) -> None:
    assert image_size(data) is None


def test_threat_55_an_image_that_lies_about_its_type_is_named_by_what_it_is() -> None:
    lying = ImageContent.from_bytes(drawn("JPEG"), mime_type="image/png")

    assert lying.mime_type == "image/jpeg"
    with pytest.raises(ValueError, match=r"An image is expected, and these 5 bytes are .*pdf"):
        ImageContent.from_bytes(b"%PDF-", mime_type="image/png")


def test_threat_55_an_image_of_a_hundred_megapixels_is_refused_undecoded() -> None:
    with pytest.raises(ValueError, match=r"says it has 10,000 x 10,000 pixels, and 64,000,000"):
        ImageContent.from_bytes(png_header(10_000, 10_000))
    assert ImageContent.from_bytes(png_header(MAX_IMAGE_PIXELS, 1))


def test_threat_55_a_drawing_with_a_script_stays_bytes() -> None:
    svg = b"<svg><script>alert(1)</script></svg>"

    assert ImageContent.from_bytes(svg, mime_type="image/svg+xml").mime_type == "image/svg+xml"


def test_an_image_of_too_many_bytes_is_refused() -> None:
    fitting = drawn("PNG").ljust(MAX_IMAGE_BYTES, b"\0")

    with pytest.raises(ValueError, match=r"20,971,521 bytes, and 20,971,520 is the most. Make it"):
        ImageContent.from_bytes(fitting + b"\0")
    assert ImageContent.from_bytes(fitting)


def test_an_image_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "chart.jpg"
    path.write_bytes(drawn("PNG"))

    image = ImageContent.from_file_path(path, detail="low", meta={"page": 1})

    assert (image.mime_type, image.detail) == ("image/png", "low")
    assert image.meta == {"file_path": str(path), "page": 1}


def test_an_image_of_a_kind_that_says_nothing_is_named_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_bytes(b"<svg/>")
    (tmp_path / "a.txt").write_bytes(b"hello")

    assert ImageContent.from_file_path(tmp_path / "a.svg").mime_type == "image/svg+xml"
    with pytest.raises(ValueError, match="these 5 bytes are 'text/plain'"):
        ImageContent.from_file_path(tmp_path / "a.txt")
    with pytest.raises(FileNotFoundError):
        ImageContent.from_file_path(tmp_path / "none.png")


def test_a_file_that_is_too_large_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_module, "MAX_FILE_BYTES", 10)
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(11))

    with pytest.raises(ValueError, match=r"a.bin' has more than 10 bytes"):
        FileContent.from_file_path(path)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", b"%PDF-1.7", "application/pdf"),
        ("a.csv", b"a,b", "text/csv"),
        ("a.unknown", b"a,b", "application/octet-stream"),
    ],
)
def test_a_files_kind_is_read_from_its_content_or_its_name(
    tmp_path: Path, name: str, data: bytes, kind: str
) -> None:
    (tmp_path / name).write_bytes(data)

    found = FileContent.from_file_path(tmp_path / name)

    assert (found.mime_type, found.filename) == (kind, name)


def test_pages_of_a_pdf_become_images() -> None:
    first, second = ImageContent.from_pdf(pdf(2))
    (again,) = ImageContent.from_pdf(pdf(2), pages=[2], dpi=50, detail="high")

    assert (first.mime_type, first.meta, second.meta) == (
        *("image/png", {"page_number": 1}, {"page_number": 2}),
    )
    assert (again.meta, again.detail) == ({"page_number": 2}, "high")


def test_a_pdf_comes_from_a_file_and_from_many_threads_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf(1))
    found = list[ImageContent]()
    threads = [
        threading.Thread(target=lambda: found.extend(ImageContent.from_pdf(path))) for _ in range(4)
    ]

    for thread in threads:  # all at work together
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 4


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (b"%PDF-broken", {}, r"of 11 bytes cannot be opened"),
        (pdf(1), {"pages": [2]}, "has no page 2: it has 1, counted from 1"),
        (pdf(1), {"pages": [0]}, "has no page 0"),
        (pdf(3), {"max_pages": 2}, r"3 pages of the PDF would be drawn, and 2 is the most"),
        (pdf(1), {"dpi": 20_000}, "Page 1 of the PDF would have 400,000,000 pixels at 20000 dpi"),
    ],
)
def test_a_pdf_that_cannot_be_drawn_is_refused_with_a_mend(
    data: bytes, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        ImageContent.from_pdf(data, **options)


@pytest.mark.parametrize(("module", "package"), [("pypdfium2", "pypdfium2"), ("PIL", "pillow")])
def test_a_missing_package_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, module: str, package: str
) -> None:
    data = pdf(1)
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(ImportError, match=rf"'{package}'.*pip install 'podium\[documents\]'"):
        ImageContent.from_pdf(data)


def test_images_and_files_come_from_the_web(site: Site) -> None:
    site.page("/a", drawn("PNG"), content_type="image/jpeg")
    site.page("/b.png", drawn("PNG"))
    site.page("/c/notes.csv?x=1", b"a,b", content_type="text/csv")
    place = f"http://127.0.0.1:{site.server_port}"

    lying = ImageContent.from_url(f"{place}/a", detail="low", allow_private=["127.0.0.1"])
    unnamed = ImageContent.from_url(f"{place}/b.png", allow_private=["127.0.0.1"])
    notes = FileContent.from_url(f"{place}/c/notes.csv?x=1", allow_private=["127.0.0.1"])

    assert (lying.mime_type, lying.detail, lying.meta) == (
        "image/png",
        "low",
        {"url": f"{place}/a"},
    )
    assert unnamed.mime_type == "image/png"
    assert (notes.mime_type, notes.filename) == ("text/csv", "notes.csv")


def test_a_page_is_no_image(site: Site) -> None:
    site.page("/a", b"<html>", content_type="text/html")
    url = f"http://127.0.0.1:{site.server_port}/a"

    with pytest.raises(FetchError, match="is of type 'text/html', and only image/"):
        ImageContent.from_url(url, allow_private=["127.0.0.1"])


@pytest.mark.parametrize("load", [ImageContent.from_url, FileContent.from_url])
def test_nothing_is_fetched_from_a_private_address(load: Callable[..., Any]) -> None:
    with pytest.raises(FetchError, match="not public"):
        load("http://127.0.0.1/a.png")


def test_what_is_printed_of_an_image_or_a_file_leaves_its_bytes_out() -> None:
    image = ImageContent.from_bytes(drawn("PNG"))
    file = FileContent.from_bytes(b"long" * 999, mime_type="text/plain", filename="a.txt")

    assert repr(image) == "ImageContent(mime_type='image/png', detail=None, meta={})"
    assert repr(file) == "FileContent(mime_type='text/plain', filename='a.txt')"
