"""A run from its first event to its result: whatever ends it, nothing is lost or left open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
from anyio.lowlevel import checkpoint

from podium.agent._content_shapes import input_messages, output_messages
from podium.agent._context import current_run
from podium.agent._history import only_messages
from podium.agent._lifecycle import warm_up_tools
from podium.agent._loop import run_loop
from podium.agent._result import AgentResult, RunFacts
from podium.agent._run_state import PRIVATE_KEYS, RunState
from podium.agent._stop import Stop
from podium.agent._tool_calls import settle_calls
from podium.agent.errors import BudgetExceededError, keep_partial
from podium.agent.events import AgentFinished, AgentStarted, RunFinished, RunStarted
from podium.tracing import attributes as names
from podium.tracing._content_event import wants_content
from podium.tracing._metrics import measure_agent
from podium.tracing._spans import describe_limit, set_agent_result

if TYPE_CHECKING:
    from podium.agent._context import RunContext
    from podium.tracing import UsageTree


async def execute(run: RunState) -> AgentResult:
    """Run the loop to its end and return the result.

    An error, also a cancellation, leaves with the partial result attached; by then every tool call
    in the conversation has a result, the span has ended and the usage has reached the parent.
    """
    context = run.context
    token = current_run.set(context)
    try:
        with context.span.current():
            if context.spending is not None and context.parent is not None:
                # Those started with it open their accounts: all count for shares.
                await checkpoint()
            _tell_start(run)
            if context.span.recording and wants_content():
                context.span.set_content(names.INPUT_MESSAGES, input_messages(run.given))
            await warm_up_tools(run.tools)
            await run_loop(run)
    except BaseException as error:
        context.span.fail(error)
        is_cancelled = isinstance(error, anyio.get_cancelled_exc_class() | KeyboardInterrupt)
        partial = conclude(run, "cancelled" if is_cancelled else "error", error)
        where = None if is_cancelled else f"in step {run.step_count + 1} of agent {context.path!r}"
        keep_partial(error, partial, where=where)
        raise
    finally:
        current_run.reset(token)
    result = conclude(run, None)
    _raise_if_told_to(run, result)
    return result


def conclude(run: RunState, cut: str | None, error: BaseException | None = None) -> AgentResult:
    """Close everything the run holds and return what it has; `cut` and `error` say what cut it.

    Nothing here waits, so it is safe while a cancellation is under way.
    """
    context, data = run.context, run.state.data
    data["messages"], data["step_count"] = only_messages(data.get("messages")), run.step_count
    settle_calls(run, "This call was not finished: the run was cut short." if cut else None)
    if cut is not None:
        run.state.data["exit_reason"] = cut
        run.stop = Stop(reason=cut, by=context.path, path=context.path, step=run.step_count)
    assert run.stop is not None
    context.meter.close(run.stop.reason)
    run.state.data["token_usage"] = context.meter.token_usage
    tree = context.meter.tree()
    stop = replace(
        run.stop,
        unfinished=tuple(run.unfinished),
        abandoned_threads=sum(node.abandoned_threads for node in tree.walk()),
    )
    _describe(context, stop, tree)
    if context.span.recording and wants_content() and run.messages:
        context.span.set_content(names.OUTPUT_MESSAGES, output_messages(run.messages[-1:]))
    context.span.end()
    measure_agent(context.name, seconds=tree.wall_seconds, own=tree.own, error=error)
    if context.spending is not None:
        context.spending.account.close()
    run.state.close()
    finished = RunFinished if context.depth == 0 else AgentFinished
    context.emit(finished, run.step_count, exit_reason=stop.reason, usage=tree.total)
    facts = RunFacts(
        stop=stop,
        usage_tree=tree,
        run_id=context.tree.run_id,
        trace_id=context.span.trace_id,
        given=run.given,
        output=run.output,
    )
    return AgentResult(_public_data(run), facts)


def _describe(context: RunContext, stop: Stop, tree: UsageTree) -> None:
    """Write on the run's span what it used, what is left of its limits, and why it ended."""
    if not context.span.recording:
        return
    set_agent_result(
        context.span,
        own=tree.own,
        total=tree.total,
        stop_reason=stop.reason,
        stop_by=stop.by,
        steps=stop.step,
    )
    for limit in context.spending.own_limits() if context.spending is not None else ():
        describe_limit(context.span, limit["what"], limit["limit"], limit["spent"], limit["held"])
    if stop.limit is not None and stop.what is not None:  # maybe one of an agent above
        describe_limit(context.span, stop.what, stop.limit, stop.spent, stop.held)


def _raise_if_told_to(run: RunState, result: AgentResult) -> None:
    spending, stop = run.context.spending, result.stop
    is_limit = stop.reason.endswith("_budget_exceeded") and stop.by == run.context.path
    if spending is not None and spending.raises and is_limit:
        error = BudgetExceededError(f"{stop.explain()} Raise the limit, or handle error.partial.")
        error.partial = result
        raise error


def _tell_start(run: RunState) -> None:
    if run.context.depth == 0:
        run.context.emit(RunStarted, 0)
    elif run.context.tree.channel is not None:
        task = next((message.text for message in reversed(run.messages) if message.text), "")
        run.context.emit(AgentStarted, 0, task=task)


def _public_data(run: RunState) -> dict[str, object]:
    data = {key: value for key, value in run.state.data.items() if key not in PRIVATE_KEYS}
    if run.messages:
        data["last_message"] = run.messages[-1]
    return data
