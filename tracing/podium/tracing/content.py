"""What people and models wrote, in traces: left out unless asked for, and then bounded.

Prompts, replies, tool arguments and results may be private, so none of it is recorded by default,
and neither is what errors say. `setup_tracing(capture_content=True)` asks for it, or the variable
that the GenAI conventions name:

    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY

Content passes the redaction first, then it is cut to a size that collectors take. API keys are no
content: they are recorded nowhere.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from enum import Flag, auto
from math import isfinite
from typing import cast

from podium.tracing import _redaction
from podium.tracing._attribute_values import MAX_INT, cut, text_of

__all__ = ["CAPTURE_VARIABLE", "MAX_CONTENT_BYTES", "Capture"]

CAPTURE_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The environment variable that says where content is recorded."""
MAX_CONTENT_BYTES = 64 * 1024
"""How large one attribute with content may be."""
_LEAF_BYTES = (16 * 1024, 4 * 1024, 1024, 256, 64)
"""How long a single text in it may be, where longer ones make the whole too large."""
_MAX_DEPTH = 32
_MAX_ENTRIES = 16 * 1024
"""More texts and numbers do not fit; looking at all of a million would hold the run up."""
_NAME_BYTES = 256


class Capture(Flag):
    """Where content is recorded."""

    NO_CONTENT = 0
    """Nowhere."""
    SPAN_ONLY = auto()
    """In attributes of spans, as JSON."""
    EVENT_ONLY = auto()
    """In log events beside the spans, which go where the application sends its logs."""
    SPAN_AND_EVENT = SPAN_ONLY | EVENT_ONLY
    """In both."""

    @classmethod
    def of(cls, asked: bool | str | Capture | None) -> Capture:
        """Return what is asked for; None asks the environment.

        Raises:
            ValueError: a word that means nothing.
        """
        if isinstance(asked, Capture):
            return asked
        word = os.environ.get(CAPTURE_VARIABLE, "") if asked is None else str(asked)
        found = _WORDS.get(word.strip().upper())
        if found is None:
            place = CAPTURE_VARIABLE if asked is None else "capture_content"
            raise ValueError(
                f"{place}={word!r:.60} says nothing about content. "
                "Set it to NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT, true or false."
            )
        return found


_WORDS: Mapping[str, Capture] = {
    **{name: member for name, member in Capture.__members__.items()},
    "": Capture.NO_CONTENT,
    "FALSE": Capture.NO_CONTENT,
    "TRUE": Capture.SPAN_ONLY,
}

_lock = threading.Lock()  # guards changes of the two below; readers take them as they are
_wishes: tuple[Capture, ...] = ()
_captured: Capture | None = None


def add_wish(capture: Capture) -> None:
    """Record content as one more place for spans wishes it."""
    _set_wishes((*_wishes, capture))


def remove_wish(capture: Capture) -> None:
    """End one such wish."""
    left = list(_wishes)
    left.remove(capture)
    _set_wishes(tuple(left))


def captured() -> Capture:
    """Return where content is recorded now: wherever the environment or anybody wishes it."""
    if _captured is None:
        _set_wishes(_wishes)
    return cast("Capture", _captured)


def _set_wishes(wishes: tuple[Capture, ...]) -> None:
    global _wishes, _captured
    with _lock:
        try:
            asked = Capture.of(None)
        except ValueError:  # setting tracing up says so; a run does not fail for it
            asked = Capture.NO_CONTENT
        for wish in wishes:
            asked |= wish
        _wishes, _captured = wishes, asked


def content_text(key: str, value: object) -> str:
    """Return content as the text of an attribute: JSON, redacted, valid UTF-8 and bounded."""
    if _redaction.hides(key):
        return _redaction.REDACTED
    text = ""
    for size_bytes in _LEAF_BYTES:
        plain = _Plain(key, size_bytes).of(value)
        text = plain if isinstance(plain, str) else _as_json(plain)
        if len(text) <= MAX_CONTENT_BYTES and len(text.encode()) <= MAX_CONTENT_BYTES:
            return text
    return _shortened(text, MAX_CONTENT_BYTES)


def content_data(key: str, value: object) -> object:
    """Return content as plain data for a log event, redacted and with its texts bounded."""
    if _redaction.hides(key):
        return _redaction.REDACTED
    return _Plain(key, _LEAF_BYTES[0]).of(value)


_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class _Plain:
    """Makes plain data of content: redacted, with bounded texts and no more entries than fit."""

    def __init__(self, key: str, size_bytes: int) -> None:
        self._key, self._size_bytes = key, size_bytes
        self._left = _MAX_ENTRIES

    def of(self, value: object, depth: int = 0) -> object:
        self._left -= 1
        if isinstance(value, str):
            return self._text(value, self._size_bytes)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, float):
            return value if isfinite(value) else str(value)
        if isinstance(value, int) and abs(value) <= MAX_INT:
            return value
        if depth < _MAX_DEPTH and isinstance(value, Mapping):
            return self._fields(cast("Mapping[object, object]", value), depth + 1)
        if depth < _MAX_DEPTH and isinstance(value, list | tuple):
            return self._items(cast("Sequence[object]", value), depth + 1)
        return self._text(text_of(value), self._size_bytes)

    def _text(self, text: str, size_bytes: int) -> str:
        return _shortened(str(_redaction.redacted(self._key, text)), size_bytes)

    def _fields(self, fields: Mapping[object, object], depth: int) -> dict[str, object]:
        told: dict[str, object] = {}
        for name, item in fields.items():
            if self._left <= 0:
                told["…"] = f"[cut: {len(fields):,} entries]"
                break
            told[self._text(text_of(name), _NAME_BYTES)] = self.of(item, depth)
        return told

    def _items(self, items: Sequence[object], depth: int) -> list[object]:
        told: list[object] = []
        for item in items:
            if self._left <= 0:
                told.append(f"… [cut: {len(items):,} entries]")
                break
            told.append(self.of(item, depth))
        return told


def _shortened(text: str, size_bytes: int) -> str:
    """Return text of at most so many bytes; a cut is marked with the size that there was."""
    if len(text) <= size_bytes // 4:
        return cut(text, size_bytes)  # for what has no UTF-8 form
    size = len(text.encode("utf-8", "replace"))
    if size <= size_bytes:
        return cut(text, size_bytes)
    mark = f"… [cut: {size:,} bytes]"
    return cut(text, size_bytes - len(mark.encode())) + mark
