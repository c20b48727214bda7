"""What becomes of a tool's result: what the model reads, and what goes into the state."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.tools._results import result_parts, result_text
from podium.tools._shapes import is_mapping
from podium.tools._state import MergeHandler
from podium.tools.content import ContentPart
from podium.tools.errors import ToolDefinitionError, nearest

logger = logging.getLogger(__name__)

Content = str | tuple[ContentPart, ...]

_TEXT_KEYS = ("handler", "raw_result", "source")
_STATE_KEYS = ("handler", "source")
_LACKING: Any = object()


@dataclass(frozen=True, slots=True)
class Pick:
    """One piece of a result, as a mapping's entry describes it."""

    source: str | None = None
    """The key of the piece in a result that is a dict; None takes the whole."""
    handler: Callable[..., Any] | None = None
    """What turns the piece into what is shown, or merges it into the state."""
    is_raw: bool = False
    """Whether content parts are passed on as parts."""

    def of(self, value: Any) -> Any:
        """Return the piece of `value`: its entry when it is a dict, else all of it.

        Raises:
            KeyError: the result is a dict without that entry.
        """
        if self.source is None or not is_mapping(value):
            return value
        return value[self.source]

    def shown(self, value: Any) -> Any:
        """Return the piece as the handler shows it."""
        piece = self.of(value)
        return piece if self.handler is None else self.handler(piece)


class Outputs:
    """A tool's `outputs_to_string` and `outputs_to_state`, checked once."""

    def __init__(
        self,
        tool_name: str,
        to_string: Mapping[str, Any] | None,
        to_state: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        """Read both mappings.

        Raises:
            ToolDefinitionError: an entry has a key, a source or a handler that cannot be used.
            TypeError: an entry is not a dict.
        """
        self._tool_name = tool_name
        self._whole, self._pieces = _read_to_string(tool_name, to_string)
        self._updates = {
            key: _pick(tool_name, f"outputs_to_state[{key!r}]", entry, _STATE_KEYS)
            for key, entry in (to_state or {}).items()
        }
        self.keys = frozenset(self._updates)

    def content(self, value: Any) -> Content:
        """Return what the model reads; a failing source or handler shows the whole result."""
        try:
            if self._pieces is not None:
                return result_text({name: one.shown(value) for name, one in self._pieces.items()})
            if self._whole is None:
                return result_text(value)
            piece = self._whole.shown(value)
            return result_parts(piece) if self._whole.is_raw else result_text(piece)
        except Exception as error:  # the call has acted already: its result must not be lost
            logger.warning(
                "outputs_to_string of tool %r failed (%s), so its whole result is shown",
                self._tool_name,
                type(error).__name__,  # its text may hold what the tool returned
            )
            return result_text(value)

    def updates(self, value: object) -> list[tuple[str, Any, MergeHandler | None]]:
        """Return the state's new values: key, value, and the handler that merges it.

        An entry whose source the result does not have is left out, with a warning.
        """
        found: list[tuple[str, Any, MergeHandler | None]] = []
        for key, one in self._updates.items():
            whole: Mapping[str, Any] = value if is_mapping(value) else {}
            piece = value if one.source is None else whole.get(one.source, _LACKING)
            if piece is _LACKING:
                logger.warning(
                    "Result of tool %r has no %r, so state key %r is left as it is",
                    self._tool_name,
                    one.source,
                    key,
                )
            else:
                found.append((key, piece, one.handler))
        return found


def _read_to_string(
    tool_name: str, config: Mapping[str, Any] | None
) -> tuple[Pick | None, dict[str, Pick] | None]:
    """Return the one pick or the picks by name, whichever shape `outputs_to_string` has."""
    if not config:
        return None, None
    _check_dict(tool_name, "outputs_to_string", config)
    roots = [key for key in config if key in _TEXT_KEYS]
    if roots and not isinstance(config[roots[0]], Mapping):
        return _pick(tool_name, "outputs_to_string", config, _TEXT_KEYS), None
    picks: dict[str, Pick] = {}
    for name, entry in config.items():
        place = f"outputs_to_string[{name!r}]"
        picks[name] = _pick(tool_name, place, entry, _STATE_KEYS, needs_source=True)
    return None, picks


def _pick(
    tool_name: str,
    place: str,
    entry: Any,
    allowed: tuple[str, ...],
    *,
    needs_source: bool = False,
) -> Pick:
    _check_dict(tool_name, place, entry)
    for key in entry:
        if key not in allowed:
            raise _bad(
                tool_name, f"{place} has the key {key!r}.{nearest(str(key), allowed)}", "Remove it."
            )
    source, handler = entry.get("source"), entry.get("handler")
    raw = entry.get("raw_result", False)
    if (source is not None or needs_source) and not (isinstance(source, str) and source):
        raise _bad(tool_name, f"{place} has the source {source!r}.", "Name a key of the result.")
    if handler is not None and not callable(handler):
        raise _bad(tool_name, f"{place} has the handler {handler!r}.", "Pass a function.")
    if not isinstance(raw, bool):
        raise _bad(tool_name, f"{place} has raw_result {raw!r}.", "Make it True or False.")
    return Pick(source, handler, raw)


def _check_dict(tool_name: str, place: str, entry: object) -> None:
    if not isinstance(entry, Mapping):
        raise TypeError(
            f"Tool {tool_name!r}: {place} is {entry!r:.60}, not a dict. "
            "Write it as {'source': 'key'}, with an optional 'handler'."
        )


def _bad(tool_name: str, what: str, mend: str) -> ToolDefinitionError:
    return ToolDefinitionError(f"Tool {tool_name!r}: {what} {mend}", tool_name=tool_name)
