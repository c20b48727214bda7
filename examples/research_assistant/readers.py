"""From a file on disk to its sections, or to the reason why not."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from research_assistant.documents import Section, UnreadableFile
from research_assistant.html_reader import html_sections
from research_assistant.markup import markdown_sections, rst_sections
from research_assistant.pdf_reader import pdf_sections

MAX_FILE_BYTES = 32 * 1024 * 1024

_TEXT_READERS: dict[str, Callable[[str, str], list[Section]]] = {
    ".md": markdown_sections,
    ".rst": rst_sections,
    ".txt": rst_sections,
    ".html": html_sections,
    ".htm": html_sections,
}
SUFFIXES = (*_TEXT_READERS, ".pdf")
"""What can be read, by the end of the file's name."""


def read_sections(path: Path) -> list[Section]:
    """Return the sections of a file, read by the suffix of its name.

    Raises:
        UnreadableFile: the file is missing, locked, no regular file, too large, binary or empty.
    """
    data = _read_bytes(path)
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        return pdf_sections(data)
    sections = _TEXT_READERS[suffix](decode(data), path.stem)
    if not sections:
        raise UnreadableFile("it holds no text")
    return sections


def decode(data: bytes) -> str:
    """Return the text of `data`: UTF-8, else UTF-16 by its mark, else Windows-1252.

    Raises:
        UnreadableFile: the bytes are not text.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:8192]:
        raise UnreadableFile("it is binary, not text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _read_bytes(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for ever
            raise UnreadableFile("it is no regular file")
        if status.st_size > MAX_FILE_BYTES:
            raise UnreadableFile(f"it is larger than {MAX_FILE_BYTES // 1024**2} MiB")
        return path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"it cannot be opened ({error.strerror})") from error
