"""PDF documents: opened safely, pages drawn as images within limits."""

from __future__ import annotations

import io
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from podium.tools._extras import missing_extra

POINTS_PER_INCH = 72

_lock = threading.Lock()  # PDFium may be used by one thread at a time


@contextmanager
def open_pdf(data: bytes) -> Generator[Any]:
    """Open a PDF for as long as the context lasts.

    Raises:
        ImportError: pypdfium2 is not installed; the message names the extra.
        ValueError: it is damaged, or locked with a password.
    """
    try:
        pypdfium2: Any = import_module("pypdfium2")  # an extra, slow to load, and untyped
    except ImportError as error:
        raise missing_extra("reading a PDF", "pypdfium2", "documents") from error
    with _lock:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise ValueError(
                f"The PDF of {len(data):,} bytes cannot be opened ({error}). "
                "Pass one that is whole and needs no password."
            ) from error
        try:
            yield document
        finally:
            document.close()


def drawn_pages(
    data: bytes, pages: Sequence[int] | None, *, dpi: int, max_pages: int, max_pixels: int
) -> list[bytes]:
    """Return pages of a PDF as PNG, in the order asked for; `pages` counts from 1, None is all.

    Raises:
        ImportError: pypdfium2 or pillow is not installed; the message names the extra.
        ValueError: it cannot be opened, has no such page, or a page would be too large.
    """
    with open_pdf(data) as document:
        wanted = list(range(1, len(document) + 1)) if pages is None else list(pages)
        if len(wanted) > max_pages:
            raise ValueError(
                f"{len(wanted)} pages of the PDF would be drawn, and {max_pages} is the most. "
                "Name the pages you need, as in pages=[1, 2], or raise max_pages."
            )
        return [_drawn(document, number, dpi, max_pixels) for number in wanted]


def _drawn(document: Any, number: int, dpi: int, max_pixels: int) -> bytes:
    if not 1 <= number <= len(document):
        raise ValueError(
            f"The PDF has no page {number!r}: it has {len(document)}, counted from 1. "
            "Name pages that it has."
        )
    page, scale = document[number - 1], dpi / POINTS_PER_INCH
    width, height = page.get_size()
    pixels = width * scale * height * scale
    if not 0 < pixels <= max_pixels:
        raise ValueError(
            f"Page {number} of the PDF would have {pixels:,.0f} pixels at {dpi} dpi, and "
            f"{max_pixels:,} is the most. Lower dpi."
        )
    written = io.BytesIO()
    try:
        page.render(scale=scale).to_pil().save(written, "PNG")
    except ImportError as error:
        raise missing_extra("drawing a page of a PDF", "pillow", "documents") from error
    return written.getvalue()
