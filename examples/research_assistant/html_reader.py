"""Sections of an HTML page: headings and text as a reader sees them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from research_assistant.documents import Section, SectionBuilder, UnreadableFile

MAX_OPEN_TAGS = 1_000
"""The parser's time grows with the square of the tags that are begun and not ended."""

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_UNSEEN = ("script", "style", "template", "noscript", "svg", "nav")
_BLOCKS = frozenset(
    "address article aside blockquote body br caption dd details div dl dt fieldset figcaption"
    " figure footer form header hr li main ol p pre section summary table tbody title tr"
    " ul".split()
)


def html_sections(text: str, title: str) -> list[Section]:
    """Return the sections of an HTML page; scripts, styles and navigation are dropped.

    Raises:
        UnreadableFile: its tags have no end, so that reading it could take hours, or make no sense.
    """
    if any(piece.count("<") > MAX_OPEN_TAGS for piece in text.split(">")):
        raise UnreadableFile("its tags have no end")
    page = _Page(title)
    try:
        page.feed(text)
        page.close()
    except AssertionError as error:  # what html.parser raises for declarations it cannot take
        raise UnreadableFile(f"it is not HTML that can be read ({error})") from error
    return page.sections()


class _Page(HTMLParser):
    """Turns tags into lines: a block ends a line, a heading begins a section."""

    def __init__(self, title: str) -> None:
        super().__init__(convert_charrefs=True)
        self._builder = SectionBuilder(title)
        self._buffer: list[str] = []
        self._line = 1
        self._unseen: list[str] = []
        self._kind = "p"

    def sections(self) -> list[Section]:
        self._flush()
        return self._builder.build()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._flush()
            self._kind = tag
        elif tag in ("td", "th"):
            self._buffer.append("  ")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unseen:
            while self._unseen.pop() != tag:  # what an unclosed tag hid ends with its parent
                pass
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._flush()
            self._kind = "p"

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._line = self._line if self._buffer else self.getpos()[0]
            self._buffer.append(data)

    def _flush(self) -> None:
        """Hand on what was collected since the last tag that begins or ends a line."""
        raw, self._buffer = "".join(self._buffer), []
        text = raw.strip("\n") if self._kind == "pre" else re.sub(r"\s+", " ", raw).strip()
        if not text:
            return
        if self._kind == "title":
            self._builder.title = text
        elif self._kind in _HEADINGS:
            self._builder.add_heading(int(self._kind[1]), text.rstrip("¶ "), self._line)
        else:
            marker = "- " if self._kind == "li" else ""
            self._builder.add_text(f"{marker}{text}\n", self._line)
