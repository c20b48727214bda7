"""From the bytes of a document to the text in it: plain text, HTML as Markdown, PDF."""

from __future__ import annotations

import codecs
import re
from typing import Any
from urllib.parse import urljoin

from podium.tools._extras import missing_extra

MAX_PDF_PAGES = 500
"""How many pages of a PDF are read."""

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([a-zA-Z0-9_-]{1,40})", re.I)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAX_OPEN_TAGS = 1_000  # the parser's time grows with the square of tags that are begun, not ended
_UNSEEN = ("script", "style", "template", "noscript", "svg", "iframe", "img", "form", "nav")
_BLANK_LINES = re.compile(r"\n\s*\n\s*\n+")


def decoded(data: bytes, charset: str | None = None) -> str:
    """Return `data` as text: by its byte-order mark, by `charset`, as UTF-8, else as Windows-1252.

    An encoding that Python does not know, or that gives no text, counts as none.
    """
    mark = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    for name in (mark, charset, "utf-8"):
        try:
            if name and codecs.lookup(name)._is_text_encoding:
                return data.decode(name)
        except (LookupError, UnicodeError):
            continue
    return data.decode("cp1252", "replace")


def html_as_markdown(data: bytes, charset: str | None = None, url: str = "") -> str:
    """Return what a reader of an HTML page sees, as Markdown; links are made whole with `url`.

    Raises:
        ImportError: markdownify is not installed; the message names the extra.
    """
    declared = _META_CHARSET.search(data[:2048])
    text = decoded(data, charset or (declared[1].decode() if declared else None))
    if any(piece.count("<") > _MAX_OPEN_TAGS for piece in text.split(">")):
        return text
    soup, convert = _soup(text)
    for tag in soup(list(_UNSEEN)):
        tag.decompose()
    for link in soup.find_all("a", href=True):
        link["href"] = _whole(url, str(link["href"]))
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for tag in soup("head"):
        tag.decompose()
    try:
        body = str(convert(soup))
    except RecursionError:  # tags nested a thousand deep: the words without the form
        body = str(soup.get_text("\n"))
    heading = f"# {title}\n\n" if title and title not in body[:1_000] else ""
    return _BLANK_LINES.sub("\n\n", f"{heading}{body}").strip()


def pdf_text(data: bytes) -> str:
    """Return the text of a PDF, page by page.

    Raises:
        ImportError: pypdfium2 is not installed; the message names the extra.
        ValueError: it is damaged, or locked with a password.
    """
    from podium.tools._pdf import open_pdf  # loads pypdfium2

    with open_pdf(data) as document:
        count = min(len(document), MAX_PDF_PAGES)
        pages = [document[number].get_textpage().get_text_bounded() for number in range(count)]
    return "\n\n".join(page.replace("\r\n", "\n").strip() for page in pages)


def require_markdownify() -> None:
    """Refuse to go on without the package that turns HTML into Markdown.

    Raises:
        ImportError: it is not installed; the message names the extra.
    """
    _soup("")


def _soup(text: str) -> tuple[Any, Any]:
    try:
        from bs4 import BeautifulSoup  # an extra, and slow to load
        from markdownify import MarkdownConverter
    except ImportError as error:
        raise missing_extra("turning HTML into Markdown", "markdownify", "web") from error
    return BeautifulSoup(text, "html.parser"), MarkdownConverter(heading_style="ATX").convert_soup


def _whole(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:  # a link may be anything
        return link
