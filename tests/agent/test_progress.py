"""How far a running tool is, told to those who watch the run."""

from __future__ import annotations

import pytest

from podium.agent import Agent, RunEvent, ToolCallProgress, ToolCallStarted
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import CallContext, tool

pytestmark = pytest.mark.anyio


@tool
async def copy(files: int, context: CallContext) -> str:
    """Copy files."""
    if context.report is None:
        return "copied unseen"
    context.report(1, files, "first")
    context.report(2, None, "")
    return "copied"


@tool
async def shout(context: CallContext) -> str:
    """Report far more than anybody reads."""
    report = context.report
    assert report is not None
    [report(number, None, "") for number in range(10_000)]
    return "done"


def agent(name: str, **arguments: object) -> Agent:
    model = ScriptedChatGenerator([calls(call(name, **arguments)), "done"])
    return Agent(chat_generator=model, tools=[copy, shout])


async def test_a_tool_that_reports_is_heard_by_who_reads_the_events() -> None:
    async with agent("copy", files=2).stream("go") as run:
        events: list[RunEvent] = [event async for event in run]

    started = next(one for one in events if isinstance(one, ToolCallStarted))
    told = [one for one in events if isinstance(one, ToolCallProgress)]
    assert [(one.done, one.total, one.message) for one in told] == [(1, 2, "first"), (2, None, "")]
    assert {(one.call, one.step, one.path) for one in told} == {(started.call, 1, "agent")}


async def test_where_nobody_reads_there_is_nobody_to_report_to() -> None:
    result = await agent("copy", files=2).run_async("go")

    assert result.messages[2].tool_call_results[0].text == "copied unseen"


async def test_what_a_reader_is_too_slow_for_is_left_out() -> None:
    async with agent("shout").stream("go") as run:
        told = [event async for event in run if isinstance(event, ToolCallProgress)]

    assert 0 < len(told) < 1_000
    assert run.result.text == "done"
