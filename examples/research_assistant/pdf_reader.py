"""Sections of a PDF: one for each page, under the heading of the outline that it falls in."""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING, Any

from research_assistant.documents import Section, UnreadableFile

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_TEXT_CHARS = 20_000_000
"""A file of a few kilobytes can unpack to more than any memory holds."""


def pdf_sections(data: bytes) -> list[Section]:
    """Return the text of a PDF, page by page.

    Raises:
        UnreadableFile: pypdf is not installed, the file is damaged or locked, or has no text.
    """
    try:
        from pypdf import PdfReader  # optional: only PDF files need it
    except ImportError:
        raise UnreadableFile("reading PDF needs pypdf: pip install 'podium[documents]'") from None
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of each oddity it gets over
    try:
        return _read_pages(PdfReader(io.BytesIO(data)))
    except UnreadableFile:
        raise
    except Exception as error:  # damaged files raise every kind of error inside pypdf
        raise UnreadableFile(
            f"it is not a PDF that can be read ({type(error).__name__})"
        ) from error


def _read_pages(reader: PdfReader) -> list[Section]:
    if reader.is_encrypted and not reader.decrypt(""):
        raise UnreadableFile("it is locked with a password")
    headings = _outline(reader)
    sections: list[Section] = []
    heading: tuple[str, ...] = ()
    room = MAX_TEXT_CHARS
    for number, page in enumerate(reader.pages, start=1):
        text = page.extract_text()
        room -= len(text)
        if room < 0:
            raise UnreadableFile(f"it unpacks to more than {MAX_TEXT_CHARS:,} characters")
        heading = headings.get(number, heading)
        if text.strip():
            sections.append(Section((*heading, f"page {number}"), text, page=number))
    if not sections:
        raise UnreadableFile("it holds pictures but no text; run text recognition on it first")
    return sections


def _outline(reader: PdfReader) -> dict[int, tuple[str, ...]]:
    """Return the first heading of the outline on each page that has one."""
    found: dict[int, tuple[str, ...]] = {}

    def visit(entries: Any, above: tuple[str, ...]) -> None:
        path = above
        for entry in entries:
            if not hasattr(entry, "title"):  # a list of what stands below the entry before it
                visit(entry, path)
                continue
            path = (*above, str(entry.title))
            page = reader.get_destination_page_number(entry)
            if page is not None:
                found.setdefault(page + 1, path)

    visit(reader.outline, ())
    return found
