"""When a run ends by itself: what the model replied, or which tool it called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.agent._history import not_answered
from podium.agent._hook_calls import call_hooks
from podium.agent._output import take_output
from podium.agent._run_state import RunState
from podium.agent._tool_calls import Answer
from podium.agent.messages import ChatMessage

CUT = frozenset({"length", "content_filter"})
"""Finish reasons of a reply that is not whole: nothing it asks for is done."""


def exit_of_reply(run: RunState, reply: ChatMessage) -> dict[str, Any] | None:
    """Return the ending that a reply means, or None when the run goes on.

    A reply that was cut ends the run even when it holds tool calls: they may be half of what the
    model wanted, so they are answered as not run.
    """
    finish = reply.meta.get("finish_reason")
    if finish in CUT:
        why = f"Not run: the reply with this call was cut ({finish})."
        run.add(*(not_answered(call, why) for call in reply.tool_calls))
        return cut_ending(run, finish)
    if reply.tool_calls:
        return None
    if has_text(reply):
        return {"reason": "text"} if take_output(run, reply) else None
    return {"reason": "refusal" if reply.meta.get("refusal") else "empty_reply"}


def cut_ending(run: RunState, finish: str) -> dict[str, Any]:
    """Return the ending of a cut reply: the budget's, where the budget's own limit cut it."""
    spending = run.context.spending
    if spending is None or not run.cut_by_budget or finish != "length":
        return {"reason": finish}
    from podium.agent._spending import ending_of  # loaded, since there is a budget

    return ending_of(spending.tightest())


def exit_of_tools(run: RunState, answers: Sequence[Answer]) -> dict[str, Any] | None:
    """Return the ending that finished tool calls mean, or None when the run goes on.

    The first call in order whose tool is an exit condition, or returns directly, ends the run; a
    tool of which any call failed ends nothing, and then no other does either.
    """
    leaving = [answer for answer in answers if answer.ends_run]
    if not leaving or any(answer.error for answer in leaving):
        return None
    return {"reason": leaving[0].call.tool_name, "is_tool_exit": True}


async def leave(run: RunState, ending: Mapping[str, Any]) -> None:
    """End the run, unless an exit hook sets `continue_run`."""
    run.end(**ending)
    if not run.agent.hooks_at("on_exit"):
        return
    run.state.data["continue_run"] = False
    await call_hooks(run, "on_exit")
    if run.state.data["continue_run"]:
        run.go_on()
    run.state.data["continue_run"] = False


def has_text(reply: ChatMessage) -> bool:
    """Return whether a reply says anything."""
    text = reply.text
    return bool(text and not text.isspace())
