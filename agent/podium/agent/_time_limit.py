"""A run's own time: when it is over, what was found is kept and the run ends by itself.

Only the run whose budget has the seconds opens a scope; those below are cancelled through, and
what they had found goes up.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from podium.agent._run_state import RunState
from podium.agent._tool_calls import settle_calls

ANSWER_SHARE = 0.15
"""The part of the time that is kept for the answer, where one is written after a stop."""
MOST_ANSWER_SECONDS = 30.0
"""No answer needs more than this."""


async def within_own_time(run: RunState, work: Callable[[RunState], Awaitable[None]]) -> None:
    """Do the work within the run's own time, less what the answer needs; else end the run."""
    seconds = run.context.seconds
    if seconds is None:
        await work(run)
        return
    with anyio.move_on_after(seconds - answer_seconds(run)) as scope:
        await work(run)
    if scope.cancelled_caught:
        settle_calls(run, "This call was not finished: the time of the run was over.")
        run.end("time_budget_exceeded", what="seconds", limit=seconds, spent=seconds)


def answer_seconds(run: RunState) -> float:
    """Return how much of the run's own time is kept for the answer."""
    seconds = run.context.seconds
    if seconds is None or not run.agent.answers_when_stopped:
        return 0.0
    return min(seconds * ANSWER_SHARE, MOST_ANSWER_SECONDS)
