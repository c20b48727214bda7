"""Tool calls put together from the fragments of a stream, by index, by id, or by neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from podium.agent.models._openai.json_text import encode, is_object, join_text
from podium.agent.models._openai.reply_draft import as_mapping, as_text, make_call
from podium.agent.streaming import ToolCallDelta
from podium.tools import ToolCall, clean_text

_KNOWN_FIELDS = frozenset({"index", "id", "type", "function", "name", "arguments"})


class _OpenCall:
    """A call whose fragments are still coming."""

    __slots__ = ("arguments", "extra", "id", "index", "names", "position")

    def __init__(self, index: object, position: int) -> None:
        self.index = index
        self.position = position
        self.id = ""
        self.names: list[str] = []
        self.arguments: list[str] = []
        self.extra: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return _settled_name(self.names, frozenset())

    def has_whole_arguments(self) -> bool:
        ends = bool(self.arguments) and self.arguments[-1].rstrip().endswith("}")
        return ends and is_object("".join(self.arguments))


class CallAssembler:
    """Collects the calls of one reply.

    Providers differ: the index may be missing or the same for all, the id missing, repeated or
    new on each fragment, the name whole, repeated or in pieces, the arguments text or an object.
    """

    __slots__ = ("_by_index", "_calls", "_tool_names")

    def __init__(self, tool_names: frozenset[str] = frozenset()) -> None:
        """Start without calls; `tool_names` settle whether names come repeated or in pieces."""
        self._calls: list[_OpenCall] = []
        self._by_index: dict[object, _OpenCall] = {}
        self._tool_names = tool_names

    def add(self, fragments: Sequence[Any]) -> list[ToolCallDelta]:
        """Take the fragments of one chunk in; return what they add to which call."""
        deltas: list[ToolCallDelta] = []
        for place, fragment in enumerate(fragments):
            if isinstance(fragment, Mapping):
                delta = self._add(cast("Mapping[str, Any]", fragment), is_first=place == 0)
                if delta is not None:
                    deltas.append(delta)
        return deltas

    def finish(self) -> list[ToolCall]:
        """Return the calls in the order of their indices, or as they came where these are missing.

        A call that never got a name nor arguments is no call.
        """
        calls = self._calls
        if all(type(call.index) is int for call in calls):
            calls = sorted(calls, key=lambda call: cast("int", call.index))
        made: list[ToolCall] = []
        for call in calls:
            name = _settled_name(call.names, self._tool_names)
            arguments = _settled_arguments(call.arguments)
            if name or arguments.strip() not in {"", "{}"}:
                made.append(make_call(name, arguments, call.id, call.extra))
        return made

    def _add(self, fragment: Mapping[str, Any], *, is_first: bool) -> ToolCallDelta | None:
        facts = as_mapping(fragment.get("function")) or fragment
        identity, name = as_text(fragment.get("id")), as_text(facts.get("name"))
        arguments = facts.get("arguments")
        if arguments is None:
            arguments = ""
        elif not isinstance(arguments, str):
            arguments = encode(arguments).decode()
        index = fragment.get("index")
        known = len(self._calls)
        call = self._find(_hashable(index), identity, name, arguments, is_first=is_first)
        is_new = len(self._calls) > known
        call.id = call.id or identity
        if name:
            call.names.append(name)
        if arguments:
            call.arguments.append(arguments)
        for key, value in fragment.items():
            if key not in _KNOWN_FIELDS and value:
                call.extra[key] = value
        if not (is_new or name or arguments):
            return None
        first_id = clean_text(identity) if is_new else ""
        return ToolCallDelta(
            call.position, clean_text(name) or None, clean_text(arguments) or None, first_id or None
        )

    def _find(
        self, index: object, identity: str, name: str, arguments: str, *, is_first: bool
    ) -> _OpenCall:
        call = self._same_index(index, identity, name) if index is not None else None
        if index is None:
            call = self._without_index(identity, name, is_first=is_first)
        if call is not None and name and _starts_anew(call, identity, name, arguments):
            call = None
        if call is None:
            call = _OpenCall(index, len(self._calls))
            self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call

    def _same_index(self, index: object, identity: str, name: str) -> _OpenCall | None:
        call = self._by_index.get(index)
        if call is not None:
            return call
        # An index that nobody introduced: perhaps it counts chunks and not calls.
        call = self._with_id(identity) if identity else self._last()
        if call is None or not name:
            return call
        return call if identity and call.arguments and not call.has_whole_arguments() else None

    def _without_index(self, identity: str, name: str, *, is_first: bool) -> _OpenCall | None:
        if identity:
            return self._with_id(identity)
        last = self._last()
        if last is None or not name:
            return last
        if not is_first or last.arguments or last.name in self._tool_names:
            return None
        return last

    def _with_id(self, identity: str) -> _OpenCall | None:
        return next((call for call in reversed(self._calls) if call.id == identity), None)

    def _last(self) -> _OpenCall | None:
        return self._calls[-1] if self._calls else None


def _starts_anew(call: _OpenCall, identity: str, name: str, arguments: str) -> bool:
    """Return whether a fragment with a name opens another call in the place of `call`."""
    is_other_id = bool(identity and call.id and identity != call.id)
    if not call.names:
        return is_other_id
    if is_other_id and (name != call.name or not call.arguments or call.has_whole_arguments()):
        return True
    if not call.arguments or not call.has_whole_arguments():
        return False
    if name != call.name:
        return True
    return arguments != "".join(call.arguments) and is_object(arguments)


def _settled_name(pieces: Sequence[str], tool_names: frozenset[str]) -> str:
    """Return the name in its pieces, which may each be a part, the whole, or all of it so far."""
    joined = "".join(pieces)
    if len(pieces) < 2 or joined in tool_names:
        return joined
    settled = ""
    for piece in pieces:
        settled = piece if piece.startswith(settled) else settled + piece
    return settled


def _settled_arguments(pieces: Sequence[str]) -> str:
    """Return the arguments in their pieces, of which the last may say it all again."""
    text = join_text(pieces)
    if len(pieces) < 2 or is_object(text):
        return text
    last = pieces[-1]
    is_all_so_far = all(later.startswith(earlier) for earlier, later in pairwise(pieces))
    if is_object(last) and (is_all_so_far or last == "".join(pieces[:-1])):
        return join_text([last])
    rest = text.removeprefix("{}")  # some servers open every call with an empty object
    return rest if is_object(rest) else text


def _hashable(index: object) -> object:
    return index if isinstance(index, int | str) else None
