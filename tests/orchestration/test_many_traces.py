"""A thousand runs at the same time: each has a tree of its own, and nobody's spans are in it."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from tree_invariants import faults, traces_of

from podium.agent import Agent, ChatMessage
from podium.orchestration import AgentTool
from podium.tools import ToolCall, tool
from podium.tracing.testing import SpanRecorder

pytestmark = pytest.mark.anyio

RUNS = 1_000
USAGE = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}


class Asks:
    """A model that calls one tool with the question it was asked, and then repeats the result."""

    model = "echo"

    def __init__(self, tool_name: str, parameter: str) -> None:
        self.tool_name, self.parameter = tool_name, parameter

    async def run_async(self, messages: list[ChatMessage], **options: Any) -> dict[str, Any]:
        await anyio.lowlevel.checkpoint()
        result, meta = messages[-1].tool_call_result, {"usage": USAGE, "finish_reason": "stop"}
        if result is not None:
            return {"replies": [ChatMessage.from_assistant(result.text, meta=meta)]}
        asked = {self.parameter: messages[-1].text}
        ask = ToolCall(self.tool_name, asked, f"{messages[-1].text}-{self.tool_name}")
        return {"replies": [ChatMessage.from_assistant(tool_calls=[ask], meta=meta)]}


@tool
async def look(q: str) -> str:
    """Look something up."""
    await anyio.lowlevel.checkpoint()
    return f"found {q}"


async def test_a_thousand_interleaved_runs_make_a_thousand_trees() -> None:
    facts = Agent(chat_generator=Asks("look", "q"), name="facts", description="F.", tools=[look])
    lead = Agent(chat_generator=Asks("facts", "task"), name="lead", tools=[AgentTool(facts)])
    found: dict[str, str | None] = {}

    async def run(number: int) -> None:
        result = await lead.run_async(f"task-{number}")
        found[f"task-{number}"] = result.trace_id

    with SpanRecorder() as recorder:
        async with anyio.create_task_group() as group:
            for number in range(RUNS):
                group.start_soon(run, number)

    traces = traces_of(recorder.spans)
    assert faults(recorder) == []
    assert len(traces) == len(set(found.values())) == RUNS
    assert {len(spans) for spans in traces} == {8}
    assert {calls_of(spans) for spans in traces} == {
        (f"{task}-facts", f"{task}-look", trace_id) for task, trace_id in found.items()
    }


def calls_of(spans: list[Any]) -> tuple[str, ...]:
    """Return the ids of the tool calls in a trace, outermost first, and the trace's own id."""
    ids = [str(span.attributes["gen_ai.tool.call.id"]) for span in spans if "tool" in span.name]
    return (*ids, f"{spans[0].context.trace_id:032x}")
