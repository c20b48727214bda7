"""A last word: when a limit ends a run, one call without tools writes up what was found."""

from __future__ import annotations

import logging
from dataclasses import replace

from podium.agent._model_call import ask_model
from podium.agent._run_state import RunState
from podium.agent._tool_calls import settle_calls
from podium.agent.errors import AgentError
from podium.agent.messages import ChatMessage

logger = logging.getLogger(__name__)

LIMITS = frozenset({"max_agent_steps", "repeated_call"})
"""Endings after which there is something to write up and nothing against one more call."""

_NOTICE = (
    "Stop here: {why} No more tools can be called. Write the final answer now from what stands "
    "above; say plainly what is missing."
)


async def answer_from_what_was_found(run: RunState) -> None:
    """Ask for an answer without tools, where the agent's policy says so and a limit ended the run.

    The ending stays what it was and says that the answer came after it. A model that fails here
    costs nothing that the run already has.
    """
    stop = run.stop
    if stop is None or not run.agent.answers_when_stopped or stop.reason not in LIMITS:
        return
    run.add(ChatMessage.from_user(_NOTICE.format(why=stop.explain())))
    try:
        reply = await ask_model(run, (), purpose="final_answer")
    except AgentError as error:
        logger.warning("Agent %r could not write a final answer: %s", run.context.name, error)
        return
    settle_calls(run, "Not run: no more tools can be called.")
    if reply.text and not reply.tool_calls:
        run.stop = replace(stop, answered_after_stop=True)
