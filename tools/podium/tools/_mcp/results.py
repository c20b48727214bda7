"""What an MCP tool returned: text for the model, parts for those that take them, data for state."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from mcp_types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ResourceLink,
    TextResourceContents,
)
from mcp_types import ImageContent as MCPImage
from mcp_types import TextContent as MCPText

from podium.tools._results import result_text
from podium.tools.content import ContentPart, ImageContent, TextContent

MAX_IMAGE_BYTES = 5 * 1024 * 1024
"""The largest image that is passed on as an image."""
MAX_IMAGE_PIXELS = 50_000_000
"""The most pixels, by what its header says."""

_KINDS: Sequence[tuple[bytes, str]] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
)


@dataclass(frozen=True, slots=True)
class MCPResult:
    """What a call of an MCP tool gave."""

    text: str
    """All of it as text; images and files are named, not shown."""
    parts: tuple[ContentPart, ...] = ()
    """Its texts and images one by one, for `outputs_to_string={"raw_result": True}`."""
    structured: Any = None
    """The structured content; None where there is none, or it does not fit what was declared."""

    @property
    def data(self) -> Any:
        """What state and handlers get: structured content, JSON in the text, or the text."""
        if self.structured is not None:
            return self.structured
        if self.text[:1] not in ("{", "["):
            return self.text
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return self.text

    def __str__(self) -> str:
        """Return the text."""
        return self.text


def result_of_call(
    result: CallToolResult, misfits: Callable[[Any], Sequence[str]] | None
) -> MCPResult:
    """Return what a server's answer holds; `misfits` says how structured content is wrong.

    The call has acted, so what does not fit is told and not dropped.
    """
    structured = result.structured_content
    texts = [_as_text(block) for block in result.content]
    notes: list[str] = []
    if structured is not None and misfits is not None and (found := misfits(structured)):
        notes.append(f"[this is not what the tool declares to return: {'; '.join(found[:3])}]")
    text = (
        "\n".join(texts)
        if texts or structured is None
        else json.dumps(structured, ensure_ascii=False)
    )
    parts = tuple(_as_part(block) for block in result.content)
    return MCPResult(
        result_text("\n".join([text, *notes])),
        (*(parts or (TextContent(text),)), *map(TextContent, notes)),
        None if notes else structured,
    )


def _as_text(block: object) -> str:
    match block:
        case MCPText(text=text):
            return text
        case MCPImage(data=data, mime_type=kind) | AudioContent(data=data, mime_type=kind):
            return f"[{kind:.60}, {_size(data):,} bytes]"
        case ResourceLink(name=name, uri=uri):
            return f"[resource {name:.200}: {uri!s:.500}]"
        case EmbeddedResource(resource=TextResourceContents(text=text)):
            return text
        case EmbeddedResource(resource=resource):
            size = _size(getattr(resource, "blob", ""))
            return f"[{resource.mime_type or 'file':.60}, {size:,} bytes: {resource.uri!s:.500}]"
        case _:
            return f"[{type(block).__name__}]"


def _as_part(block: object) -> ContentPart:
    if isinstance(block, MCPImage):
        image = _image(block.data)
        if image is not None:
            return image
    return TextContent(_as_text(block))


def _image(data: str) -> ImageContent | None:
    """Return the image if it is one, whatever it was said to be, and not too large to look at."""
    if _size(data) > MAX_IMAGE_BYTES:
        return None
    try:
        head = base64.b64decode(data[:64], validate=True)
        kind = next((kind for magic, kind in _KINDS if head.startswith(magic)), None)
        if kind is None or _pixels(head) > MAX_IMAGE_PIXELS:
            return None
        return ImageContent(data, kind)
    except (binascii.Error, ValueError):
        return None


def _pixels(head: bytes) -> int:
    """Return how many pixels a PNG or a GIF claims to have; 0 for what does not say it up front."""
    if head.startswith(b"\x89PNG"):
        number = partial(int.from_bytes, byteorder="big")
        return number(head[16:20]) * number(head[20:24])
    if head.startswith(b"GIF8"):
        number = partial(int.from_bytes, byteorder="little")
        return number(head[6:8]) * number(head[8:10])
    return 0


def _size(data: str) -> int:
    return len(data) * 3 // 4
