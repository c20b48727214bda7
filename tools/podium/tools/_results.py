"""What a tool returned, as text or content parts for the model; any value has a form."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import math
import re
from collections.abc import Iterable, Mapping, MappingView, Sequence, Set
from typing import Any, cast

from podium.tools._media import kind_of_bytes
from podium.tools._shapes import is_mapping
from podium.tools.content import ContentPart, FileContent, ImageContent, TextContent
from podium.tracing._text import clean_text

MAX_RESULT_BYTES = 1024 * 1024
"""What the text of one result may measure, as UTF-8; more is cut, and the cut is marked."""
MAX_RESULT_DEPTH = 64
"""How deep a result may be nested before the rest is left out."""
MAX_RESULT_NODES = 100_000
"""How many values of a result are shown before the rest is left out."""

_SCALARS = (
    *(str, int, float, bytes, bytearray, memoryview, enum.Enum, datetime.date, datetime.time),
    *(TextContent, ImageContent, FileContent),
)
_LISTS = (list, tuple, Sequence, Set, MappingView)
_LEFT_OUT = "<left out: the result is too large>"
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_MAX_INTEGER_BITS = 14_000  # Python writes out no integer of more than 4,300 digits


def result_text(value: object) -> str:
    """Return `value` as text that can always be sent: text as it is, all else as JSON.

    Binary data is named, never dumped; what has no JSON form is shown as `str` shows it.
    """
    plain = value if type(value) is str else _Plain().form(value, 0)
    text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
    return _cut(clean_text(text))


def result_parts(value: object) -> str | tuple[ContentPart, ...]:
    """Return `value` as content parts if it is one, or a list with at least one; else as text."""
    if isinstance(value, ContentPart):
        return (_bounded(value),)
    items = list(cast("Sequence[object]", value)) if isinstance(value, list | tuple) else []
    if any(isinstance(item, ContentPart) for item in items):
        return tuple(
            _bounded(item) if isinstance(item, ContentPart) else TextContent(result_text(item))
            for item in items
        )
    return result_text(value)  # pyright: ignore[reportUnknownArgumentType]  narrowed by isinstance


def _bounded(part: ContentPart) -> ContentPart:
    return TextContent(_cut(part.text)) if isinstance(part, TextContent) else part


def _cut(text: str) -> str:
    if len(text) <= MAX_RESULT_BYTES // 4:
        return text
    data = text.encode()
    if len(data) <= MAX_RESULT_BYTES:
        return text
    mark = f"\n[cut here: the whole result has {len(data):,} bytes]"
    return data[: MAX_RESULT_BYTES - len(mark)].decode("utf-8", "ignore") + mark


class _Plain:
    """One conversion to plain JSON data, which counts what it has taken in."""

    def __init__(self) -> None:
        self._left = MAX_RESULT_NODES
        self._inside: set[int] = set()

    def form(self, value: Any, depth: int) -> Any:
        """Return `value` as JSON data; whatever its own code raises, it gets a form."""
        self._left -= 1
        if self._left < 0 or depth > MAX_RESULT_DEPTH:
            return _LEFT_OUT
        kind = cast("type[object]", type(value))
        if kind is str or kind is bool or value is None:
            return value
        if id(value) in self._inside:
            return f"<circular: {kind.__name__}>"
        shape: object = value
        try:
            if isinstance(shape, _SCALARS):
                return self._scalar(value)
            self._inside.add(id(value))
            return self._composed(value, depth)
        except Exception:  # a result may be any object of anyone's; the call has acted already
            return _shown(value)
        finally:
            self._inside.discard(id(value))

    def _scalar(self, value: Any) -> Any:
        if isinstance(value, enum.Enum):
            return self.form(value.value, 0)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return int(value) if value.bit_length() <= _MAX_INTEGER_BITS else _huge(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(float(value))
        if isinstance(value, bytes | bytearray | memoryview):
            return _named_bytes(bytes(cast("bytes", value)))
        if isinstance(value, datetime.date | datetime.time):
            return value.isoformat()
        if isinstance(value, TextContent):
            return value.text
        if isinstance(value, ImageContent):
            return _named(value.mime_type, value.base64_image)
        return _named(value.filename or value.mime_type, value.base64_data)

    def _composed(self, value: Any, depth: int) -> Any:
        parts = _opened(value)
        if is_mapping(parts):
            entries = self._some(parts.items())
            return {self._key(key): self.form(item, depth + 1) for key, item in entries}
        if isinstance(parts, _LISTS) and not isinstance(parts, _SCALARS):
            items = self._some(cast("Iterable[object]", parts))
            return [self.form(item, depth + 1) for item in items]
        return _shown(value) if parts is None else self.form(parts, depth + 1)

    def _some(self, items: Iterable[Any]) -> Iterable[Any]:
        """Yield items as long as anything may still be shown."""
        for item in items:
            yield item
            if self._left < 0:
                return

    def _key(self, key: object) -> str:
        form = key if type(key) is str else self.form(key, 0)
        return form if isinstance(form, str) else json.dumps(form, ensure_ascii=False)


def _opened(value: Any) -> Any:
    """Return what `value` consists of: a mapping, a collection or another value; else None.

    Duck-typed for models and arrays, whose packages this part does not import.
    """
    shape: object = value
    if isinstance(shape, dict | list | tuple | Mapping):
        return value
    if isinstance(shape, Set) and not isinstance(shape, MappingView):
        return sorted(value, key=_order)
    kind = cast("type[object]", type(value))
    if hasattr(kind, "model_dump"):
        return value.model_dump()
    if dataclasses.is_dataclass(kind):
        # a field kept out of repr is kept out of sight: keys and passwords are declared so
        shown = (one.name for one in dataclasses.fields(kind) if one.repr)
        return {name: getattr(value, name) for name in shown if hasattr(value, name)}
    if hasattr(kind, "tolist"):
        return value.tolist()
    return value if isinstance(shape, _LISTS) else None


def _order(item: object) -> tuple[str, str]:
    return type(item).__name__, _shown(item)


def _shown(value: object) -> str:
    """Return `value` as `str` shows it, without memory addresses, which would differ each time."""
    try:
        return _ADDRESS.sub("", str(value))
    except Exception:  # __str__ and __repr__ are anyone's code as well
        return f"<{type(value).__name__}>"


def _huge(value: int) -> str:
    return f"<integer of {value.bit_length():,} bits>"


def _named(name: str, base64_text: str) -> str:
    return f"<{name}, {len(base64_text) * 3 // 4} bytes>"


def _named_bytes(data: bytes) -> str:
    kind = kind_of_bytes(data)
    return f"<{len(data)} bytes>" if kind is None else f"<{len(data)} bytes, {kind}>"
