"""Answering the model's tool calls: in parallel up to a limit, each exactly once, in call order."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import anyio

from podium.agent._history import answered, open_calls, put_results
from podium.agent._run_state import RunState
from podium.agent._tool_run import Outcome, run_tool
from podium.agent.events import ToolCallProgress
from podium.agent.messages import ChatMessage
from podium.agent.streaming import ComponentInfo, StreamingChunk
from podium.tools import CallContext, Tool, ToolCall
from podium.tools._schedule import plan_batches
from podium.tools._text import error_text
from podium.tools.errors import ToolNotFoundError, nearest

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """A call with the tool that answers it."""

    call: ToolCall
    """The call."""
    tool: Tool
    """What runs it."""
    context: CallContext
    """What the tool is handed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A call that has its result."""

    call: ToolCall
    """The call."""
    error: bool
    """Whether it failed."""
    ends_run: bool
    """Whether its tool is an exit condition or returns directly."""


async def answer_calls(run: RunState, tools: Sequence[Tool]) -> list[Answer]:
    """Answer the calls at the end of the conversation that have no result yet; return what came.

    A hook that ran before may have answered some itself, by adding their results. Calls that read
    state run after those that write it; one failure never keeps a sibling's result away.

    Raises:
        ToolError: a call failed and the agent was told to raise; all siblings have ended by then
            and every result is in the conversation.
    """
    calls, given = open_calls(run.messages)
    known = {tool.name: tool for tool in tools}
    done = {result.tool_call_result.origin.id for result in given if result.tool_call_result}
    waiting = [call for call in calls if call.id not in done]
    outcomes: dict[str | None, Outcome] = {
        call.id: _unknown(call, known) for call in waiting if call.tool_name not in known
    }
    jobs = _jobs(
        run, [(call, known[call.tool_name]) for call in waiting if call.tool_name in known]
    )
    for call in waiting:
        if call.id in outcomes:
            run.results[call.id] = outcomes[call.id].message(call)
    for batch in plan_batches([job.tool for job in jobs]):
        chosen = [jobs[position] for position in batch]
        await _run_together(run, chosen, outcomes)
        for job in chosen:
            _merge_state(run, job, outcomes)
    settle_calls(run)
    _count(run, calls)
    await _stream_results(run, waiting, outcomes)
    _raise_first_failure(run, waiting, outcomes)
    return [_answer(run, call, outcomes[call.id], known) for call in waiting]


def settle_calls(run: RunState, stand_in: str | None = None) -> None:
    """Write the results into the conversation, in call order; what is missing gets a stand-in.

    Also the way out when a run is cut short: results that had already come are kept, and what got
    a stand-in is noted as unfinished.
    """
    calls, given = open_calls(run.messages)
    if calls:
        results = [*given, *run.results.values()]
        if len(results) < len(calls):
            done = {one.tool_call_result.origin.id for one in results if one.tool_call_result}
            run.unfinished += [call.tool_name for call in calls if call.id not in done]
        if stand_in is None:
            settled = answered(calls, calls, results)
        else:
            text = stand_in
            settled = answered(
                calls, calls, results, lambda call: ChatMessage.from_tool(text, call, True)
            )
        put_results(run.messages, settled)
    run.results.clear()


async def _run_together(
    run: RunState, jobs: Sequence[Job], outcomes: dict[str | None, Outcome]
) -> None:
    async def work(todo: Iterator[Job]) -> None:
        for job in todo:
            outcome = await run_tool(run, job.call, job.tool, job.context)
            outcomes[job.call.id] = outcome
            run.results[job.call.id] = outcome.message(job.call)

    todo = iter(jobs)
    workers = min(run.agent.tool_concurrency_limit, len(jobs))
    if workers == 1:
        await work(todo)
        return
    # Workers share one iterator, so calls start in call order on every backend.
    async with anyio.create_task_group() as group:
        for _ in range(workers):
            group.start_soon(work, todo)


def _jobs(run: RunState, wanted: Sequence[tuple[ToolCall, Tool]]) -> list[Job]:
    count = sum(1 for _, tool in wanted if tool.target_name)
    index = 0
    jobs: list[Job] = []
    for call, tool in wanted:
        jobs.append(_job(run, call, tool, (index, max(1, count))))
        index += 1 if tool.target_name else 0
    return jobs


def _job(run: RunState, call: ToolCall, tool: Tool, siblings: tuple[int, int]) -> Job:
    callback = run.streaming_callback if run.agent.tool_streaming_callback_passthrough else None
    target = tool.target_name
    context = CallContext(
        call=call,
        state=run.state.view(),
        streaming_callback=callback,
        run=run.context,
        report=functools.partial(_report, run, call) if run.context.tree.channel else None,
        siblings=siblings,
        child_path=run.context.child_path(target) if target else None,
    )
    return Job(call, tool, context)


def _report(run: RunState, call: ToolCall, done: float, total: float | None, message: str) -> None:
    """Tell those who watch how far a call is; progress is dropped rather than piled up."""
    channel = run.context.tree.channel
    if channel is not None and not channel.is_full:
        facts = {"call": call, "done": done, "total": total, "message": message}
        run.context.emit(ToolCallProgress, run.step_count + 1, **facts)


def _unknown(call: ToolCall, known: dict[str, Tool]) -> Outcome:
    mend = "Call one of them, or answer without a tool." if known else "Answer without a tool."
    error = ToolNotFoundError(
        f"There is no tool named {call.tool_name[:80]!r}.{nearest(call.tool_name, known)} {mend}",
        tool_name=call.tool_name,
    )
    return Outcome(str(error), error=error)


def _merge_state(run: RunState, job: Job, outcomes: dict[str | None, Outcome]) -> None:
    outcome = outcomes[job.call.id]
    try:
        for key, value, handler in outcome.updates:
            run.state.set(key, value, handler)
    except (
        Exception
    ) as error:  # a merge handler is user code; its failure must not cost the siblings
        why = error_text(error)
        kind = type(error).__name__  # its text may hold what the tool returned
        logger.warning("Result of tool %r could not be merged into state: %s", job.tool.name, kind)
        failed = Outcome(
            f"Tool {job.tool.name!r} ran, but its result could not be stored: {why}", error=error
        )
        outcomes[job.call.id] = failed
        run.results[job.call.id] = failed.message(job.call)


def _count(run: RunState, calls: Sequence[ToolCall]) -> None:
    counts: dict[str, int] = run.state.data["tool_call_counts"]
    for call in calls:
        counts[call.tool_name] = counts.get(call.tool_name, 0) + 1


def _answer(run: RunState, call: ToolCall, outcome: Outcome, known: dict[str, Tool]) -> Answer:
    tool = known.get(call.tool_name)
    ends = call.tool_name in run.agent.exit_tools or (tool is not None and tool.return_direct)
    return Answer(call, outcome.error is not None, ends)


def _raise_first_failure(
    run: RunState, calls: Sequence[ToolCall], outcomes: dict[str | None, Outcome]
) -> None:
    if run.agent.raise_on_tool_invocation_failure:
        for call in calls:
            outcome = outcomes[call.id]
            if outcome.error is not None:
                raise outcome.as_tool_error(call) from outcome.error


async def _stream_results(
    run: RunState, calls: Sequence[ToolCall], outcomes: dict[str | None, Outcome]
) -> None:
    callback = run.streaming_callback
    if callback is None or not calls:
        return
    source = ComponentInfo("Agent", run.context.path)
    answers = [outcomes[call.id].message(call).tool_call_result for call in calls]
    chunks = [
        StreamingChunk(
            tool_call_result=result,
            index=index,
            start=True,
            component_info=source,
            meta={"tool_result": result.text, "tool_call": result.origin},
        )
        for index, result in enumerate(answer for answer in answers if answer is not None)
    ]
    last = StreamingChunk(finish_reason="tool_call_results", component_info=source)
    for chunk in [*chunks, last]:
        outcome = callback(chunk)
        if inspect.isawaitable(outcome):
            await outcome
