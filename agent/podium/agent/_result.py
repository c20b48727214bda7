"""What a run gives back: a dict with the documented keys, and typed attributes beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn

from podium.agent._stop import Stop
from podium.agent.messages import ChatMessage, ChatRole
from podium.tools.errors import nearest
from podium.tracing import Usage, UsageTree


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What a result knows beside its dict."""

    stop: Stop
    """How the run ended."""
    usage_tree: UsageTree
    """Who used how much."""
    run_id: str
    """Names the outermost run."""
    trace_id: str | None
    """Names its trace; None when nothing records."""
    given: Sequence[ChatMessage]
    """The messages that the run was given."""
    output: Any = None
    """The validated output, where the agent has an output type."""


class AgentResult(dict[str, Any]):
    """A run's result.

    As a dict: `messages` (the whole conversation, system prompt included), `last_message` (absent
    when there are no messages), `step_count`, `token_usage` (summed over all levels),
    `tool_call_counts`, `exit_reason`, and each state key that has a value.
    """

    def __init__(self, data: Mapping[str, Any], facts: RunFacts) -> None:
        """Keep the dict's items and the facts."""
        super().__init__(data)
        self._facts = facts

    def __missing__(self, key: str) -> NoReturn:
        """Say which keys there are, in place of the one that is not."""
        raise KeyError(
            f"The result has no key {key!r}.{nearest(str(key), self, most=20)} Ask for one of "
            "them, or with result.get(...) for a state key that may have no value."
        )

    @property
    def messages(self) -> list[ChatMessage]:
        """The whole conversation, oldest first; the system prompt, if any, stands at 0."""
        messages: list[ChatMessage] = self["messages"]
        return messages

    @property
    def new_messages(self) -> list[ChatMessage]:
        """The messages this run produced, oldest first."""
        given = set(map(id, self._facts.given))  # equal messages may be new ones
        return [message for message in self.messages if id(message) not in given]

    @property
    def text(self) -> str:
        """The answer: the exit tool's result when one ended the run, else the last text written.

        Empty when the run wrote nothing; a refusal is its text.
        """
        return final_text(self.new_messages, self.stop)

    @property
    def output(self) -> Any:
        """The answer as the agent's `output_type`; None without one, or if the run was stopped."""
        return self._facts.output

    @property
    def usage(self) -> Usage:
        """What the whole tree used."""
        return self._facts.usage_tree.total

    @property
    def usage_tree(self) -> UsageTree:
        """What each agent used, by path; prints as a table."""
        return self._facts.usage_tree

    @property
    def cost(self) -> Decimal | None:
        """What the whole tree cost in US dollars; None when it is not known."""
        return self._facts.usage_tree.cost

    @property
    def stop(self) -> Stop:
        """Why the run ended."""
        return self._facts.stop

    @property
    def exit_reason(self) -> str:
        """The reason's name; the same as `stop.reason`."""
        return self._facts.stop.reason

    @property
    def run_id(self) -> str:
        """Names the outermost run this belongs to."""
        return self._facts.run_id

    @property
    def trace_id(self) -> str | None:
        """The trace in which the run stands (32 hex digits); None when nothing records."""
        return self._facts.trace_id

    def __repr__(self) -> str:
        """Return a short form: reason, text and numbers, not the whole conversation."""
        text = self.text if len(self.text) <= 80 else self.text[:79] + "…"
        return (
            f"AgentResult(exit_reason={self.exit_reason!r}, text={text!r}, "
            f"steps={self['step_count']}, tokens={self.usage.total_tokens})"
        )


def final_text(messages: Sequence[ChatMessage], stop: Stop) -> str:
    """Return the text that answers, out of the messages a run produced."""
    if stop.is_tool_exit:
        for message in reversed(messages):
            result = message.tool_call_result
            if result is not None and result.origin.tool_name == stop.reason:
                return result.text
    for message in reversed(messages):
        if message.role is ChatRole.ASSISTANT:
            said = message.text or message.meta.get("refusal")
            if said:
                return str(said)
    return ""
