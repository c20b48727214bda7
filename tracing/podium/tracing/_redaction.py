"""The one point that text passes before it is recorded: what must not be seen is taken out here."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import cast

logger = logging.getLogger(__name__)

REDACTED = "[redacted]"
"""Stands where something was taken out."""

RedactText = Callable[[str, str], str | None]
"""Takes the name of an attribute and a text of it; returns the text to record, None for none."""
Redact = RedactText | str | Iterable[RedactText | str]
"""A function, a pattern of attribute names to hide such as `gen_ai.tool.call.*`, or several."""


class Redaction:
    """What one place for spans asks to be taken out."""

    __slots__ = ("_functions", "_patterns")

    def __init__(self, redact: Redact | None) -> None:
        """Take the functions and the patterns apart.

        Raises:
            TypeError: something that is neither.
        """
        given = [redact] if callable(redact) or isinstance(redact, str) else list(redact or ())
        for one in given:
            if not (callable(one) or isinstance(one, str)):
                raise TypeError(
                    f"redact={one!r:.60} is neither a function of (name, text) nor a pattern of "
                    "attribute names. Pass one of these, or a list of them."
                )
        self._patterns = tuple(one for one in given if isinstance(one, str))
        self._functions = tuple(one for one in given if callable(one))

    def hides(self, key: str) -> bool:
        """Return whether the attribute is not to be seen at all."""
        return any(fnmatchcase(key, pattern) for pattern in self._patterns)

    def of(self, key: str, text: str) -> str:
        """Return the text to record; a function that fails hides all of it."""
        for function in self._functions:
            try:
                left = function(key, text)
            except Exception as error:  # it may be anyone's code, and its error may hold the text
                _say_once(type(error).__name__)
                left = None
            if left is None:
                return REDACTED
            text = str(left)
        return text

    @property
    def is_empty(self) -> bool:
        """Whether it asks for nothing."""
        return not (self._patterns or self._functions)


_lock = threading.Lock()  # guards changes of the tuple; readers take it as it is
_active: tuple[Redaction, ...] = ()
_said: set[str] = set()


def add(redaction: Redaction) -> None:
    """Let a redaction hold for all that is recorded from now on, wherever it goes."""
    global _active
    if not redaction.is_empty:
        with _lock:
            _active = (*_active, redaction)


def remove(redaction: Redaction) -> None:
    """End a redaction; one that does not hold is no error."""
    global _active
    with _lock:
        _active = tuple(one for one in _active if one is not redaction)


def is_active() -> bool:
    """Return whether anything is to be taken out."""
    return bool(_active)


def hides(key: str) -> bool:
    """Return whether an attribute is not to be seen at all."""
    return any(redaction.hides(key) for redaction in _active)


def redacted(key: str, value: object) -> object:
    """Return what may be recorded of a value: text is looked at, all else hidden or left."""
    for redaction in _active:
        if redaction.hides(key):
            return REDACTED
        if isinstance(value, str):
            value = redaction.of(key, value)
        elif isinstance(value, list | tuple):
            items = cast("Iterable[object]", value)
            value = [redaction.of(key, one) if isinstance(one, str) else one for one in items]
    return value


def _say_once(kind: str) -> None:
    if kind not in _said:
        _said.add(kind)
        logger.warning(
            "A redact function failed (%s); what it should have looked at is hidden. "
            "This is said once for each kind of failure.",
            kind,
        )
