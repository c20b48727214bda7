"""The trace of a team: one tree, whatever happens in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from opentelemetry import trace

from podium.agent import Agent, State, hook
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator
from podium.tools import tool
from podium.tracing.testing import SpanRecorder

pytestmark = pytest.mark.anyio


@pytest.fixture
def recorder() -> Iterator[SpanRecorder]:
    with SpanRecorder() as recorder:
        yield recorder
    assert recorder.open_spans == ()


@tool
def lookup(q: str) -> str:
    """Look something up."""
    return f"facts about {q}"


def facts(*turns: Any, **settings: Any) -> Agent:
    return Agent(
        chat_generator=ScriptedChatGenerator(list(turns)),
        name="facts",
        description="Knows facts.",
        tools=[lookup],
        **settings,
    )


def team(*turns: Any, specialists: list[Agent], **settings: Any) -> Coordinator:
    return Coordinator(
        chat_generator=ScriptedChatGenerator(list(turns)), specialists=specialists, **settings
    )


async def test_each_specialists_spans_hang_below_the_call_that_started_it(
    recorder: SpanRecorder,
) -> None:
    specialist = facts(
        calls(call("lookup", q="a")), "answer a", calls(call("lookup", q="b")), "answer b"
    )
    asks = calls(call("facts", task="a"), call("facts", task="b"))
    one_at_a_time = {"tool_concurrency_limit": 1}

    await team(asks, "final", specialists=[specialist], **one_at_a_time).run_async("go")

    delegation = [
        "  execute_tool facts facts",
        "    invoke_agent facts",
        "      chat scripted",
        "      execute_tool lookup",
        "      chat scripted",
    ]
    assert recorder.tree().splitlines() == [
        "invoke_agent coordinator",
        "  chat scripted",
        "  hook before_tool RepeatedCallHook",
        *delegation,
        *delegation,
        "  chat scripted",
    ]


async def test_parallel_specialists_keep_their_own_spans(recorder: SpanRecorder) -> None:
    names = ["one", "two", "three"]
    specialists = [facts(calls(call("lookup", q=name)), name).clone(name=name) for name in names]
    asks = calls(*(call(name, task="x") for name in names))

    await team(asks, "final", specialists=specialists).run_async("go")

    by_id = {span.context.span_id: span for span in recorder.spans if span.context}
    lookups = [span for span in recorder.spans if span.name == "execute_tool lookup"]
    above = [by_id[span.parent.span_id] for span in lookups if span.parent]
    assert {span.name for span in above} == {f"invoke_agent {name}" for name in names}
    assert len({span.context.trace_id for span in recorder.spans if span.context}) == 1


async def test_a_run_joins_the_span_it_is_started_in(recorder: SpanRecorder) -> None:
    tracer = trace.get_tracer("an application")

    with tracer.start_as_current_span("request"):
        await facts("hello").run_async("go")

    assert recorder.tree().splitlines() == [
        "request",
        "  invoke_agent facts",
        "    chat scripted",
    ]


async def test_spans_of_a_tools_own_code_stand_below_the_tool(recorder: SpanRecorder) -> None:
    @tool
    def query(sql: str) -> str:
        """Query a database in a worker thread."""
        with trace.get_tracer("a driver").start_as_current_span("SELECT"):
            return "row"

    agent = Agent(
        chat_generator=ScriptedChatGenerator([calls(call("query", sql="x")), "done"]), tools=[query]
    )

    await agent.run_async("go")

    assert "  execute_tool query\n    SELECT" in recorder.tree()


async def test_a_stream_leaves_no_span_current_and_none_open(recorder: SpanRecorder) -> None:
    async with facts("one two three four").stream("go") as run:
        async for _ in run:
            assert not trace.get_current_span().get_span_context().is_valid
            break

    assert not trace.get_current_span().get_span_context().is_valid
    assert recorder.find("invoke_agent facts").attributes is not None


async def test_hooks_have_spans_and_failures_are_marked(recorder: SpanRecorder) -> None:
    @hook
    def audit(state: State) -> None:
        raise PermissionError("no")

    with pytest.raises(PermissionError):
        await facts(calls(call("lookup", q="a")), hooks={"before_tool": [audit]}).run_async("go")

    assert recorder.tree("error.type").splitlines() == [
        "invoke_agent facts  error.type=PermissionError",
        "  chat scripted",
        "  hook before_tool audit  error.type=PermissionError",
    ]


async def test_a_cancelled_run_ends_its_spans(recorder: SpanRecorder) -> None:
    @tool
    async def hang() -> str:
        """Never end."""
        await anyio.sleep_forever()
        return ""

    agent = Agent(chat_generator=ScriptedChatGenerator([calls(call("hang"))]), tools=[hang])

    with anyio.move_on_after(0.5):
        await agent.run_async("go")

    assert "execute_tool hang" in recorder.tree()


async def test_own_and_inclusive_usage_stand_apart(recorder: SpanRecorder) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
    specialist = facts("answer").clone(
        chat_generator=ScriptedChatGenerator(["answer"], usage=usage)
    )
    coordinator = Coordinator(
        chat_generator=ScriptedChatGenerator([calls(call("facts", task="a")), "f"], usage=usage),
        specialists=[specialist],
    )

    result = await coordinator.run_async("go")

    root = recorder.find("invoke_agent coordinator").attributes or {}
    assert root["gen_ai.usage.input_tokens"] == 20
    assert root["podium.usage.total.input_tokens"] == 30
    assert root["podium.stop.reason"] == "text"
    chats = [span.attributes or {} for span in recorder.spans if span.name.startswith("chat ")]
    spent = sum(int(str(chat["gen_ai.usage.input_tokens"])) for chat in chats)
    assert spent == result.usage.input_tokens == 30
    assert result.trace_id is not None and len(result.trace_id) == 32


async def test_no_text_of_messages_or_results_is_recorded(recorder: SpanRecorder) -> None:
    canary = "canary-4711"
    agent = facts(
        calls(call("lookup", q=canary)), f"answer {canary}", system_prompt=f"secret {canary}"
    )

    await agent.run_async(f"question {canary}")

    assert canary not in str([span.to_json() for span in recorder.spans])
