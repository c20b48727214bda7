"""JSON to and from providers: strict where podium writes, forgiving where it reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json

from podium.tools import clean_json
from podium.tools._shapes import is_deeper_than

_MAX_DEPTH = 200
"""What the strict reader allows; the forgiving one would go on to the interpreter's own limit."""


def encode(value: object) -> bytes:
    """Return `value` as JSON in UTF-8; infinities and NaN become null, lone surrogates U+FFFD."""
    try:
        return to_json(value, inf_nan_mode="null")
    except PydanticSerializationError:
        return to_json(clean_json(value), inf_nan_mode="null", serialize_unknown=True)


def decode(data: bytes) -> Any:
    """Return the JSON value in `data`.

    Lone surrogates (half of an emoji, cut by a tokenizer), control characters in strings and bytes
    that are no UTF-8 do not fail.

    Raises:
        ValueError: it is no JSON, or is nested too deeply.
    """
    try:
        # Caching keys only: caching values would fill a process-wide cache with unique ids.
        return from_json(data, cache_strings="keys")
    except ValueError:
        pass
    try:
        value = json.loads(data.decode("utf-8", "replace"), strict=False)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    if is_deeper_than(_MAX_DEPTH, value):
        raise ValueError(f"the JSON is nested deeper than {_MAX_DEPTH} levels")
    return value


def is_object(text: str) -> bool:
    """Return whether `text` is a complete JSON object."""
    try:
        return isinstance(decode(text.encode("utf-8", "surrogatepass")), dict)
    except ValueError:
        return False


def join_text(pieces: Iterable[str]) -> str:
    """Return the pieces as one text in which halves of a character, cut apart, are whole again."""
    text = "".join(pieces)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
