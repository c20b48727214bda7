"""Answering tool calls: each exactly once, in order, whatever the tools do."""

from __future__ import annotations

import asyncio
import threading
from typing import Annotated, Any, cast

import anyio
import anyio.lowlevel
import pytest

from podium.agent import Agent, AgentResult, ChatMessage, State, StreamingChunk
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import Tool, ToolCall, tool
from podium.tools.errors import ToolInvocationError, ToolNotFoundError

pytestmark = pytest.mark.anyio


async def run_calls(tools: list[Tool], *wanted: ToolCall, **settings: Any) -> AgentResult:
    """Run an agent whose model makes the wanted calls at once and then answers "done"."""
    inputs = settings.pop("inputs", {})
    model = ScriptedChatGenerator([calls(*wanted), "done"])
    agent = Agent(chat_generator=model, tools=tools, **settings)
    return await agent.run_async("go", **inputs)


def answers(result: AgentResult) -> list[str]:
    return [one.text for message in result.messages for one in message.tool_call_results]


def errors(result: AgentResult) -> list[bool]:
    return [one.error for message in result.messages for one in message.tool_call_results]


@tool
def echo(n: int) -> str:
    """Return the number."""
    return f"echo-{n}"


@tool
def fail(n: int) -> str:
    """Fail."""
    raise ValueError(f"fail-{n}")


async def test_results_stand_in_call_order_whatever_ends_first() -> None:
    first_may_end = anyio.Event()

    @tool
    async def first() -> str:
        """End last."""
        await first_may_end.wait()
        return "first"

    @tool
    async def second() -> str:
        """End first."""
        first_may_end.set()
        return "second"

    with anyio.fail_after(5):
        result = await run_calls([first, second], call("first"), call("second"))

    assert answers(result) == ["first", "second"]


async def test_a_failure_keeps_its_siblings_and_says_its_kind() -> None:
    result = await run_calls([echo, fail], call("echo", n=1), call("fail", n=2), call("echo", n=3))

    assert answers(result) == ["echo-1", "Tool 'fail' failed: ValueError: fail-2", "echo-3"]
    assert errors(result) == [False, True, False]


async def test_an_exception_without_words_is_told_by_its_type() -> None:
    @tool
    def mute() -> str:
        """Fail without a message."""
        raise RuntimeError

    result = await run_calls([mute], call("mute"))

    assert answers(result) == ["Tool 'mute' failed: RuntimeError"]


async def test_a_tool_that_exits_the_interpreter_only_fails() -> None:
    @tool
    def leave() -> str:
        """Leave."""
        raise SystemExit(3)

    result = await run_calls([leave], call("leave"))

    assert (errors(result), result.text) == ([True], "done")


async def test_an_unknown_tool_is_answered_in_its_place_with_the_nearest_name() -> None:
    result = await run_calls([echo], call("echo", n=1), call("ehco", n=2), call("echo", n=3))

    assert answers(result)[0] == "echo-1"
    assert "no tool named 'ehco'. Did you mean 'echo'?" in answers(result)[1]
    assert answers(result)[2] == "echo-3"


async def test_wrong_arguments_are_answered_and_the_tool_does_not_run() -> None:
    result = await run_calls([echo], call("echo", n="many"))

    assert errors(result) == [True]
    assert "'n'" in answers(result)[0] or "n:" in answers(result)[0]


async def test_no_more_calls_run_at_once_than_allowed() -> None:
    running: list[int] = [0, 0]
    two_run = anyio.Event()

    @tool
    async def work(n: int) -> str:
        """Work."""
        running[0] += 1
        running[1] = max(running)
        if running[0] == 2:
            two_run.set()
        await two_run.wait()
        running[0] -= 1
        return str(n)

    with anyio.fail_after(5):
        result = await run_calls(
            [work], *(call("work", n=n) for n in range(6)), tool_concurrency_limit=2
        )

    assert running[1] == 2
    assert answers(result) == ["0", "1", "2", "3", "4", "5"]


async def test_calls_start_in_order_when_one_runs_at_a_time() -> None:
    order: list[int] = []

    @tool
    def note(n: int) -> str:
        """Note the order."""
        order.append(n)
        return "noted"

    await run_calls([note], *(call("note", n=n) for n in range(5)), tool_concurrency_limit=1)

    assert order == [0, 1, 2, 3, 4]


async def test_sync_tools_run_in_parallel_in_threads() -> None:
    both_run = threading.Barrier(2, timeout=5)

    @tool
    def meet() -> str:
        """Wait for the other one."""
        both_run.wait()
        return "met"

    result = await run_calls([meet], call("meet"), call("meet"))

    assert answers(result) == ["met", "met"]


async def test_a_reader_sees_what_all_writers_of_its_step_wrote() -> None:
    @tool(outputs_to_state={"docs": {}})
    def fetch(topic: str) -> list[str]:
        """Fetch documents."""
        return [f"doc about {topic}"]

    @tool(inputs_from_state={"docs": "docs"})
    def count(docs: list[str]) -> str:
        """Count documents."""
        return f"{len(docs)} docs"

    result = await run_calls(
        [fetch, count],
        call("count"),
        call("fetch", topic="a"),
        call("fetch", topic="b"),
        state_schema={"docs": {"type": list[str]}},
        inputs={"docs": ["old"]},
    )

    assert answers(result)[0] == "3 docs"
    assert result["docs"] == ["old", "doc about a", "doc about b"]


async def test_the_runs_state_wins_over_what_the_model_sends_for_it() -> None:
    @tool(inputs_from_state={"customer": "customer"})
    def orders(query: str, customer: str) -> str:
        """List orders."""
        return f"orders of {customer}"

    result = await run_calls(
        [orders],
        call("orders", query="all", customer="c-999"),
        call("orders", query="all"),
        state_schema={"customer": {"type": str}},
        inputs={"customer": "c-100"},
    )

    assert errors(result) == [True, False]
    assert answers(result)[1] == "orders of c-100"
    assert "orders of c-999" not in str(result.messages)


async def test_a_tool_gets_the_live_state_and_its_changes_are_kept() -> None:
    @tool
    def note_down(text: str, state: State) -> str:
        """Note something down."""
        state.set("notes", [text])
        return "noted"

    result = await run_calls(
        [note_down],
        call("note_down", text="milk"),
        call("note_down", text="eggs"),
        state_schema={"notes": {"type": list[str]}},
    )

    assert result["notes"] == ["milk", "eggs"]


async def test_a_result_that_cannot_be_stored_is_told_and_costs_no_sibling() -> None:
    def refuse(current: object, new: object) -> object:
        raise TypeError("no merging today")

    @tool(outputs_to_state={"kept": {"handler": refuse}})
    def store() -> str:
        """Store something."""
        return "value"

    result = await run_calls(
        [store, echo], call("store"), call("echo", n=1), state_schema={"kept": {"type": str}}
    )

    assert "no merging today" in answers(result)[0]
    assert answers(result)[1] == "echo-1"


async def test_a_tool_that_takes_too_long_is_stopped_and_told() -> None:
    @tool(timeout_seconds=0.01)
    async def hang() -> str:
        """Never end."""
        await anyio.sleep_forever()
        return ""

    result = await run_calls([hang, echo], call("hang"), call("echo", n=1))

    assert "did not finish within 0.01 seconds" in answers(result)[0]
    assert answers(result)[1] == "echo-1"


async def test_a_sync_tool_that_takes_too_long_is_left_behind() -> None:
    may_end = threading.Event()

    @tool(timeout_seconds=0.01)
    def hang(state: State) -> str:
        """Outlive its limit."""
        may_end.wait(5)
        state.set("late", "too late")
        return "late"

    result = await run_calls([hang], call("hang"), state_schema={"late": {"type": str}})
    may_end.set()

    assert "did not finish" in answers(result)[0]
    assert "late" not in result


async def test_calls_beyond_a_tools_limit_are_refused() -> None:
    @tool(max_calls=2)
    def rare(n: int) -> str:
        """Work, twice at most."""
        return f"ran-{n}"

    result = await run_calls([rare], *(call("rare", n=n) for n in range(3)))

    assert errors(result) == [False, False, True]
    assert "2 times" in answers(result)[2]


async def test_failures_raise_when_asked_for_after_all_siblings_have_ended() -> None:
    with pytest.raises(ToolInvocationError, match="fail-1") as caught:
        await run_calls(
            [echo, fail],
            call("fail", n=1),
            call("echo", n=2),
            raise_on_tool_invocation_failure=True,
        )

    partial = cast("AgentResult", getattr(caught.value, "partial", None))
    assert answers(partial) == ["Tool 'fail' failed: ValueError: fail-1", "echo-2"]
    assert isinstance(caught.value.__cause__, ValueError)


async def test_an_unknown_tool_raises_when_asked_for() -> None:
    with pytest.raises(ToolNotFoundError, match="nope"):
        await run_calls([echo], call("nope"), raise_on_tool_invocation_failure=True)


async def test_ids_that_are_missing_or_double_are_made_unique() -> None:
    reply = ChatMessage.from_assistant(
        tool_calls=[
            ToolCall("echo", {"n": 1}, "same"),
            ToolCall("echo", {"n": 2}, "same"),
            ToolCall("echo", {"n": 3}, ""),
        ]
    )
    model = ScriptedChatGenerator([reply, "done"])

    result = await Agent(chat_generator=model, tools=[echo]).run_async("go")

    ids = [one.id for one in result.messages[1].tool_calls]
    assert len(set(ids)) == 3 and all(ids)
    assert answers(result) == ["echo-1", "echo-2", "echo-3"]


async def test_a_hook_may_answer_a_call_itself() -> None:
    from podium.agent import hook

    @hook
    def deny(state: State) -> None:
        denied = state.data["messages"][-1].tool_calls[0]
        state.set("messages", [ChatMessage.from_tool("denied by policy", denied, True)])

    result = await run_calls(
        [echo], call("echo", n=1), call("echo", n=2), hooks={"before_tool": [deny]}
    )

    assert answers(result) == ["denied by policy", "echo-2"]


async def test_tools_can_be_picked_or_replaced_for_one_run() -> None:
    model = ScriptedChatGenerator(["a", "b", "c"])
    agent = Agent(chat_generator=model, tools=[echo, fail])

    await agent.run_async("go", tools=["fail"])
    await agent.run_async("go", tools=[echo])
    await agent.run_async("go", tools=[])

    offered = [[one.name for one in request.tools or ()] for request in model.requests]
    assert offered == [["fail"], ["echo"], []]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancellation_that_a_tool_makes_up_is_the_tools_own_failure() -> None:
    @tool
    async def broken(reason: Annotated[str, "why"]) -> str:
        """Cancel itself."""
        raise asyncio.CancelledError(reason)

    result = await run_calls([broken, echo], call("broken", reason="x"), call("echo", n=1))

    assert errors(result) == [True, False]


async def test_raising_on_failure_changes_nothing_where_nothing_fails() -> None:
    result = await run_calls(
        [echo], call("echo", n=1), call("echo", n=2), raise_on_tool_invocation_failure=True
    )

    assert (answers(result), result.text) == (["echo-1", "echo-2"], "done")


async def test_results_are_streamed_in_call_order_to_an_async_callback() -> None:
    seen: list[tuple[str | None, str]] = []

    async def callback(chunk: StreamingChunk) -> None:
        await anyio.lowlevel.checkpoint()
        if chunk.tool_call_result is not None:
            seen.append((chunk.tool_call_result.origin.id, chunk.tool_call_result.text))

    result = await run_calls(
        [echo], call("echo", n=1), call("echo", n=2), streaming_callback=callback
    )

    ids = [one.id for one in result.messages[1].tool_calls]
    assert seen == [(ids[0], "echo-1"), (ids[1], "echo-2")]
