"""Tools that fail in odd ways: the model is told, the run goes on, and only it can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, cast

import anyio
import anyio.to_thread
import pytest
import trio
import trio.lowlevel

from podium.agent import Agent, AgentResult, Budget, State
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

pytestmark = pytest.mark.anyio


class Mute(Exception):
    """An error that cannot say what is wrong."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


async def run_of(function: Callable[..., Any], **settings: Any) -> AgentResult:
    """Run an agent whose model calls the one tool and then answers "done"."""
    one = tool(function, **settings)
    model = ScriptedChatGenerator([calls(call(one.name)), "done"])
    return await Agent(chat_generator=model, tools=[one]).run_async("go")


def told(result: AgentResult) -> str:
    return result.messages[2].tool_call_results[0].text


async def test_of_a_group_of_errors_each_is_told() -> None:
    def search() -> str:
        """Search in two places."""
        raise ExceptionGroup("both failed", [LookupError("no ox"), LookupError("no cow")])

    result = await run_of(search)

    assert told(result) == (
        "Tool 'search' failed: ExceptionGroup: both failed (2 sub-exceptions): "
        "LookupError: no ox; LookupError: no cow"
    )
    assert result.text == "done"


async def test_a_failing_task_group_of_a_tool_is_the_tools_failure() -> None:
    async def fail() -> None:
        raise LookupError("no ox")

    async def search() -> str:
        """Search in two places at once."""
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep_forever)
            group.start_soon(fail)
        return "found"

    assert told(await run_of(search)).endswith("LookupError: no ox")


async def test_an_error_that_cannot_be_put_in_words_is_told_by_its_kind() -> None:
    def search() -> str:
        """Search."""
        raise Mute

    assert told(await run_of(search)) == "Tool 'search' failed: Mute"


async def test_an_endless_message_is_cut() -> None:
    def search() -> str:
        """Search."""
        raise LookupError("x" * 1_000_000)

    answer = told(await run_of(search))

    assert answer.endswith("… [cut here]")
    assert len(answer) < 20_000


async def test_what_an_abandoned_thread_would_start_later_is_not_begun() -> None:
    has_begun, may_go_on, has_ended = threading.Event(), threading.Event(), threading.Event()
    model = ScriptedChatGenerator([])
    inner = Agent(chat_generator=model)

    def ask() -> str:
        """Ask another agent, too late."""
        has_begun.set()
        may_go_on.wait()
        try:
            return inner.run("please").text
        finally:
            has_ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(run_of, ask)
        await anyio.to_thread.run_sync(has_begun.wait)
        group.cancel_scope.cancel()
    may_go_on.set()

    await anyio.to_thread.run_sync(has_ended.wait)
    assert model.requests == []


async def test_a_blocking_call_that_cannot_be_stopped_is_counted_and_its_result_dropped() -> None:
    may_end, has_ended = threading.Event(), threading.Event()

    def wait(state: State) -> str:
        """Wait, whatever happens outside."""
        may_end.wait()
        try:
            state.set("note", "too late")
        finally:
            has_ended.set()
        return "too late"

    agent = Agent(
        chat_generator=ScriptedChatGenerator([calls(call("wait"))]),
        tools=[tool(wait)],
        state_schema={"note": {"type": str}},
        budget=Budget(seconds=0.3),
    )
    result = await agent.run_async("go")
    may_end.set()

    await anyio.to_thread.run_sync(has_ended.wait)
    assert result.exit_reason == "time_budget_exceeded"
    assert (result.stop.unfinished, result.stop.abandoned_threads) == (("wait",), 1)
    assert "1 blocking call could not be stopped" in result.stop.explain()
    assert "too late" not in repr(dict(result))


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_trio_lets_nobody_make_up_a_cancellation_so_each_is_taken_for_real() -> None:
    old: list[trio.Cancelled] = []

    async def keep_one() -> str:
        """Raise a cancellation of long ago."""
        with trio.CancelScope() as scope:
            scope.cancel()
            try:
                await trio.lowlevel.checkpoint()
            except trio.Cancelled as error:
                old.append(error)
                raise
        raise old[0]

    with pytest.raises(trio.Cancelled) as caught:
        await run_of(keep_one)

    partial = cast("AgentResult", getattr(caught.value, "partial", None))
    assert (partial.exit_reason, partial.stop.unfinished) == ("cancelled", ("keep_one",))
