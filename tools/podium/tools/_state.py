"""The state of one run: what tools and hooks share, by key, merged by handlers."""

from __future__ import annotations

import copy
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Union, cast, get_origin

from podium.tools._shapes import is_mapping
from podium.tools.errors import StateError, nearest

MergeHandler = Callable[[Any, Any], Any]
"""Takes the current value and the new one, returns what is kept."""

StateSchema = Mapping[str, Mapping[str, Any]]
"""`{key: {"type": T, "handler": merge function or None}}`."""


def merge_lists(current: object, new: object) -> list[object]:
    """Return the items of `current` and then those of `new`; None counts as empty."""
    return [*_as_list(current), *_as_list(new)]


def replace_values(current: object, new: object) -> object:
    """Return `new`."""
    return new


def _as_list(value: object) -> list[object]:
    if value is None:
        return []
    return list(cast("list[object]", value)) if isinstance(value, list) else [value]


class State:
    """What one run holds, by key.

    `get` returns copies, `set` merges by the key's handler, `data` is the live dict. Made for each
    run by podium; user code meets it in hooks and in tools with a `State` parameter.
    """

    __slots__ = ("_closed", "_data", "schema")

    def __init__(self, schema: StateSchema, data: dict[str, Any] | None = None) -> None:
        """Keep `data` by reference; each of its keys must be in `schema`.

        Raises:
            StateError: `data` has a key that `schema` does not declare.
        """
        self.schema = schema
        self._data: dict[str, Any] = {} if data is None else data
        self._closed = False
        for key in self._data:
            self._check(key)

    @property
    def data(self) -> dict[str, Any]:
        """The live dict; reading it copies nothing."""
        return self._data

    def get(self, key: str, default: Any = None) -> Any:
        """Return a deep copy of the value of `key`, or `default`.

        A value that cannot be copied (a lock, a connection) is returned as it is.
        """
        if key not in self._data:
            return default
        value = self._data[key]
        try:
            return copy.deepcopy(value)
        except Exception:  # locks, sockets and clients have no copy; sharing them is the only sense
            return value

    def has(self, key: str) -> bool:
        """Return whether `key` has a value."""
        return key in self._data

    def set(self, key: str, value: Any, handler_override: MergeHandler | None = None) -> None:
        """Merge `value` into `key` by its handler, or by `handler_override`.

        Raises:
            StateError: the schema has no such key, or the run is over.
        """
        self._check(key)
        if self._closed:
            raise StateError(
                f"State key {key!r} was set after its run had ended, so nobody would read it. "
                "Finish the work before the tool or hook returns."
            )
        handler = handler_override or handler_of(self.schema[key])
        self._data[key] = handler(self._data.get(key), value)

    def close(self) -> None:
        """Refuse writes from now on: late threads of an ended run change nothing."""
        self._closed = True

    def view(self) -> State:
        """Return a second handle on the same data that can be closed by itself."""
        twin = object.__new__(State)
        twin.schema, twin._data, twin._closed = self.schema, self._data, self._closed
        return twin

    def _check(self, key: str) -> None:
        if key not in self.schema:
            raise StateError(
                f"State has no key {key!r}.{nearest(key, self.schema)} "
                "Declare it in the agent's state_schema."
            )


def handler_of(entry: Mapping[str, Any]) -> MergeHandler:
    """Return the merge handler of a schema entry: its own, or the default for its type."""
    handler = entry.get("handler")
    if handler is not None:
        return cast("MergeHandler", handler)
    kind = entry.get("type")
    return merge_lists if kind is list or get_origin(kind) is list else replace_values


def check_state_schema(schema: StateSchema) -> None:
    """Refuse a schema that no run could use.

    Raises:
        ValueError: an entry has no type, a type that is not a class or a parameterised type, or
            a handler that cannot be called.
    """
    for key, entry in cast("Mapping[str, object]", schema).items():
        if not is_mapping(entry) or "type" not in entry:
            kind = entry.__name__ if isinstance(entry, type) else "list[str]"
            raise ValueError(
                f"State key {key!r} has no type: {entry!r:.80}. Write it as {{'type': {kind}}}, "
                "with an optional 'handler'."
            )
        if not _is_type(entry["type"]):
            raise ValueError(
                f"State key {key!r} has type {entry['type']!r}, which is not a type. "
                "Use a class, a generic such as list[str], or a union such as str | None."
            )
        handler = entry.get("handler")
        if handler is not None and not callable(handler):
            raise ValueError(
                f"State key {key!r} has handler {handler!r}, which cannot be called. "
                "Pass a function of (current, new), such as podium.tools.merge_lists."
            )


def _is_type(kind: object) -> bool:
    if kind is Union or kind is typing.Optional:
        return False
    return isinstance(kind, type | types.UnionType) or get_origin(kind) is not None or kind is Any
