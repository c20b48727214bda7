"""The tree of spans that each kind of run leaves, whole on asyncio and on trio."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from tree_invariants import faults

from podium.agent import Agent, Budget, ChatMessage, ModelError, State, hook
from podium.agent._tries import next_try
from podium.agent.events import TextDelta
from podium.agent.models import FallbackChatGenerator, OpenAIChatGenerator
from podium.agent.testing import (
    FakeOpenAIServer,
    Fault,
    ScriptedChatGenerator,
    SlowSse,
    call,
    calls,
)
from podium.orchestration import AgentTool, Coordinator
from podium.tools import tool
from podium.tracing.testing import SpanRecorder

pytestmark = pytest.mark.anyio

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@pytest.fixture
def recorder() -> Iterator[SpanRecorder]:
    """Record a test's spans, and hold against them what holds of every trace."""
    with SpanRecorder() as recorder:
        yield recorder
    assert faults(recorder) == []


@tool
def lookup(q: str) -> str:
    """Look something up, in a worker thread."""
    return f"facts about {q}"


@tool
async def fetch(q: str) -> str:
    """Fetch something, on the loop."""
    await anyio.lowlevel.checkpoint()
    return f"page of {q}"


@tool
def broken() -> str:
    """Fail."""
    raise ConnectionError("nobody answers")


def an_agent(*turns: Any, name: str = "facts", **settings: Any) -> Agent:
    options: dict[str, Any] = {"tools": [lookup, fetch, broken], **settings}
    model = ScriptedChatGenerator(list(turns), usage=USAGE)
    return Agent(chat_generator=model, name=name, description=f"Knows {name}.", **options)


def lines(recorder: SpanRecorder, *attributes: str) -> list[str]:
    return recorder.tree(*attributes).splitlines()


async def test_a_plain_run(recorder: SpanRecorder) -> None:
    await an_agent("An ox.").run_async("What is it?")

    assert lines(recorder, "podium.stop.reason", "gen_ai.response.finish_reasons") == [
        "invoke_agent facts  podium.stop.reason=text",
        "  chat scripted  gen_ai.response.finish_reasons=('stop',)",
    ]


async def test_tools_on_the_loop_and_in_threads(recorder: SpanRecorder) -> None:
    asks = calls(call("lookup", q="a"), call("fetch", q="b"), call("lookup", q="c"))

    await an_agent(asks, "done").run_async("go")

    assert lines(recorder, "gen_ai.tool.call.id", "podium.step") == [
        "invoke_agent facts",
        "  chat scripted  podium.step=1",
        "  execute_tool lookup  gen_ai.tool.call.id=call_1_0  podium.step=1",
        "  execute_tool fetch  gen_ai.tool.call.id=call_1_1  podium.step=1",
        "  execute_tool lookup  gen_ai.tool.call.id=call_1_2  podium.step=1",
        "  chat scripted  podium.step=2",
    ]


async def test_parallel_specialists(recorder: SpanRecorder) -> None:
    team = Coordinator(
        chat_generator=ScriptedChatGenerator(
            [calls(call("one", task="x"), call("two", task="y")), "final"], usage=USAGE
        ),
        specialists=[an_agent("1", name="one"), an_agent("2", name="two")],
    )

    await team.run_async("go")

    assert lines(recorder, "podium.usage.total.total_tokens") == [
        "invoke_agent coordinator  podium.usage.total.total_tokens=440",
        "  chat scripted",
        "  hook before_tool RepeatedCallHook",
        "  execute_tool one one",
        "    invoke_agent one  podium.usage.total.total_tokens=110",
        "      chat scripted",
        "  execute_tool two two",
        "    invoke_agent two  podium.usage.total.total_tokens=110",
        "      chat scripted",
        "  chat scripted",
    ]


async def test_agents_nested_three_deep(recorder: SpanRecorder) -> None:
    low = an_agent(calls(call("lookup", q="a")), "low", name="low", tools=[lookup])
    middle = an_agent(calls(call("low", task="a")), "mid", name="mid", tools=[AgentTool(low)])
    top = an_agent(calls(call("mid", task="a")), "top", name="top", tools=[AgentTool(middle)])

    await top.run_async("go")

    assert lines(recorder, "podium.agent.depth") == [
        "invoke_agent top  podium.agent.depth=0",
        "  chat scripted",
        "  execute_tool mid mid",
        "    invoke_agent mid  podium.agent.depth=1",
        "      chat scripted",
        "      execute_tool low low",
        "        invoke_agent low  podium.agent.depth=2",
        "          chat scripted",
        "          execute_tool lookup",
        "          chat scripted",
        "      chat scripted",
        "  chat scripted",
    ]


async def test_a_stream_that_is_left_early(recorder: SpanRecorder) -> None:
    with FakeOpenAIServer([SlowSse(200, 0.02)]) as server:
        model = OpenAIChatGenerator(api_key="sk-test", api_base_url=server.base_url)
        async with Agent(chat_generator=model).stream("go") as run:
            async for event in run:
                if isinstance(event, TextDelta):
                    break

    assert lines(recorder, "podium.stop.reason") == [
        "invoke_agent agent  podium.stop.reason=cancelled",
        "  chat gpt-5-mini",
    ]
    assert "error.type" in (recorder.find("chat gpt-5-mini").attributes or {})
    assert not trace.get_current_span().get_span_context().is_valid


async def test_a_stream_that_is_read_to_its_end_knows_its_first_chunk(
    recorder: SpanRecorder,
) -> None:
    async with an_agent("one two three").stream("go") as run:
        _ = [event async for event in run]

    chat = recorder.find("chat scripted").attributes or {}
    assert chat["gen_ai.request.stream"] is True
    assert 0 <= float(str(chat["gen_ai.response.time_to_first_chunk"])) < 20


async def test_a_cancelled_run(recorder: SpanRecorder) -> None:
    has_begun = anyio.Event()

    @tool
    async def hang() -> str:
        """Never end."""
        has_begun.set()
        await anyio.sleep_forever()
        return ""

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(an_agent(calls(call("hang")), tools=[hang]).run_async, "go")
        await has_begun.wait()
        tasks.cancel_scope.cancel()

    assert lines(recorder, "podium.stop.reason") == [
        "invoke_agent facts  podium.stop.reason=cancelled",
        "  chat scripted",
        "  execute_tool hang",
    ]
    assert not recorder.find("execute_tool hang").status.is_ok


async def test_a_failing_tool(recorder: SpanRecorder) -> None:
    await an_agent(calls(call("broken"), call("lookup", q="a")), "sorry").run_async("go")

    assert lines(recorder, "error.type") == [
        "invoke_agent facts",
        "  chat scripted",
        "  execute_tool broken  error.type=ConnectionError",
        "  execute_tool lookup",
        "  chat scripted",
    ]


async def test_a_run_that_its_budget_stops(recorder: SpanRecorder) -> None:
    agent = an_agent(calls(call("lookup", q="a")), budget=Budget(requests=1))

    await agent.run_async("go")

    assert lines(
        recorder, "podium.stop.reason", "podium.stop.by", "podium.budget.requests.spent"
    ) == [
        "invoke_agent facts  podium.stop.reason=request_budget_exceeded  podium.stop.by=facts"
        "  podium.budget.requests.spent=1",
        "  chat scripted",
        "  execute_tool lookup",
    ]
    (event,) = recorder.find("invoke_agent facts").events
    assert (event.name, dict(event.attributes or {})) == (
        "podium.budget.denied",
        {
            "podium.budget.by": "facts",
            "podium.budget.what": "requests",
            "podium.budget.requests.limit": 1,
            "podium.budget.requests.spent": 1,
            "podium.budget.requests.held": 0,
        },
    )


async def test_a_run_with_a_budget_says_what_is_left_of_each_limit(recorder: SpanRecorder) -> None:
    agent = an_agent("An ox.", budget=Budget(total_tokens=5_000, requests=3))

    await agent.run_async("go")

    said = recorder.find("invoke_agent facts").attributes or {}
    assert {key: value for key, value in said.items() if key.startswith("podium.budget.")} == {
        "podium.budget.total_tokens.limit": 5_000,
        "podium.budget.total_tokens.spent": 110,
        "podium.budget.total_tokens.held": 0,
        "podium.budget.requests.limit": 3,
        "podium.budget.requests.spent": 1,
        "podium.budget.requests.held": 0,
    }


async def test_a_call_that_waits_for_room_says_for_whom_and_how_long(
    recorder: SpanRecorder,
) -> None:
    slow = Slow(["an answer", "an answer"], usage=USAGE)
    team = Coordinator(
        chat_generator=ScriptedChatGenerator(
            [calls(call("one", task="x"), call("two", task="y")), "final"], usage=USAGE
        ),
        specialists=[
            Agent(chat_generator=slow, name="one", description="One."),
            Agent(chat_generator=slow, name="two", description="Two."),
        ],
    )

    await team.run_async("go", budget=Budget(requests=6, total_tokens=1_500))

    waits = [
        dict(event.attributes or {})
        for span in recorder.spans
        for event in span.events
        if event.name == "podium.budget.wait"
    ]
    assert [one["podium.budget.by"] for one in waits] == ["coordinator"]
    assert waits[0]["podium.budget.what"] == "total_tokens"
    assert waits[0]["podium.budget.total_tokens.limit"] == 1_500
    assert float(str(waits[0]["podium.budget.waited_seconds"])) > 0


async def test_a_run_that_a_hook_stops(recorder: SpanRecorder) -> None:
    @hook
    def enough(state: State) -> None:
        state.set("stop_run", "enough")

    await an_agent(hooks={"before_llm": [enough]}).run_async("go")

    assert lines(recorder, "podium.stop.reason", "podium.hook.point") == [
        "invoke_agent facts  podium.stop.reason=enough",
        "  hook before_llm enough  podium.hook.point=before_llm",
    ]


async def test_retries_are_events_of_one_call(recorder: SpanRecorder) -> None:
    busy = Fault(429, headers={"retry-after-ms": "1"})
    with FakeOpenAIServer([busy, busy, "An ox."]) as server:
        model = OpenAIChatGenerator(api_key="sk-test", api_base_url=server.base_url, max_retries=2)
        await Agent(chat_generator=model).run_async("go")

    assert lines(recorder, "gen_ai.provider.name") == [
        "invoke_agent agent",
        "  chat gpt-5-mini  gen_ai.provider.name=openai",
    ]
    tries = [dict(event.attributes or {}) for event in recorder.find("chat gpt-5-mini").events]
    assert [(one["podium.retry.attempt"], one["error.type"]) for one in tries] == [
        (1, "429"),
        (2, "429"),
    ]
    assert all(float(str(one["podium.retry.delay_seconds"])) > 0 for one in tries)


class Slow(ScriptedChatGenerator):
    """Answers after a moment."""

    async def run_async(self, *args: Any, **kwargs: Any) -> dict[str, list[ChatMessage]]:
        await anyio.sleep(0.05)
        return await super().run_async(*args, **kwargs)


class Fallback:
    """Asks another model when the first one fails."""

    model = "first"

    def __init__(self, *models: ScriptedChatGenerator) -> None:
        self.first, self.second = models

    async def run_async(self, messages: Sequence[ChatMessage], **options: Any) -> Any:
        kwargs = await next_try(TimeoutError("too slow"), self.second)
        return await self.second.run_async(messages, **options, generation_kwargs=kwargs)


async def test_a_fallback_is_an_event_of_one_call(recorder: SpanRecorder) -> None:
    models = [ScriptedChatGenerator(turns, usage=USAGE) for turns in ([], ["An ox."])]

    await Agent(chat_generator=Fallback(*models), budget=Budget(requests=5)).run_async("go")

    assert lines(recorder, "gen_ai.response.model") == [
        "invoke_agent agent",
        "  chat first  gen_ai.response.model=scripted",
    ]
    (event,) = recorder.find("chat first").events
    assert dict(event.attributes or {}) == {
        "podium.retry.attempt": 1,
        "gen_ai.request.model": "first",
        "podium.fallback.model": "scripted",
        "error.type": "TimeoutError",
    }


async def test_retries_and_fallbacks_of_one_generator_are_told_apart(
    recorder: SpanRecorder,
) -> None:
    soon = {"retry-after-ms": "1"}
    with FakeOpenAIServer(route=lambda request: request.model) as server:
        server.script([Fault(503, "busy", soon), Fault(503, "down", soon)], key="first")
        server.script(["Here."], key="second")
        models = [
            OpenAIChatGenerator(
                api_key="sk-test", model=name, api_base_url=server.base_url, max_retries=1
            )
            for name in ("first", "second")
        ]
        await Agent(chat_generator=FallbackChatGenerator(models)).run_async("go")

    events = [
        (event.name, dict(event.attributes or {})) for event in recorder.find("chat first").events
    ]
    assert [name for name, _ in events] == ["podium.retry", "podium.fallback"]
    assert events[1][1]["podium.fallback.model"] == "second"


async def test_a_model_that_fails_for_good(recorder: SpanRecorder) -> None:
    with FakeOpenAIServer([Fault(400)]) as server:
        model = OpenAIChatGenerator(api_key="sk-test", api_base_url=server.base_url)
        with pytest.raises(ModelError):
            await Agent(chat_generator=model).run_async("go")

    assert lines(recorder, "error.type", "podium.stop.reason") == [
        "invoke_agent agent  error.type=ModelError  podium.stop.reason=error",
        "  chat gpt-5-mini  error.type=ModelError",
    ]


async def test_a_run_inside_a_span_of_the_application(recorder: SpanRecorder) -> None:
    with trace.get_tracer("an application").start_as_current_span("request"):
        await an_agent(calls(call("lookup", q="a")), "done").run_async("go")

    assert lines(recorder) == [
        "request",
        "  invoke_agent facts",
        "    chat scripted",
        "    execute_tool lookup",
        "    chat scripted",
    ]
