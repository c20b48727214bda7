"""One step: a model call, and the tools it asks for."""

from __future__ import annotations

import operator

from podium.agent._exits import exit_of_reply, exit_of_tools, leave
from podium.agent._history import is_valid, repaired
from podium.agent._hook_calls import call_hooks
from podium.agent._model_call import ask_model
from podium.agent._run_state import RunState
from podium.agent._tool_calls import answer_calls
from podium.agent.events import StepStarted
from podium.tools._toolset import flatten_tools


async def take_step(run: RunState) -> None:
    """Take one step; the run has an ending afterwards when this was the last."""
    tools = flatten_tools(run.tools)
    run.state.data["tools"] = tools
    run.context.emit(StepStarted, run.step_count + 1)
    await call_hooks(run, "before_llm")
    if (reason := run.state.data.get("stop_run")) is not None:
        run.state.data["stop_run"] = None
        run.end(str(reason))
        return
    _keep_history_valid(run)
    reply = await ask_model(run, tools)
    ending = exit_of_reply(run, reply)
    if ending is not None or not reply.tool_calls:
        run.count_step()
        if ending is not None:
            await leave(run, ending)
        return
    await call_hooks(run, "before_tool")
    answers = await answer_calls(run, tools)
    await call_hooks(run, "after_tool")
    run.count_step()
    ending = exit_of_tools(run, answers)
    if ending is not None:
        await leave(run, ending)
    elif run.denied is not None:
        raise run.denied


def _keep_history_valid(run: RunState) -> None:
    """Mend what hooks, or whoever stored the conversation, may have left open."""
    messages, known = run.messages, len(run.sound)
    # Only what is new needs a look, or each step would cost as much as all before it.
    is_longer = len(messages) >= known and all(map(operator.is_, messages, run.sound))
    if not is_valid(messages[known:] if is_longer else messages):
        messages[:] = repaired(messages)
    run.sound = messages[:]
