"""A last word: when a limit ends a run, one call without tools writes up what was found."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace

import anyio

from podium.agent._findings import beginning, excerpt, findings_in
from podium.agent._model_call import ask_model
from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent._run_state import RunState
from podium.agent._time_limit import answer_seconds
from podium.agent._tool_calls import settle_calls
from podium.agent.errors import AgentError
from podium.agent.messages import ChatMessage, ChatRole
from podium.tools import TextContent

logger = logging.getLogger(__name__)

LIMITS = frozenset(
    {
        "max_agent_steps",
        "repeated_call",
        "token_budget_exceeded",
        "cost_budget_exceeded",
        "request_budget_exceeded",
        "tool_call_budget_exceeded",
        "time_budget_exceeded",
    }
)
"""Endings after which there is something to write up and nothing against one more call."""

EXCERPTS = (20_000, 10_000, 6_000, 4_000, 2_500, 1_500, 1_000, 600, 300, 150)
"""How much of what was found is shown, in characters, where all of it does not fit the budget."""
FRAMED = 2_500
"""Excerpts of at least so much leave the system prompt where it is; shorter ones do without it."""

_NOTICE = (
    "[Stop here: {why}. No more tools can be called. Write the final answer now from what was "
    "found; say plainly what is missing.]"
)


async def answer_from_what_was_found(run: RunState) -> None:
    """Ask for an answer without tools, where one is due and a limit ended the run.

    The room comes from what was kept back for it; where the conversation is too long for that, the
    question and the start of each finding are sent. The ending stays what it was and says that the
    answer came after it. A provider that fails here costs nothing that the run already has; any
    other error, such as one of the caller's streaming callback, leaves the run as everywhere.
    """
    stop = run.stop
    if stop is None or stop.reason not in LIMITS or not _is_due(run):
        return
    why = stop.explain().partition(". ")[0]  # the figures would take room and say no more to it
    run.add(ChatMessage.from_user(_NOTICE.format(why=why)))
    try:
        with anyio.move_on_after(answer_seconds(run) or None):
            reply = await _ask_in_the_room_there_is(run)
            if reply is not None:
                settle_calls(run, "Not run: no more tools can be called.")
                if reply.text and not reply.tool_calls:
                    run.stop = replace(stop, answered_after_stop=True)
    except AgentError as error:
        kind = type(error).__name__  # its text may hold what the provider was sent
        logger.warning("Agent %r could not write a final answer: %s", run.context.name, kind)


def _is_due(run: RunState) -> bool:
    spending = run.context.spending
    return run.agent.answers_when_stopped or (spending is not None and bool(spending.kept))


async def _ask_in_the_room_there_is(run: RunState) -> ChatMessage | None:
    for messages in _shorter_and_shorter(run):
        try:
            return await ask_model(run, (), purpose="final_answer", messages=messages)
        except OutOfBudgetError:
            continue
    return None


def _shorter_and_shorter(run: RunState) -> Iterator[list[ChatMessage]]:
    """Yield the conversation, then its question with less and less of what was found.

    The notice at its end goes into the user's message, where one would stand just before it: some
    models take no two in a row.
    """
    *before, notice = run.messages
    if before and before[-1].role is ChatRole.USER:
        parts = (*before[-1].parts, TextContent(f"\n\n{notice.text}"))
        yield [*before[:-1], replace(before[-1], parts=parts)]
    else:
        yield [*before, notice]
    frame = [message for message in before if message.role is ChatRole.SYSTEM]
    asked = next((one for one in reversed(run.given) if one.role is ChatRole.USER), None)
    found = findings_in(before)
    for size in EXCERPTS:
        question = beginning((asked and asked.text) or "", size)
        said = [question, notice.text or "", f"Findings:\n{excerpt(found, size)}" if found else ""]
        one = ChatMessage.from_user("\n\n".join(filter(None, said)))
        yield [*(frame if size >= FRAMED else ()), one]
