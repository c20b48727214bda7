"""Reported faults of traces: lost parents, spans left open, values too large, broken exporters."""

from __future__ import annotations

import gc
import logging
import re
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from tree_invariants import faults

from podium.agent import Agent
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, ScriptedChatGenerator, Sse, call, calls
from podium.orchestration import AgentTool
from podium.tools import tool
from podium.tracing import setup_tracing
from podium.tracing.testing import SpanRecorder

pytestmark = pytest.mark.anyio

caller: ContextVar[str] = ContextVar("caller", default="nobody")


@tool
def one(n: int) -> str:
    """Sync tool."""
    return f"one-{n} for {caller.get()}"


@tool
async def two(n: int) -> str:
    """Async tool."""
    return f"two-{n} for {caller.get()}"


@tool
def lookup(q: str) -> str:
    """Look something up."""
    return f"facts about {q}"


def an_agent(*turns: Any, **settings: Any) -> Agent:
    options: dict[str, Any] = {"tools": [one, two], **settings}
    return Agent(chat_generator=ScriptedChatGenerator(list(turns)), **options)


async def test_c158_parallel_tools_stand_side_by_side_below_the_callers_span() -> None:
    asks = calls(call("one", n=1), call("one", n=2), call("two", n=3))
    caller.set("ann")

    with SpanRecorder() as recorder, trace.get_tracer("app").start_as_current_span("request"):
        result = await an_agent(asks, "done").run_async("go")

    assert recorder.tree().splitlines() == [
        "request",
        "  invoke_agent agent",
        "    chat scripted",
        "    execute_tool one",
        "    execute_tool one",
        "    execute_tool two",
        "    chat scripted",
    ]
    assert faults(recorder) == []
    said = [message.tool_call_result for message in result.messages if message.tool_call_result]
    assert [each.text.partition(" for ")[2] for each in said] == ["ann"] * 3


async def test_c159_each_specialists_spans_hang_below_the_call_that_started_it() -> None:
    with FakeOpenAIServer(route=lambda request: request.first_user_text) as server:
        asks = calls(call("facts", task="a"), call("facts", task="b"))
        server.script([asks, "final"], key="go")
        server.script([calls(call("lookup", q="a")), "a"], key="a")
        server.script([calls(call("lookup", q="b")), "b"], key="b")
        specialist = Agent(
            chat_generator=_model(server), name="facts", description="Facts.", tools=[lookup]
        )
        team = Agent(
            chat_generator=_model(server), name="coordinator", tools=[AgentTool(specialist)]
        )
        with SpanRecorder() as recorder:
            await team.run_async("go")

    delegation = [
        "  execute_tool facts facts",
        "    invoke_agent facts",
        "      chat gpt-5-mini",
        "      execute_tool lookup",
        "      chat gpt-5-mini",
    ]
    assert recorder.tree().splitlines() == [
        "invoke_agent coordinator",
        "  chat gpt-5-mini",
        *delegation,
        *delegation,
        "  chat gpt-5-mini",
    ]
    assert faults(recorder) == []


def _model(server: FakeOpenAIServer) -> OpenAIChatGenerator:
    return OpenAIChatGenerator(api_key="sk-test", api_base_url=server.base_url)


async def test_c160_a_stream_left_early_detaches_nothing_it_did_not_attach(
    caplog: pytest.LogCaptureFixture,
) -> None:
    words = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": f"w{number} "}}]}
        for number in range(20)
    ]
    before = trace.get_current_span()

    with caplog.at_level(logging.DEBUG), SpanRecorder() as recorder:
        with FakeOpenAIServer([Sse(words)], strict=False) as server:
            async with Agent(chat_generator=_model(server)).stream("go") as run:
                _ = [await anext(run) for _ in range(3)]
            del run
            gc.collect()
            await anyio.sleep(0.1)

    assert trace.get_current_span() is before
    assert faults(recorder) == []
    assert "Failed to detach context" not in caplog.text
    assert "different Context" not in caplog.text


async def test_c164_a_huge_result_is_cut_on_a_character_and_marked() -> None:
    @tool
    def big(n: int) -> str:
        """Return a lot."""
        return "é" * 6_000_000

    with (
        SpanRecorder() as recorder,
        setup_tracing(span_processor=SpanProcessor(), capture_content=True),
    ):
        result = await an_agent(calls(call("big", n=1)), "done", tools=[big]).run_async("go")

    span = recorder.find("execute_tool big")
    shown = str((span.attributes or {})["gen_ai.tool.call.result"])
    assert len(span.to_json().encode()) < 1_000_000
    assert shown.startswith("éééé")
    assert re.search(r"é… \[cut: [\d,]+ bytes\]$", shown)
    assert "\ufffd" not in shown
    assert len(span.attributes or {}) <= 128
    (answer,) = [one for one in result.messages if one.tool_call_result]
    assert answer.tool_call_result is not None
    assert len(answer.tool_call_result.text) > 500_000  # as much as any tool may say


class Raising(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        raise ConnectionError("nobody answers")


class Slow(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        time.sleep(5)
        return SpanExportResult.SUCCESS


@pytest.mark.parametrize("exporter", [Raising(), Slow()], ids=["raising", "slow"])
async def test_c165_a_broken_exporter_neither_fails_nor_holds_up_a_run(
    exporter: SpanExporter,
) -> None:
    handle = setup_tracing(span_processor=BatchSpanProcessor(exporter, schedule_delay_millis=10))
    started = time.monotonic()

    result = await an_agent(calls(call("one", n=1)), "done").run_async("go")

    took = time.monotonic() - started
    handle.close(timeout_seconds=0.1)
    assert result.text == "done"
    assert took < 1.5


HOSTILE = """
import logging
from opentelemetry import trace

class Hostile(trace.TracerProvider, trace.Tracer, trace.Span):
    def __init__(self): pass
    def get_tracer(self, *args, **kwargs): return self
    def start_span(self, *args, **kwargs): {start}
    def start_as_current_span(self, *args, **kwargs): raise RuntimeError("start")
    def fail(self, *args, **kwargs): raise RuntimeError("fail")
    end = get_span_context = set_attributes = set_attribute = add_event = fail
    update_name = set_status = record_exception = fail
    def is_recording(self): return True

trace.set_tracer_provider(Hostile())
lines = []
class Count(logging.Handler):
    def emit(self, record): lines.append(record.getMessage())
logging.getLogger().addHandler(Count())

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

@tool
def one(n: int) -> str:
    "Sync tool."
    return f"one-{{n}}"

turns = [calls(call("one", n=number)) for number in range(10)]
result = Agent(chat_generator=ScriptedChatGenerator([*turns, "done"]), tools=[one]).run("go")
print(result.text, len(lines) < 10)
"""


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("start", ["return self", "raise RuntimeError('start')"])
async def test_c166_a_tracer_whose_methods_raise_does_not_change_a_run(
    start: str, run_python: Callable[..., str]
) -> None:
    assert run_python("-c", HOSTILE.format(start=start)).split() == ["done", "True"]


class Broken(SpanProcessor):
    """Fails at every moment that it has."""

    def on_start(self, span: Span, parent_context: object = None) -> None:
        raise RuntimeError("start")

    def on_end(self, span: ReadableSpan) -> None:
        raise RuntimeError("end")


async def test_c166_a_tracer_that_raises_does_not_change_a_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    agent = an_agent(calls(call("one", n=1)), "done")

    with setup_tracing(span_processor=Broken()):
        result = await agent.run_async("go")

    assert result.text == "done"
    assert len(caplog.records) <= 3
