"""Calling hooks: in list order, one after another, each in its own span."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium.agent._run_state import RunState
from podium.tools._threads import run_in_thread
from podium.tracing._open_span import NO_SPAN, OpenSpan
from podium.tracing._spans import hook_span

if TYPE_CHECKING:
    from podium.agent._context import RunContext
    from podium.agent.hooks import Hook, HookPoint


async def call_hooks(run: RunState, point: HookPoint) -> None:
    """Call the agent's hooks of a point; a hook that raises ends the run with its error.

    Blocking hooks run in a worker thread, so they never hold up other runs.
    """
    for hook in run.agent.hooks_at(point):
        context = run.context
        run.state.data["token_usage"] = context.meter.token_usage  # agents below have used theirs
        span = _open_span(context, point, hook) if context.tree.is_watched else NO_SPAN
        try:
            with span.current():
                run_async = getattr(hook, "run_async", None)
                if run_async is not None:
                    await run_async(run.state)
                else:
                    await run_in_thread(hook.run, run.state)
        except BaseException as error:
            span.fail(error)
            raise
        finally:
            span.end()


def _open_span(context: RunContext, point: HookPoint, hook: Hook) -> OpenSpan:
    return hook_span(
        point=point,
        hook_name=getattr(hook, "name", type(hook).__name__),
        agent_name=context.name,
        path=context.path,
        parent=context.span.context,
    )
