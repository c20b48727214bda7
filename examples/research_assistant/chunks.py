"""Sections cut into passages: pieces small enough to quote and large enough to understand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from podium.tools import clean_text
from research_assistant.documents import Section

CHUNK_WORDS = 250
"""Paragraphs are gathered until a passage holds about so many words."""
MAX_CHUNK_CHARS = 4_000
"""No passage is longer, also where a text has no paragraphs or no spaces."""

_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")


def split_section(section: Section) -> Iterator[tuple[str, str]]:
    """Yield the passages of a section as pairs of place ("line 12", "page 3") and text."""
    text = clean_text(section.text).replace("\0", "")
    line, counted_to = section.line, 0
    for start, end in _chunks(_pieces(text)):
        line, counted_to = line + text.count("\n", counted_to, start), start
        place = f"line {line}" if section.page is None else f"page {section.page}"
        yield place, text[start:end].rstrip()


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the paragraphs, those too long for a passage in parts."""
    for paragraph in _PARAGRAPH.finditer(text):
        start, end = paragraph.span()
        while end - start > MAX_CHUNK_CHARS:
            cut = max(
                text.rfind(mark, start, start + MAX_CHUNK_CHARS) for mark in ("\n", ". ", " ")
            )
            cut = cut + 1 if cut > start else start + MAX_CHUNK_CHARS
            yield start, cut
            start = cut
        yield start, end


def _chunks(pieces: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield bounds that join neighbouring pieces while the result is short enough."""
    first = last = 0
    for start, end in pieces:
        if last and (end - first > MAX_CHUNK_CHARS or (end - first) > CHUNK_WORDS * 6):
            yield first, last
            first = last = 0
        first, last = (first if last else start), end
    if last:
        yield first, last
