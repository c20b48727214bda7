"""What a message or a tool result can hold: text, images and files, as plain immutable values.

>>> from podium.tools.content import ImageContent
>>> ImageContent.from_bytes(b"GIF89a" + bytes([1, 0, 1, 0])).mime_type
'image/gif'
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from podium.tools._media import (
    MAX_FILE_BYTES,
    MAX_IMAGE_BYTES,
    MAX_IMAGE_PIXELS,
    image_kind,
    kind_of_file,
)
from podium.tracing._text import clean_text

ImageDetail = Literal["auto", "low", "high"]


@dataclass(frozen=True, slots=True)
class TextContent:
    """A piece of text."""

    text: str

    def __post_init__(self) -> None:
        """Clean the text once, so that it can always be sent."""
        object.__setattr__(self, "text", clean_text(self.text))


@dataclass(frozen=True, slots=True)
class ImageContent:
    """An image as base64 text.

    It is never decoded here, but its first bytes are read: they say what kind it really is, and
    one that claims more than 64 million pixels, or has more than 20 MiB, is refused.
    """

    base64_image: str = field(repr=False)
    """The bytes of the image, base64-encoded, without a `data:` prefix."""
    mime_type: str = "image/png"
    """Media type, such as `image/png`; what the bytes say goes before what is passed."""
    detail: ImageDetail | None = None
    """How closely the model should look; None leaves it to the provider."""
    meta: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    """The user's own notes; never sent to the model."""

    def __post_init__(self) -> None:
        """Refuse what is not base64 or too large, before it can reach a provider."""
        data = _from_base64(self.base64_image, "ImageContent.base64_image")
        object.__setattr__(self, "mime_type", image_kind(data, self.mime_type))

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        *,
        mime_type: str = "image/png",
        detail: ImageDetail | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> ImageContent:
        """Return the image held in `data`: of the kind that it begins like, else of `mime_type`.

        Raises:
            ValueError: it is too large, or a file of another kind.
        """
        return cls(_to_base64(data), mime_type, detail, dict(meta or {}))

    @classmethod
    def from_file_path(
        cls,
        path: str | os.PathLike[str],
        *,
        detail: ImageDetail | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> ImageContent:
        """Return the image in a file; `meta` has its `file_path` unless it says otherwise.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is too large, or no image.
        """
        data, name = _read(path, MAX_IMAGE_BYTES), os.fspath(path)
        notes = {"file_path": name, **(meta or {})}
        kind = kind_of_file(data, name)
        return cls.from_bytes(data, mime_type=kind, detail=detail, meta=notes)

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        timeout_seconds: float = 20.0,
        detail: ImageDetail | None = None,
        meta: Mapping[str, object] | None = None,
        allow_private: Collection[str] = (),
    ) -> ImageContent:
        """Fetch an image from the public web; `meta` has its `url` unless it says otherwise.

        Holds up the calling thread: in async code, call it in a tool that is a plain function, or
        through `anyio.to_thread`. Hosts named in `allow_private` may have private addresses.

        Raises:
            FetchError: the address is not public, or the fetch fails.
            ValueError: what came is too large, or no image.
        """
        # loads the HTTP client, which most programs reach podium.tools without
        from podium.tools._web.fetch import FetchRules, fetch_blocking

        rules = FetchRules(
            accepts=("image/", "application/octet-stream"),
            max_bytes=MAX_IMAGE_BYTES,
            timeout_seconds=timeout_seconds,
            own_hosts=frozenset(allow_private),
        )
        fetched = fetch_blocking(url, rules)
        notes = {"url": url, **(meta or {})}
        kind = fetched.content_type or kind_of_file(fetched.data, url.partition("?")[0])
        return cls.from_bytes(fetched.data, mime_type=kind, detail=detail, meta=notes)

    @classmethod
    def from_pdf(
        cls,
        source: str | os.PathLike[str] | bytes,
        *,
        pages: Sequence[int] | None = None,
        dpi: int = 100,
        max_pages: int = 20,
        detail: ImageDetail | None = None,
    ) -> list[ImageContent]:
        """Return pages of a PDF as images, one each, with `page_number` in their `meta`.

        `pages` counts from 1; None takes all, up to `max_pages`.

        Raises:
            ImportError: the extra `documents` is not installed.
            OSError: the file cannot be read.
            ValueError: it is no PDF that opens, has no such page, or a page would be too large.
        """
        from podium.tools._pdf import drawn_pages  # belongs to the extra `documents`

        data = source if isinstance(source, bytes) else _read(source, MAX_FILE_BYTES)
        drawn = drawn_pages(data, pages, dpi=dpi, max_pages=max_pages, max_pixels=MAX_IMAGE_PIXELS)
        numbers = pages if pages is not None else range(1, len(drawn) + 1)
        return [
            cls.from_bytes(page, detail=detail, meta={"page_number": number})
            for number, page in zip(numbers, drawn, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file, such as a PDF, as base64 text."""

    base64_data: str = field(repr=False)
    """The bytes of the file, base64-encoded."""
    mime_type: str = "application/octet-stream"
    """Media type, such as `application/pdf`."""
    filename: str | None = None
    """Name shown to the model, without folders."""

    def __post_init__(self) -> None:
        """Refuse what is not base64, before it can reach a provider."""
        _from_base64(self.base64_data, "FileContent.base64_data")

    @classmethod
    def from_bytes(cls, data: bytes, *, mime_type: str, filename: str | None = None) -> FileContent:
        """Return the file held in `data`."""
        return cls(_to_base64(data), mime_type, filename)

    @classmethod
    def from_file_path(
        cls,
        path: str | os.PathLike[str],
        *,
        mime_type: str | None = None,
        filename: str | None = None,
    ) -> FileContent:
        """Return a file; its kind is read from its content, else from its name, unless given.

        Raises:
            OSError: it cannot be read.
            ValueError: it is too large.
        """
        data, name = _read(path, MAX_FILE_BYTES), filename or Path(path).name
        return cls.from_bytes(data, mime_type=mime_type or kind_of_file(data, name), filename=name)

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        mime_type: str | None = None,
        filename: str | None = None,
        timeout_seconds: float = 20.0,
        allow_private: Collection[str] = (),
    ) -> FileContent:
        """Fetch a file from the public web; see `ImageContent.from_url`.

        Raises:
            FetchError: the address is not public, or the fetch fails.
        """
        # as in ImageContent.from_url
        from podium.tools._web.fetch import FetchRules, fetch_blocking

        rules = FetchRules(
            accepts=("",),
            max_bytes=MAX_FILE_BYTES,
            timeout_seconds=timeout_seconds,
            own_hosts=frozenset(allow_private),
        )
        fetched = fetch_blocking(url, rules)
        name = filename or Path(url.partition("?")[0]).name or None
        kind = mime_type or fetched.content_type or kind_of_file(fetched.data, name or "")
        return cls.from_bytes(fetched.data, mime_type=kind, filename=name)


ContentPart = TextContent | ImageContent | FileContent


def _read(path: str | os.PathLike[str], most: int) -> bytes:
    with Path(path).open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(
            f"The file {os.fspath(path)!r} has more than {most:,} bytes, which is the most. "
            "Pass a smaller one."
        )
    return data


def _to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _from_base64(text: object, place: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(
            f"{place} is {text!r:.40}, not base64 text. Pass the bytes themselves to from_bytes()."
        )
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(
            f"{place} is not base64 ({error}; it starts with {text[:12]!r}). "
            "Pass the encoded bytes without a data: prefix, or use from_bytes()."
        ) from error
