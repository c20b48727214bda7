"""Cancelling a three-level run wherever it waits: nothing is left open, nothing is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator
from typing import Any, cast

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
import trio
import trio.lowlevel

from podium.agent import Agent, AgentResult
from podium.agent._history import is_valid
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool
from podium.tools import tool

pytestmark = pytest.mark.anyio


class Countdown:
    """Calls `action` when the tasks under it have been resumed a given number of times."""

    def __init__(self, steps: int, action: Callable[[], None]) -> None:
        self.left, self.action = steps, action

    def tick(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.action()


class Counted:
    """Awaits a coroutine and counts each time it goes on."""

    def __init__(self, coroutine: Any, countdown: Countdown) -> None:
        self.coroutine, self.countdown = coroutine, countdown

    def __await__(self) -> Generator[Any, Any, Any]:
        value: Any = None
        error: BaseException | None = None
        while True:
            self.countdown.tick()
            try:
                waiting = (
                    self.coroutine.throw(error) if error is not None else self.coroutine.send(value)
                )
            except StopIteration as stop:
                return stop.value
            error = None
            try:
                value = yield waiting
            except BaseException as raised:
                error = raised


async def counted(coroutine: Any, countdown: Countdown) -> Any:
    return await Counted(coroutine, countdown)


def three_levels() -> Agent:
    @tool
    async def fetch(n: int) -> str:
        """Fetch something."""
        await anyio.lowlevel.checkpoint()
        return f"fetched-{n}"

    @tool
    def compute(n: int) -> str:
        """Compute something, blocking."""
        return f"computed-{n}"

    bottom = Agent(
        chat_generator=ScriptedChatGenerator(
            [calls(call("fetch", n=1), call("compute", n=2)), "b"]
        ),
        name="bottom",
        description="d",
        tools=[fetch, compute],
    )
    middle = Agent(
        chat_generator=ScriptedChatGenerator(
            [calls(call("bottom", task="x"), call("fetch", n=3)), "m"]
        ),
        name="middle",
        description="d",
        tools=[AgentTool(bottom), fetch],
    )
    return Agent(
        chat_generator=ScriptedChatGenerator(
            [calls(call("middle", task="y"), call("fetch", n=4)), "t"]
        ),
        name="top",
        tools=[AgentTool(middle), fetch],
    )


async def run_cancelled_after(steps: int, backend: str) -> tuple[AgentResult | None, bool]:
    """Run three levels, cancel after so many task steps; return what was kept, and if it ended."""
    kept: list[Any] = []
    finished = False
    agent = three_levels()

    async def guarded() -> None:
        nonlocal finished
        try:
            kept.append(await agent.run_async("go"))
            finished = True
        except BaseException as error:
            kept.append(getattr(error, "partial", None))
            raise

    with anyio.fail_after(5), anyio.CancelScope() as scope:
        await _with_countdown(Countdown(steps, scope.cancel), guarded, backend)
    return kept[0] if kept else None, finished


async def _with_countdown(
    countdown: Countdown, function: Callable[[], Coroutine[Any, Any, None]], backend: str
) -> None:
    if backend == "trio":
        instrument = _instrument(countdown)
        trio.lowlevel.add_instrument(instrument)
        try:
            await function()
        finally:
            trio.lowlevel.remove_instrument(instrument)
        return
    loop = asyncio.get_running_loop()

    def factory(_: object, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        return asyncio.Task(counted(coroutine, countdown), loop=loop, **options)

    loop.set_task_factory(cast("Any", factory))
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(function)
    finally:
        loop.set_task_factory(None)


def _instrument(countdown: Countdown) -> trio.abc.Instrument:
    class Counting(trio.abc.Instrument):
        def before_task_step(self, task: object) -> None:
            countdown.tick()

    return Counting()


@pytest.mark.parametrize("steps", range(1, 60))
async def test_a_run_cancelled_anywhere_keeps_a_valid_history(
    steps: int, anyio_backend: str
) -> None:
    result, finished = await run_cancelled_after(steps, anyio_backend)

    assert result is None or is_valid(result.messages)
    assert result is None or finished or result["exit_reason"] == "cancelled"
    await anyio.wait_all_tasks_blocked()


async def test_sixty_steps_are_enough_to_reach_the_end(anyio_backend: str) -> None:
    result, finished = await run_cancelled_after(10_000, anyio_backend)

    assert finished and result is not None and result.text == "t"


async def test_a_cancelled_conversation_can_be_gone_on_with() -> None:
    @tool
    async def wait_long() -> str:
        """Wait."""
        await anyio.sleep_forever()
        return "late"

    model = ScriptedChatGenerator([calls(call("wait_long"))])
    agent = Agent(chat_generator=model, tools=[wait_long])
    kept: list[AgentResult] = []

    with anyio.move_on_after(0.5):
        try:
            await agent.run_async("go")
        except BaseException as error:
            kept.append(error.partial)  # type: ignore[attr-defined]
            raise
    again = agent.clone(chat_generator=ScriptedChatGenerator(["done"]))
    result = await again.run_async([*kept[0].messages, *_user("say done")])

    assert result.text == "done"
    assert is_valid(result.messages)


def _user(text: str) -> list[Any]:
    from podium.agent import ChatMessage

    return [ChatMessage.from_user(text)]


async def test_a_blocking_tool_that_waits_for_a_nested_run_ends_with_it() -> None:
    thread_has_ended = threading.Event()
    inner_has_begun = anyio.Event()

    @tool
    async def hang() -> str:
        """Never end."""
        inner_has_begun.set()
        await anyio.sleep_forever()
        return ""

    inner = Agent(chat_generator=ScriptedChatGenerator([calls(call("hang"))]), tools=[hang])

    @tool
    def ask() -> str:
        """Wait for another agent, blocking."""
        try:
            return inner.run("please").text
        finally:
            thread_has_ended.set()

    outer = Agent(chat_generator=ScriptedChatGenerator([calls(call("ask"))]), tools=[ask])

    async with anyio.create_task_group() as group:
        group.start_soon(outer.run_async, "go")
        with anyio.fail_after(5):
            await inner_has_begun.wait()
        group.cancel_scope.cancel()

    with anyio.fail_after(5):
        assert await anyio.to_thread.run_sync(thread_has_ended.wait, 5)


async def test_a_nested_stream_hands_its_events_to_its_own_reader() -> None:
    inner = Agent(chat_generator=ScriptedChatGenerator(["inner text"]), name="inner")
    seen: list[str] = []

    @tool
    async def ask() -> str:
        """Read another agent's run while it goes on."""
        async with inner.stream("please") as run:
            async for event in run:
                seen.append(event.path)
        return run.result.text

    model = ScriptedChatGenerator([calls(call("ask")), "done"])

    result = await Agent(chat_generator=model, name="outer", tools=[ask]).run_async("go")

    assert set(seen) == {"outer/inner"}
    assert result.messages[2].tool_call_results[0].text == "inner text"
    assert [node.path for node in result.usage_tree.walk()] == ["outer", "outer/inner"]
