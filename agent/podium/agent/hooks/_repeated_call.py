"""A guard against a model that makes the same tool call again and again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from podium.agent._history import open_calls
from podium.agent.messages import ChatMessage
from podium.tools import State, ToolCall


class RepeatedCallHook:
    """Answers a repeated tool call with a notice instead of running it; ends a run that is stuck.

    A call repeats when its tool and arguments equal those of an earlier call of the same run. It
    runs `max_repeats` times at most; when as many notices again have not helped, the run stops with
    `repeated_call`. Register it at `before_tool`.
    """

    allowed_hook_points = ("before_tool",)

    def __init__(self, max_repeats: int = 3) -> None:
        """Keep the number of times that equal calls may run.

        Raises:
            ValueError: `max_repeats` is no whole number of at least 1.
        """
        if isinstance(max_repeats, bool) or not isinstance(max_repeats, int) or max_repeats < 1:
            raise ValueError(
                f"RepeatedCallHook got max_repeats={max_repeats!r}. "
                "Give a whole number of at least 1."
            )
        self.max_repeats = max_repeats

    async def run_async(self, state: State) -> None:
        """Look at the calls that are about to run."""
        messages: list[ChatMessage] = state.data["messages"]
        calls, _ = open_calls(messages)
        counts = _earlier_calls(messages, calls, state.data["tool_call_counts"])
        for call in calls:
            key = _key(call)
            counts[key] += 1
            times = counts[key]
            if times > self.max_repeats:
                state.set("messages", [ChatMessage.from_tool(_notice(call, times), call, True)])
            if times >= 2 * self.max_repeats:
                state.set("stop_run", "repeated_call")


def _earlier_calls(
    messages: Sequence[ChatMessage], calls: Sequence[ToolCall], answered: Mapping[str, int]
) -> Counter[tuple[str, str]]:
    """Count the calls before `calls`; `answered` tells, by tool, how many are of this very run."""
    asked = [call for message in messages for call in message.tool_calls]
    earlier = asked[: len(asked) - len(calls)]
    counts: Counter[tuple[str, str]] = Counter()
    for name in {call.tool_name for call in calls}:
        of_tool = [call for call in earlier if call.tool_name == name]
        counts.update(map(_key, of_tool[max(len(of_tool) - answered.get(name, 0), 0) :]))
    return counts


def _key(call: ToolCall) -> tuple[str, str]:
    return call.tool_name, json.dumps(call.arguments, sort_keys=True, default=str)


def _notice(call: ToolCall, times: int) -> str:
    return (
        f"Not run: {call.tool_name!r} was called with these same arguments {times} times, and its "
        "answer stands above. Use it, try other arguments, or give your final answer."
    )
