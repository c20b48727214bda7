"""Running one tool call: checked, timed, traced, and turned into a result whatever happens."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import Any, cast

import anyio

from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent._run_state import RunState
from podium.agent.events import ToolCallFinished, ToolCallStarted
from podium.agent.messages import ChatMessage
from podium.tools import CallContext, ContentPart, MergeHandler, Tool, ToolCall, ToolCallResult
from podium.tools._text import error_text, said_by
from podium.tools.errors import ToolError, ToolInvocationError
from podium.tracing import attributes as names
from podium.tracing._metrics import measure_tool
from podium.tracing._open_span import NO_SPAN, OpenSpan
from podium.tracing._span_events import note_budget
from podium.tracing._spans import tool_span


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call."""

    content: str | tuple[ContentPart, ...]
    """The result for the model."""
    error: BaseException | None = None
    """What went wrong; None for a good result."""
    updates: tuple[tuple[str, Any, MergeHandler | None], ...] = ()
    """What goes into the state: key, value, and the handler that merges it."""

    def message(self, call: ToolCall) -> ChatMessage:
        """Return the message that answers `call`."""
        return ChatMessage.from_tool(self.content, call, self.error is not None)

    def text(self, call: ToolCall) -> str:
        """Return the result as text."""
        return ToolCallResult(self.content, call).text

    def as_tool_error(self, call: ToolCall) -> ToolError:
        """Return the failure as the error that callers of `run` can catch."""
        if isinstance(self.error, ToolError):
            return self.error
        return ToolInvocationError(self.text(call), tool_name=call.tool_name)


async def run_tool(run: RunState, call: ToolCall, tool: Tool, context: CallContext) -> Outcome:
    """Run one call and return what came of it; only cancellation and interrupts pass through."""
    owner, step, clock = run.context, run.step_count + 1, run.context.tree.effects.monotonic
    owner.emit(ToolCallStarted, step, call=call)
    span = _open_span(run, call, tool) if owner.tree.is_watched else NO_SPAN
    started = clock()
    outcome, failure = Outcome(""), None
    try:
        with span.current():
            outcome = await _attempt(run, call, tool, context, span)
        failure = outcome.error
        if span.recording:
            span.set_content(names.TOOL_RESULT, outcome.text(call))
    except BaseException as error:
        failure = error
        _keep_what_was_found(run, call, tool, error)
        raise
    finally:
        seconds = clock() - started
        context.state.close()
        owner.meter.record_tool(seconds)
        if owner.tree.is_watched:
            if failure is not None:
                span.fail(failure)
            span.end()
            measure_tool(tool.name, agent_name=owner.name, seconds=seconds, error=failure)
    text = outcome.text(call) if owner.tree.channel is not None else ""
    failed = outcome.error is not None
    owner.emit(ToolCallFinished, step, call=call, result=text, error=failed, seconds=seconds)
    await owner.wait_for_reader()
    return outcome


def _open_span(run: RunState, call: ToolCall, tool: Tool) -> OpenSpan:
    owner = run.context
    span = tool_span(
        tool_name=tool.name,
        description=tool.description,
        call_id=call.id,
        agent_name=owner.name,
        target=tool.target_name,
        step=run.step_count + 1,
        path=owner.path,
        parent=owner.span.context,
    )
    span.set_content(names.TOOL_ARGUMENTS, call.arguments)
    return span


def _keep_what_was_found(run: RunState, call: ToolCall, tool: Tool, error: BaseException) -> None:
    """When a call is cut short, what it had found goes up in place of a bare stand-in."""
    found = tool.partial_content(error)
    if found:
        run.results[call.id] = ChatMessage.from_tool(found, call)


async def _attempt(
    run: RunState, call: ToolCall, tool: Tool, context: CallContext, span: OpenSpan
) -> Outcome:
    try:
        _take_turn(run, tool)
        if (denied := _pay_for_call(run, tool)) is not None:
            note_budget(span, names.BUDGET_DENIED, denied.ending())
            return Outcome(denied.told(), error=denied)
        arguments = tool.prepare(call, context.state)
        value = await _call_in_time(run, tool, arguments, context)
        return Outcome(tool.result_content(value), None, tuple(tool.state_updates(value)))
    except ToolError as error:
        return Outcome(said_by(error) or error_text(error), error=error)
    except BaseException as error:
        if _is_not_the_tools(error):
            raise
        return Outcome(f"Tool {tool.name!r} failed: {error_text(error)}", error=error)


def _is_not_the_tools(error: BaseException) -> bool:
    """Return whether an error means this run: a cancellation, an interrupt, or its own closing."""
    kinds = (KeyboardInterrupt, GeneratorExit, anyio.get_cancelled_exc_class())
    if isinstance(error, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", error).subgroup(kinds) is not None
    return isinstance(error, kinds)


def _pay_for_call(run: RunState, tool: Tool) -> OutOfBudgetError | None:
    """Charge the call to the budget of tool calls; return what stands against it, for the loop."""
    spending = run.context.spending
    denied = spending.take_tool_call() if spending is not None else None
    if denied is not None:
        run.denied = denied
        run.unfinished.append(tool.name)
    return denied


def _take_turn(run: RunState, tool: Tool) -> None:
    """Count the call against the tool's `max_calls`, before anything of it runs."""
    taken = run.calls_taken[tool.name] = run.calls_taken.get(tool.name, 0) + 1
    if tool.max_calls is not None and taken > tool.max_calls:
        raise ToolError(
            f"Tool {tool.name!r} may be called {tool.max_calls} times in a run, and it has been. "
            "Go on with what you have.",
            tool_name=tool.name,
        )


async def _call_in_time(
    run: RunState, tool: Tool, arguments: dict[str, Any], context: CallContext
) -> Any:
    """Call the tool; when its time limit cuts it short, that is the tool's failure."""
    if tool.timeout_seconds is None:
        return await _call(run, tool, arguments, context)
    with anyio.move_on_after(tool.timeout_seconds):
        return await _call(run, tool, arguments, context)
    raise ToolInvocationError(
        f"Tool {tool.name!r} did not finish within {tool.timeout_seconds} seconds and was "
        "stopped. Try a smaller request, or go on without it.",
        tool_name=tool.name,
    )


async def _call(run: RunState, tool: Tool, arguments: dict[str, Any], context: CallContext) -> Any:
    """Call the tool; this run's cancellation passes, one that the tool made up is its failure."""
    try:
        return await run.context.tree.effects.call_tool(tool, arguments, context)
    except anyio.get_cancelled_exc_class() as error:
        if tool.async_function is None:
            run.context.meter.record_abandoned()  # nothing stops a thread
        if anyio.current_effective_deadline() == -math.inf or _task_is_being_cancelled():
            raise
        raise ToolInvocationError(
            f"The tool cancelled itself ({type(error).__name__}). Go on without its result."
        ) from error


def _task_is_being_cancelled() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:  # not on asyncio; trio lets nobody make up a cancellation
        return True
    return task is None or task.cancelling() > 0
