"""An agent's prompts: plain text as it is, templates rendered anew for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from podium.agent.messages import ChatMessage
from podium.tools import TextContent

BUDGET = "budget"
"""The variable that podium fills: what is left, as in `{{ budget.total_tokens_left }}`."""

_MARKS = ("{{", "{%", "{#")


class Prompts:
    """The system and user prompt of one agent."""

    __slots__ = (
        "_frame",
        "_required",
        "_system",
        "_user",
        "mandatory",
        "shows_budget",
        "variables",
    )

    def __init__(
        self,
        system: str | None,
        user: str | None,
        required: Sequence[str] | str | None,
        frame: tuple[str, str] = ("", ""),
    ) -> None:
        """Parse the templates.

        `frame` is plain text that stands before and after the rendered system prompt; it is never
        part of a template, so names and descriptions in it cannot become one.

        Raises:
            ValueError: a template that cannot be parsed, or of the wrong role.
            TypeError: a prompt that is no text.
        """
        self._required = _required(required)
        self._frame = frame
        self._system = _parsed(system, "system")
        self._user = _parsed(user, "user")
        if isinstance(self._system, ChatMessage) or (self._system is None and any(frame)):
            self._system = self._framed(self._system)
        used = frozenset[str]().union(
            *(
                prompt.variables
                for prompt in (self._system, self._user)
                if prompt is not None and not isinstance(prompt, ChatMessage)
            )
        )
        self.shows_budget = BUDGET in used
        self.variables = used - {BUDGET}
        wanted = self.variables if self._required == "*" else frozenset(self._required or ())
        self.mandatory: frozenset[str] = self.variables & wanted

    def around(
        self, messages: Sequence[ChatMessage], inputs: Mapping[str, Any], agent: str
    ) -> list[ChatMessage]:
        """Return the system prompt, the messages, and the user prompt.

        Raises:
            ValueError: a required variable is missing, or a template fails; it names the agent.
        """
        try:
            system = self._system
            if system is not None and not isinstance(system, ChatMessage):
                system = self._framed(system.render(inputs, required=self._required))
            user = self._user
            if user is not None and not isinstance(user, ChatMessage):
                user = user.render(inputs, required=self._required)
            return [message for message in (system, *messages, user) if message is not None]
        except ValueError as error:
            error.add_note(f"in the prompts of agent {agent!r}")
            raise

    def _framed(self, message: ChatMessage | None) -> ChatMessage:
        before, after = self._frame
        if message is None:
            return ChatMessage.from_system("\n\n".join(part for part in (before, after) if part))
        parts = list(message.parts)
        if before:
            parts.insert(0, TextContent(f"{before}\n\n"))
        if after:
            parts.append(TextContent(f"\n\n{after}"))
        return replace(message, parts=tuple(parts))


def _parsed(source: object, role: Literal["system", "user"]) -> Any:
    if source is None:
        return None
    if not isinstance(source, str):
        raise TypeError(
            f"{role}_prompt is a {type(source).__name__}: {source!r:.80}. Pass text or a template."
        )
    if not any(mark in source for mark in _MARKS):
        plain = ChatMessage.from_system if role == "system" else ChatMessage.from_user
        return plain(source)
    from podium.agent.prompts import PromptTemplate  # jinja2 loads with the first template

    return PromptTemplate(source, role=role)


def _required(required: object) -> Any:
    if required is None or required == "*":
        return required
    if not isinstance(required, list | tuple):
        raise TypeError(
            f"required_variables is {required!r}. Pass '*', a list of names, or None for none."
        )
    return cast("Sequence[str]", required)
