"""How a refused call is told to the model: what was wrong, and what the tool takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from podium.tools._signature import Signature
from podium.tools._text import said_by
from podium.tools.errors import ToolArgumentsError

_SHOWN_CHARS = 60
_SHOWN_PROBLEMS = 5
_SHOWN_NAMES = 20


class Parameters(Protocol):
    """What a tool takes: the schema the model sees, and the check that holds the model to it."""

    @property
    def signature(self) -> Signature:
        """How the function wants to be called."""
        ...

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, an object."""
        ...

    @property
    def described(self) -> Sequence[str]:
        """Each parameter in words, such as `limit (integer, required)`."""
        ...

    def check(self, arguments: Mapping[str, object]) -> tuple[dict[str, Any], list[str]]:
        """Return the arguments as the function wants them, and what is wrong with them."""
        ...


def refusal(
    tool_name: str, problems: Sequence[str], described: Sequence[str]
) -> ToolArgumentsError:
    """Return the error for a call that was not run, written for the model that made it."""
    told = "; ".join(problems[:_SHOWN_PROBLEMS])
    if len(problems) > _SHOWN_PROBLEMS:
        told += f"; and {len(problems) - _SHOWN_PROBLEMS} more"
    takes = (
        f"one JSON object with: {_listed(described)}" if described else "{}, no arguments at all"
    )
    return ToolArgumentsError(
        f"Tool {tool_name!r} was not run: {told}. Send {takes}.", tool_name=tool_name
    )


def wrong(path: str, rule: str, value: object) -> str:
    """Return one problem: where, which rule, and what was there instead."""
    return f"{path!r} {rule} (got {kind_of(value)})"


def missing(path: str) -> str:
    """Return the problem of an argument that is not there."""
    return f"{path!r} is required"


def unknown(names: Iterable[str]) -> str:
    """Return the problem of arguments that the tool does not have."""
    return f"it has no parameter {_listed([quoted(name) for name in names])}"


def could_not_check(path: str, error: Exception) -> str:
    """Return the problem of a value whose own check broke."""
    return f"{path!r} could not be checked ({type(error).__name__}: {quoted(said_by(error))})"


def kind_of(value: object) -> str:
    """Return what `value` is, in JSON's words, with a small value shown."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"text {quoted(value)}"
    if isinstance(value, int):
        return f"integer {value}" if value.bit_length() < 200 else "a huge integer"
    if isinstance(value, float):
        return f"number {value}"
    if isinstance(value, list | tuple):
        return "an array"
    return "an object" if isinstance(value, Mapping) else f"a {type(value).__name__}"


def quoted(text: str) -> str:
    """Return `text` in quotes, cut if it is long, with everything unprintable escaped."""
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…")


def _listed(items: Sequence[str]) -> str:
    more = len(items) - _SHOWN_NAMES
    return ", ".join(items[:_SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")
