"""Arguments held to a JSON schema that was written by hand or came from elsewhere."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podium.tools._arguments import decode_container
from podium.tools._json_schema import (
    admitted_types,
    described_parameters,
    is_closed,
    resolved,
    type_name,
)
from podium.tools._problems import kind_of, missing, unknown, wrong
from podium.tools._shapes import is_array, is_object
from podium.tools._signature import Signature

MAX_CHECK_STEPS = 100_000
"""Schema parts applied to values in one check; references can multiply them without end."""

_WITH_ARTICLE = {
    "null": "null",
    "array": "an array",
    "integer": "an integer",
    "object": "an object",
}
_TELLING = frozenset({"type", "description", "title", "default", "examples", "format", "pattern"})
_MAX_HOPS = 64  # schema parts applied to one value in a row: a circle of references never ends


class _TooMuch(Exception):
    """The check has taken more steps than any honest schema needs."""


class JsonParameters:
    """The parameters that a JSON schema declares.

    Knows the keywords that say what a value may be: type, enum, const, properties, required,
    additionalProperties, items, prefixItems, the bounds, anyOf, oneOf, allOf and local `$ref`.
    Others, `pattern` and `format` among them, are for the model to read: a pattern from elsewhere
    could take forever to match.
    """

    def __init__(self, schema: dict[str, Any], signature: Signature) -> None:
        """Keep a usable object schema; the function of `signature` takes what it lets through."""
        self.schema = schema
        self.signature = signature
        self._closed = is_closed(schema) or not signature.is_open

    @property
    def described(self) -> Sequence[str]:
        """Each parameter in words, such as `limit (integer, required)`."""
        return described_parameters(self.schema)

    def check(self, arguments: Mapping[str, object]) -> tuple[dict[str, Any], list[str]]:
        """Return a copy of the arguments, and what is wrong with them.

        JSON text is decoded, once, where only an array or object fits. A null for a property that
        takes none and is not required is left out.
        """
        names = self.schema["properties"]
        strangers = [name for name in arguments if name not in names] if self._closed else []
        known = {n: value for n, value in arguments.items() if n in names or not self._closed}
        check = _Check(self.schema)
        try:
            values = check.fit(self.schema, known, "")
        except (_TooMuch, RecursionError):
            return {}, ["the arguments are too much to check against this tool's schema"]
        return values, [unknown(strangers), *check.problems] if strangers else check.problems


def misfits(schema: Mapping[str, Any], value: object) -> list[str]:
    """Return how `value` does not fit a usable schema; nothing of it runs as a pattern."""
    check = _Check(schema)
    try:
        check.fit(schema, value, "")
    except (_TooMuch, RecursionError):
        return ["it is too much to check"]
    return check.problems


class _Check:
    """One check on its way: what is wrong so far."""

    def __init__(self, root: Mapping[str, Any], steps: Iterator[int] | None = None) -> None:
        self.problems: list[str] = []
        self._root = root
        self._steps = iter(range(MAX_CHECK_STEPS)) if steps is None else steps

    def fit(self, schema: Any, value: Any, path: str, hops: int = 0) -> Any:
        """Return `value` as `schema` wants it, and note what is wrong with it."""
        if next(self._steps, None) is None:
            raise _TooMuch
        if schema is False:
            self.problems.append(f"{path!r} is not allowed")
        if not is_object(schema) or hops > _MAX_HOPS:
            return value
        plain = resolved(schema, self._root)
        value = self._typed(plain, value, path)
        if "type" in plain and not _is_any_type(value, plain["type"]):
            self.problems.append(wrong(path, f"should be {_choice(plain['type'])}", value))
            return value
        if plain.keys() <= _TELLING and not isinstance(value, dict | list):
            return value
        self._listed(plain, value, path)
        self.problems.extend(_out_of_bounds(plain, value, path))
        value = self._combined(plain, value, path, hops)
        if is_object(value):
            return self._object(plain, value, path)
        if is_array(value):
            return self._array(plain, value, path)
        return value

    def _typed(self, schema: Mapping[str, Any], value: Any, path: str) -> Any:
        """Decode text where an array or object must stand; make 7.0 an integer where one must."""
        if isinstance(value, str):
            admitted = admitted_types(schema, self._root)
            if "string" not in admitted and admitted & {"array", "object"}:
                decoded = decode_container(value)
                return value if decoded is None else decoded
        if isinstance(value, float) and value.is_integer() and schema.get("type") == "integer":
            return int(value)
        return value

    def _listed(self, schema: Mapping[str, Any], value: Any, path: str) -> None:
        if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
            shown = ", ".join(kind_of(one) for one in schema["enum"][:8])
            self.problems.append(wrong(path, f"should be one of: {shown}", value))
        if "const" in schema and not _same(value, schema["const"]):
            self.problems.append(wrong(path, f"should be {kind_of(schema['const'])}", value))

    def _combined(self, schema: Mapping[str, Any], value: Any, path: str, hops: int) -> Any:
        for one in schema.get("allOf", ()):
            value = self.fit(one, value, path, hops + 1)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                value = self._one_of(schema[key], value, path, hops, exactly=key == "oneOf")
        return value

    def _one_of(
        self, choices: Sequence[Any], value: Any, path: str, hops: int, *, exactly: bool
    ) -> Any:
        fitting: list[Any] = []
        failed: list[list[str]] = []
        for choice in choices:
            attempt = _Check(self._root, self._steps)
            result = attempt.fit(choice, value, path, hops + 1)
            if attempt.problems:
                failed.append(attempt.problems)
            elif fitting and exactly:
                self.problems.append(wrong(path, "fits more than one of its forms", value))
                break
            else:
                fitting.append(result)
                if not exactly:
                    break
        if fitting:
            return fitting[0]
        self.problems.extend(_closest(failed))
        return value

    def _object(
        self, schema: Mapping[str, Any], value: dict[str, Any], path: str
    ) -> dict[str, Any]:
        known: Mapping[str, Any] = schema.get("properties", {})
        required: Sequence[str] = schema.get("required", ())
        others = True if "patternProperties" in schema else schema.get("additionalProperties", True)
        result: dict[str, Any] = {}
        for name, item in value.items():
            place = f"{path}.{name}" if path else name
            if name not in known:
                result[name] = self.fit(others, item, place)
            elif item is not None or name in required or self._takes_null(known[name]):
                result[name] = self.fit(known[name], item, place)
        for name in required:
            if name not in value:
                self.problems.append(missing(f"{path}.{name}" if path else name))
        return result

    def _array(self, schema: Mapping[str, Any], value: list[Any], path: str) -> list[Any]:
        first: Sequence[Any] = schema.get("prefixItems", ())
        rest = schema.get("items", True)
        return [
            self.fit(first[index] if index < len(first) else rest, item, f"{path}.{index}")
            for index, item in enumerate(value)
        ]

    def _takes_null(self, schema: Any) -> bool:
        return "null" in admitted_types(schema, self._root)


def _is_any_type(value: Any, kind: Any) -> bool:
    names: list[str] = kind if is_array(kind) else [kind]
    found = type_name(value)
    if found in names or (found == "integer" and "number" in names):
        return True
    return found == "number" and "integer" in names and bool(value.is_integer())


def _choice(kind: Any) -> str:
    names: list[str] = kind if is_array(kind) else [kind]
    return " or ".join(_WITH_ARTICLE.get(name, f"a {name}") for name in names)


def _same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _closest(failed: list[list[str]]) -> list[str]:
    """Return the problems of the form that came closest; of forms equally far, those of each."""
    fewest = min((len(problems) for problems in failed), default=0)
    near = [problems for problems in failed if len(problems) == fewest]
    if fewest == 1:
        return [" or ".join(dict.fromkeys(problems[0] for problems in near[:4]))]
    return near[0] if near else []


def _out_of_bounds(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    for kinds, measure, unit, bounds in _BOUNDS:
        if isinstance(value, kinds) and not isinstance(value, bool):
            size = measure(value)
            for keyword, holds, words in bounds:
                limit = schema.get(keyword)
                if isinstance(limit, int | float) and not isinstance(limit, bool):
                    if not holds(size, limit):
                        yield wrong(path, f"should {words} {limit}{unit}", value)


def _itself(value: Any) -> Any:
    return value


_Bound = tuple[str, Callable[[Any, Any], bool], str]

_BOUNDS: tuple[
    tuple[type | tuple[type, ...], Callable[[Any], float], str, tuple[_Bound, ...]], ...
] = (
    (
        (int, float),
        _itself,
        "",
        (
            ("minimum", operator.ge, "be at least"),
            ("maximum", operator.le, "be at most"),
            ("exclusiveMinimum", operator.gt, "be more than"),
            ("exclusiveMaximum", operator.lt, "be less than"),
        ),
    ),
    (
        str,
        len,
        " characters",
        (("minLength", operator.ge, "have at least"), ("maxLength", operator.le, "have at most")),
    ),
    (
        list,
        len,
        " items",
        (("minItems", operator.ge, "have at least"), ("maxItems", operator.le, "have at most")),
    ),
)
