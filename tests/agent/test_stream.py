"""Reading a run while it goes on: order, errors, leaving early, and a reader that is slow."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.lowlevel
import pytest

from podium.agent import (
    Agent,
    AgentError,
    ChatMessage,
    RunEvent,
    RunFinished,
    RunStream,
    StreamingChunk,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

pytestmark = pytest.mark.anyio


@tool
def echo(n: int) -> str:
    """Return the number."""
    return f"echo-{n}"


async def test_events_tell_a_run_in_order() -> None:
    model = ScriptedChatGenerator([calls(call("echo", n=1)), "one two"])
    agent = Agent(chat_generator=model, tools=[echo], name="counter")
    events: list[RunEvent] = []

    async with agent.stream("go") as run:
        async for event in run:
            events.append(event)

    kinds = [type(event).__name__ for event in events if not isinstance(event, TextDelta)]
    assert kinds == [
        "RunStarted",
        "StepStarted",
        "BudgetChanged",
        "ToolCallStarted",
        "ToolCallFinished",
        "StepStarted",
        "BudgetChanged",
        "RunFinished",
    ]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "one two"
    assert {event.path for event in events} == {"counter"}
    assert run.result.text == "one two"


async def test_tool_events_carry_the_call_and_its_result() -> None:
    model = ScriptedChatGenerator([calls(call("echo", n=1)), "done"])
    started: list[ToolCallStarted] = []
    finished: list[ToolCallFinished] = []

    async with Agent(chat_generator=model, tools=[echo]).stream("go") as run:
        async for event in run:
            if isinstance(event, ToolCallStarted):
                started.append(event)
            if isinstance(event, ToolCallFinished):
                finished.append(event)

    assert started[0].call.arguments == {"n": 1}
    assert (finished[0].result, finished[0].error) == ("echo-1", False)
    assert finished[0].seconds >= 0


async def test_an_error_of_the_run_comes_out_after_its_events() -> None:
    model = ScriptedChatGenerator([ZeroDivisionError("no model today")])
    events: list[RunEvent] = []

    run = Agent(chat_generator=model).stream("go")
    with pytest.raises(ZeroDivisionError, match="no model today"):
        async with run:
            async for event in run:
                events.append(event)

    assert isinstance(events[-1], RunFinished) and events[-1].exit_reason == "error"
    assert run.result["exit_reason"] == "error"


async def test_leaving_early_cancels_the_run_and_keeps_what_it_had() -> None:
    ended: list[str] = []

    @tool
    async def hang() -> str:
        """Never end."""
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("hang")
        return ""

    model = ScriptedChatGenerator([calls(call("echo", n=1), call("hang"))])

    with anyio.fail_after(5):
        async with Agent(chat_generator=model, tools=[echo, hang]).stream("go") as run:
            async for event in run:
                if isinstance(event, ToolCallFinished):
                    break

    assert ended == ["hang"]
    assert (run.result["exit_reason"], run.result.stop.unfinished) == ("cancelled", ("hang",))
    told = [one.text for message in run.result.messages for one in message.tool_call_results]
    assert told == ["echo-1", "This call was not finished: the run was cut short."]


async def test_a_run_can_be_cancelled_by_its_handle() -> None:
    @tool
    async def hang() -> str:
        """Never end."""
        await anyio.sleep_forever()
        return ""

    model = ScriptedChatGenerator([calls(call("hang"))])

    with anyio.fail_after(5):
        async with Agent(chat_generator=model, tools=[hang]).stream("go") as run:
            async for event in run:
                if isinstance(event, ToolCallStarted):
                    run.cancel()

    assert run.result["exit_reason"] == "cancelled"


async def test_a_slow_reader_slows_the_run() -> None:
    sent: list[int] = []

    class Chatty:
        async def run_async(self, messages: Any, *, streaming_callback: Any = None) -> Any:
            for number in range(5_000):
                sent.append(number)
                waiting = streaming_callback(StreamingChunk("x"))
                if waiting is not None:
                    await waiting
            return {"replies": [ChatMessage.from_assistant("x" * 5_000)]}

    with anyio.fail_after(10):
        async with Agent(chat_generator=Chatty()).stream("go") as run:
            await anext(aiter(run))
            await anyio.wait_all_tasks_blocked()
            waiting_with = len(sent)
            async for _ in run:
                await anyio.lowlevel.checkpoint()

    assert waiting_with < 300
    assert len(sent) == 5_000


async def test_the_result_is_not_there_before_the_end() -> None:
    model = ScriptedChatGenerator(["done"])

    async with Agent(chat_generator=model).stream("go") as run:
        with pytest.raises(AgentError, match="has not ended"):
            _ = run.result


async def test_wrong_arguments_are_refused_when_the_block_is_entered() -> None:
    model = ScriptedChatGenerator([])

    with pytest.raises(TypeError, match="takes no input 'colour'"):
        async with Agent(chat_generator=model).stream("go", colour="red"):
            pytest.fail("the block must not be entered")


async def test_a_callback_gets_chunks_that_say_whose_they_are() -> None:
    chunks: list[StreamingChunk] = []
    model = ScriptedChatGenerator([calls(call("echo", n=1)), "all done"])

    await Agent(chat_generator=model, tools=[echo], name="counter").run_async("go", chunks.append)

    assert "".join(chunk.content for chunk in chunks) == "all done"
    assert {chunk.component_info.name for chunk in chunks if chunk.component_info} == {"counter"}
    results = [chunk.tool_call_result.text for chunk in chunks if chunk.tool_call_result]
    assert results == ["echo-1"]
    assert "tool_call_results" in [chunk.finish_reason for chunk in chunks]


async def test_an_async_callback_is_awaited() -> None:
    seen: list[str] = []

    async def callback(chunk: StreamingChunk) -> None:
        await anyio.lowlevel.checkpoint()
        seen.append(chunk.content)

    await Agent(chat_generator=ScriptedChatGenerator(["all done"])).run_async("go", callback)

    assert "".join(seen) == "all done"


async def test_an_error_in_a_callback_comes_out() -> None:
    def callback(chunk: StreamingChunk) -> None:
        raise ZeroDivisionError("callback")

    with pytest.raises(ZeroDivisionError, match="callback"):
        await Agent(chat_generator=ScriptedChatGenerator(["text"])).run_async("go", callback)


async def test_what_happened_before_the_reader_came_is_not_lost() -> None:
    async with Agent(chat_generator=ScriptedChatGenerator(["done"])).stream("go") as run:
        await anyio.wait_all_tasks_blocked()
        kinds = [type(event).__name__ async for event in run]

    assert (kinds[0], kinds[-1]) == ("RunStarted", "RunFinished")


async def test_an_error_that_nobody_read_comes_out_of_the_block() -> None:
    model = ScriptedChatGenerator([ZeroDivisionError("no model today")])

    with pytest.raises(ZeroDivisionError, match="no model today"):
        async with Agent(chat_generator=model).stream("go"):
            await anyio.wait_all_tasks_blocked()


async def test_the_blocks_own_error_goes_before_the_runs() -> None:
    model = ScriptedChatGenerator([ZeroDivisionError("no model today")])

    with pytest.raises(KeyError, match="mine"):
        async with Agent(chat_generator=model).stream("go"):
            await anyio.wait_all_tasks_blocked()
            raise KeyError("mine")


async def test_the_conversation_can_be_read_on_the_way() -> None:
    run = Agent(chat_generator=ScriptedChatGenerator(["done"])).stream("go")
    before = run.messages

    async with run:
        started = run.messages
        started.clear()
        async for _ in run:
            pass

    assert (before, started) == ([], [])
    assert [message.text for message in run.messages] == ["go", "done"]


async def test_a_stream_is_one_run() -> None:
    run = Agent(chat_generator=ScriptedChatGenerator(["done"])).stream("go")

    async with run:
        with pytest.raises(AgentError, match="entered twice"):
            await run.__aenter__()


async def test_a_slow_reader_holds_up_parallel_agents_and_lets_each_go_on() -> None:
    @tool
    async def count() -> str:
        """Let another agent count."""
        words = " ".join(map(str, range(600)))
        return (await Agent(chat_generator=ScriptedChatGenerator([words])).run_async("go")).text

    turn = calls(*[call("count")] * 3)
    agent = Agent(chat_generator=ScriptedChatGenerator([turn, "done"]), tools=[count])
    deltas = 0

    async with agent.stream("go") as run:
        async for event in run:
            await anyio.lowlevel.checkpoint()
            deltas += isinstance(event, TextDelta)

    assert run.result.text == "done"
    assert deltas > 3 * 600


async def test_two_readers_share_the_events() -> None:
    agent = Agent(chat_generator=ScriptedChatGenerator([" ".join(map(str, range(100)))]))
    seen: list[int] = []

    async def read(events: RunStream) -> None:
        async for event in events:
            seen.append(event.seq)

    async with agent.stream("go") as run, anyio.create_task_group() as group:
        group.start_soon(read, run)
        group.start_soon(read, run)

    assert sorted(seen) == list(range(len(seen)))
    assert len(seen) > 100


async def test_a_run_that_waits_for_its_reader_ends_when_the_reader_leaves() -> None:
    class Endless:
        async def run_async(self, messages: Any, *, streaming_callback: Any) -> Any:
            while True:
                await (streaming_callback(StreamingChunk("x")) or anyio.lowlevel.checkpoint())

    with anyio.fail_after(5):
        async with Agent(chat_generator=Endless()).stream("go") as run:
            await anyio.wait_all_tasks_blocked()

    assert run.result.exit_reason == "cancelled"


def test_a_stream_can_be_made_before_there_is_a_loop() -> None:
    stream = Agent(chat_generator=ScriptedChatGenerator(["done"])).stream("go")

    async def read() -> str:
        async with stream as run:
            async for _ in run:
                pass
        return run.result.text

    assert anyio.run(read) == "done"


async def test_with_and_for_without_async_say_what_to_write() -> None:
    run: Any = Agent(chat_generator=ScriptedChatGenerator([]), name="clerk").stream("go")

    with pytest.raises(TypeError, match=r"'clerk' is asynchronous\. Write `async with"), run:
        pass
    with pytest.raises(TypeError, match=r"'clerk' is asynchronous\. Write `async with"):
        list(run)


async def test_reading_before_the_run_has_begun_is_refused_and_does_not_wait_for_ever() -> None:
    run = Agent(chat_generator=ScriptedChatGenerator([])).stream("go")

    with pytest.raises(AgentError, match="read before its run has begun"):
        await anext(aiter(run))
