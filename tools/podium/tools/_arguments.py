"""What a provider sent as a call's arguments: as a dict, or in words that say why it is none."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, cast

from podium.tools._problems import kind_of, quoted
from podium.tools._shapes import is_array, is_deeper_than, is_mapping, is_object
from podium.tools._text import clean_json
from podium.tracing._text import clean_text

MAX_ARGUMENT_BYTES = 256 * 1024
"""What the arguments of one call may measure, as UTF-8."""
MAX_ARGUMENT_DEPTH = 64
"""How deep arrays and objects may be nested in each other, the arguments themselves included."""
MAX_ARGUMENT_NODES = 100_000
"""How many values the arguments of one call may hold, where they do not come as text."""

_EXACT_FLOAT = 2**53  # up to here every integer has its own float
_MAX_INTEGER_BITS = 14_300  # a little over 4,300 digits, the most Python itself reads from text
_EXCERPT_CHARS = 24
_TOO_LONG_INTEGER = "the arguments hold an integer of more than 4,300 digits"
_TOO_DEEP = f"the arguments are nested deeper than {MAX_ARGUMENT_DEPTH} levels"


class _Unreadable(ValueError):
    """Says, as a clause, what is wrong with the arguments as a whole."""


def parse_arguments(raw: object) -> tuple[dict[str, Any], str | None]:
    """Return the arguments in what a provider sent, and a problem if they cannot be read.

    Takes JSON text, a dict, or nothing at all (None, empty text, `null`: no arguments). An object
    wrapped in one more layer of JSON text is unwrapped once. Never raises: with a problem, which is
    a clause for the model such as "the arguments are not valid JSON (...)", the dict is empty.
    Lone surrogates become U+FFFD; escaped pairs become the character they stand for.
    """
    try:
        value = _decode(raw) if isinstance(raw, str) else _copied(raw, 0, _nodes())
        if isinstance(value, str) and value.lstrip()[:1] in {"{", ""}:
            value = _decode(value)
    except _Unreadable as error:
        return {}, str(error)
    except Exception as error:  # a mapping of the provider's own may do anything
        return {}, f"the arguments cannot be read ({type(error).__name__})"
    if is_object(value):
        return value, None
    if value is None:
        return {}, None
    return {}, f"the arguments are not a JSON object but {kind_of(value)}"


def decode_container(text: str) -> list[Any] | dict[str, Any] | None:
    """Return the array or object that `text` holds as JSON, or None when it holds no such thing."""
    try:
        value = _decode(text)
    except _Unreadable:
        return None
    return value if is_array(value) or is_object(value) else None


def copy_json(value: Any) -> Any:
    """Return `value` with every list and dict in it copied, so that a tool may change its own."""
    if is_object(value):
        return {key: copy_json(item) for key, item in value.items()}
    if is_array(value):
        return [copy_json(item) for item in value]
    return value


def _decode(text: str) -> object:
    if not text or text.isspace():
        return None
    if len(text) > MAX_ARGUMENT_BYTES // 4:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > MAX_ARGUMENT_BYTES:
            raise _Unreadable(
                f"the arguments measure {size:,} bytes, and {MAX_ARGUMENT_BYTES:,} are allowed"
            )
    try:
        value: object = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _Unreadable(_syntax(text, error)) from error
    except RecursionError as error:
        raise _Unreadable(_TOO_DEEP) from error
    except _Unreadable:
        raise
    except ValueError as error:  # the only one left: int() refuses the length
        raise _Unreadable(_TOO_LONG_INTEGER) from error
    may_be_deep = text.count("[") + text.count("{") > MAX_ARGUMENT_DEPTH
    if may_be_deep and is_deeper_than(MAX_ARGUMENT_DEPTH, value):
        raise _Unreadable(_TOO_DEEP)
    return value if text.isascii() and "\\u" not in text else clean_json(value)


def _syntax(text: str, error: json.JSONDecodeError) -> str:
    near = text[max(0, error.pos - _EXCERPT_CHARS) : error.pos + _EXCERPT_CHARS]
    return (
        f"the arguments are not valid JSON ({error.msg} at character {error.pos}, "
        f"near {quoted(near)})"
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, refusing one that gives a key twice: a reader could see either value."""
    found = dict(pairs)
    if len(found) != len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise _Unreadable(
            f"the arguments are not usable JSON: one object has the key {quoted(twice)} twice"
        )
    return found


def _refuse_constant(name: str) -> None:
    raise _Unreadable(f"the arguments are not valid JSON ({name} is not a JSON number)")


def _number(text: str) -> float | int:
    """Return a float, or the exact integer where a float would silently change its digits."""
    value = float(text)
    if -_EXACT_FLOAT < value < _EXACT_FLOAT:
        return value
    if math.isinf(value):
        raise _Unreadable(f"the arguments hold a number beyond all limits ({text:.20})")
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else value


def _nodes() -> Iterator[int]:
    return iter(range(MAX_ARGUMENT_NODES))


def _copied(value: Any, depth: int, nodes: Iterator[int]) -> Any:
    """Return a cleaned copy of arguments that did not come as text, under the same rules."""
    if next(nodes, None) is None:
        raise _Unreadable(f"the arguments hold more than {MAX_ARGUMENT_NODES:,} values")
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _Unreadable(f"the arguments are not valid JSON ({value} is not a JSON number)")
    if isinstance(value, int) and value.bit_length() > _MAX_INTEGER_BITS:
        raise _Unreadable(_TOO_LONG_INTEGER)
    if depth >= MAX_ARGUMENT_DEPTH and isinstance(value, Mapping | list | tuple):
        raise _Unreadable(_TOO_DEEP)
    if is_mapping(value):
        return {_key(key): _copied(item, depth + 1, nodes) for key, item in value.items()}
    if is_array(value) or isinstance(value, tuple):
        return [_copied(item, depth + 1, nodes) for item in cast("Iterable[object]", value)]
    return value


def _key(key: object) -> str:
    if isinstance(key, str):
        return clean_text(key)
    raise _Unreadable(f"the arguments have a key that is not text but {kind_of(key)}")


# Not strict: a raw line break inside a string is a common slip with one possible meaning.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_refuse_constant,
    parse_float=_number,
    strict=False,
)
