"""The loop: the only one there is. `run` awaits it, `stream` listens to it."""

from __future__ import annotations

from podium.agent._final_answer import answer_from_what_was_found
from podium.agent._hook_calls import call_hooks
from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent._run_state import RunState
from podium.agent._step import take_step
from podium.agent._time_limit import within_own_time


async def run_loop(run: RunState) -> None:
    """Take steps until the run has an ending; hooks see it begin and end.

    The order of hooks, limits and endings is the table in the agent part's README. A natural ending
    goes before the step limit, and the step limit before a hook's `stop_run`.
    """
    await within_own_time(run, _take_steps)
    await answer_from_what_was_found(run)
    await call_hooks(run, "after_run")


async def _take_steps(run: RunState) -> None:
    await call_hooks(run, "before_run")
    run.resume_count()
    while run.stop is None:
        if run.step_count >= run.agent.max_agent_steps:
            run.end("max_agent_steps", limit=run.agent.max_agent_steps, spent=run.step_count)
            return
        try:
            await take_step(run)
        except OutOfBudgetError as stop:
            run.end(**stop.ending())
