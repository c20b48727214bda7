"""What a file is by its first bytes, and how large an image says it is, without decoding it."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable

MAX_IMAGE_BYTES = 20 * 1024 * 1024
"""What an image may measure, in bytes as it is stored."""
MAX_IMAGE_PIXELS = 64_000_000
"""What an image may measure when it is unpacked; a small file can claim billions."""
MAX_FILE_BYTES = 32 * 1024 * 1024
"""What a file may measure, in bytes."""

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)
_JPEG_NO_FRAME = (0xC4, 0xC8, 0xCC)  # markers among the frame headers that are none
_MOST_JPEG_SEGMENTS = 1_000

Size = tuple[int, int]


def kind_of_bytes(data: bytes) -> str | None:
    """Return the media type that `data` begins like; None for one that is not known here."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS if data.startswith(start)), None)


def kind_of_file(data: bytes, name: str) -> str:
    """Return the media type of a file by its content, else by its name."""
    return kind_of_bytes(data) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def image_kind(data: bytes, stated: str) -> str:
    """Return the media type of an image: what it is, whatever was stated.

    Raises:
        ValueError: it is too large in bytes or pixels, or is another kind of file.
    """
    kind = kind_of_bytes(data) or stated
    if not kind.startswith("image/"):
        raise ValueError(
            f"An image is expected, and these {len(data):,} bytes are {kind!r:.60}. "
            "Pass a PNG, JPEG, GIF or WebP image."
        )
    if len(data) > MAX_IMAGE_BYTES:
        raise ValueError(
            f"The image has {len(data):,} bytes, and {MAX_IMAGE_BYTES:,} is the most. "
            "Make it smaller first."
        )
    width, height = image_size(data) or (0, 0)
    if width * height > MAX_IMAGE_PIXELS:
        raise ValueError(
            f"The image says it has {width:,} x {height:,} pixels, and {MAX_IMAGE_PIXELS:,} in all "
            "is the most. Make it smaller first."
        )
    return kind


def image_size(data: bytes) -> Size | None:
    """Return width and height as the header says; None for a kind or header that says nothing."""
    measure = _MEASURES.get(kind_of_bytes(data) or "")
    try:
        return measure(data) if measure is not None else None
    except IndexError:  # the header is cut off
        return None


def _png(data: bytes) -> Size:
    return _number(data, 16, 4), _number(data, 20, 4)


def _gif(data: bytes) -> Size:
    return _number(data, 6, 2, "little"), _number(data, 8, 2, "little")


def _webp(data: bytes) -> Size | None:
    form = data[12:16]
    if form == b"VP8X":
        return 1 + _number(data, 24, 3, "little"), 1 + _number(data, 27, 3, "little")
    if form == b"VP8L":
        bits = _number(data, 21, 4, "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if form == b"VP8 ":
        return _number(data, 26, 2, "little") & 0x3FFF, _number(data, 28, 2, "little") & 0x3FFF
    return None


def _jpeg(data: bytes) -> Size | None:
    at = 2
    for _ in range(_MOST_JPEG_SEGMENTS):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in _JPEG_NO_FRAME:
            return _number(data, at + 7, 2), _number(data, at + 5, 2)
        at += 1 if marker == 0xFF else 2 + _number(data, at + 2, 2)
    return None


def _number(data: bytes, at: int, size: int, order: str = "big") -> int:
    if len(data) < at + size:
        raise IndexError("the header is cut off")
    return int.from_bytes(data[at : at + size], "little" if order == "little" else "big")


_MEASURES: dict[str, Callable[[bytes], Size | None]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}
