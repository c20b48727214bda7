"""A script: turns that are played in order, each exactly once, and what goes wrong with one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from podium.agent.messages import ChatMessage
from podium.tools import PodiumError, ToolCall, printable

TurnT = TypeVar("TurnT")
SHOWN_TURNS, SHOWN_CHARACTERS = 4, 60


class ScriptError(PodiumError, AssertionError):
    """The code under test asked the model more, or less, often than its script says."""


class Script(Generic[TurnT]):
    """Turns in order."""

    def __init__(self, turns: Iterable[TurnT], *, repeat_last: bool = False) -> None:
        """Keep the turns; with `repeat_last` the last one answers all further calls."""
        self.turns = list(turns)
        self.repeat_last = repeat_last
        self._taken = 0

    def take(self) -> TurnT | None:
        """Return the next turn, or None when there is none left."""
        self._taken += 1
        if self._taken <= len(self.turns):
            return self.turns[self._taken - 1]
        return self.turns[-1] if self.turns and self.repeat_last else None

    @property
    def size(self) -> str:
        """How many turns there are, in words."""
        return "1 turn" if len(self.turns) == 1 else f"{len(self.turns)} turns"

    @property
    def unused(self) -> list[TurnT]:
        """The turns nobody has asked for yet, in order."""
        return self.turns[self._taken :]


def listed(turns: Iterable[TurnT], whose: str) -> Iterable[TurnT]:
    """Return the turns, unless they are one text, whose letters would each be a turn.

    Raises:
        TypeError: they are one text.
    """
    if isinstance(turns, str):
        raise TypeError(
            f"{whose} got the text {turns[:SHOWN_CHARACTERS]!r} for its turns. "
            "Put it in a list, as in [text]."
        )
    return turns


def call(tool_name: str, /, **arguments: object) -> ToolCall:
    """Return a tool call as a model would write it.

    >>> call("search", query="closures").arguments
    {'query': 'closures'}
    """
    return ToolCall(tool_name, arguments)


def calls(*tool_calls: ToolCall, text: str | None = None) -> ChatMessage:
    """Return the message of a model that asks for these calls at once.

    >>> calls(call("search", query="a"), call("search", query="b")).tool_calls[1].tool_name
    'search'
    """
    return ChatMessage.from_assistant(text, tool_calls=tool_calls)


def describe_turns(turns: Sequence[object]) -> str:
    """Return the first few turns in words, for the end of an error message."""
    more = f" and {len(turns) - SHOWN_TURNS} more" if len(turns) > SHOWN_TURNS else ""
    return ", ".join(map(_describe, turns[:SHOWN_TURNS])) + more


def _describe(turn: object) -> str:
    if isinstance(turn, ChatMessage):
        names = [tool_call.tool_name for tool_call in turn.tool_calls]
        turn = f"calls of {', '.join(names)}" if names else turn.text or ""
    return printable(repr(turn), limit=SHOWN_CHARACTERS)
