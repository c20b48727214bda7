"""What a message or a tool result can hold: text, images and files, as plain immutable values."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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
    """An image as base64 text."""

    base64_image: str
    """The bytes of the image, base64-encoded, without a `data:` prefix."""
    mime_type: str = "image/png"
    """Media type, such as `image/png`."""
    detail: ImageDetail | None = None
    """How closely the model should look; None leaves it to the provider."""
    meta: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    """The user's own notes; never sent to the model."""

    def __post_init__(self) -> None:
        """Refuse what is not base64, before it can reach a provider."""
        _check_base64(self.base64_image, "ImageContent.base64_image")

    @classmethod
    def from_bytes(
        cls, data: bytes, *, mime_type: str = "image/png", detail: ImageDetail | None = None
    ) -> ImageContent:
        """Return the image held in `data`."""
        return cls(base64.b64encode(data).decode("ascii"), mime_type, detail)


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file, such as a PDF, as base64 text."""

    base64_data: str
    """The bytes of the file, base64-encoded."""
    mime_type: str = "application/octet-stream"
    """Media type, such as `application/pdf`."""
    filename: str | None = None
    """Name shown to the model, without folders."""

    def __post_init__(self) -> None:
        """Refuse what is not base64, before it can reach a provider."""
        _check_base64(self.base64_data, "FileContent.base64_data")

    @classmethod
    def from_bytes(cls, data: bytes, *, mime_type: str, filename: str | None = None) -> FileContent:
        """Return the file held in `data`."""
        return cls(base64.b64encode(data).decode("ascii"), mime_type, filename)


ContentPart = TextContent | ImageContent | FileContent


def _check_base64(text: str, place: str) -> None:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(
            f"{place} is not base64 ({error}; it starts with {text[:12]!r}). "
            "Pass the encoded bytes without a data: prefix, or use from_bytes()."
        ) from error
