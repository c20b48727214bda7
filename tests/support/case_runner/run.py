"""Running a case: what came of it, as facts that expectations can be held against."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio

from case_runner.build import (
    Executed,
    initial_state,
    is_stream,
    nested_agent,
    route,
    single_agent,
    tools_of,
)
from case_runner.case_file import Case
from podium.agent import Agent, AgentResult, ChatMessage
from podium.agent.models._openai.history import messages_from_openai
from podium.agent.testing import FakeOpenAIServer, RecordedRequest
from podium.tools import Tool


@dataclass(slots=True)
class Outcome:
    """What came of a case."""

    result: AgentResult | None = None
    error: BaseException | None = None
    phase: str = "build"
    """Where it was when an error came: build or run."""
    requests: list[RecordedRequest] = field(default_factory=list[RecordedRequest])
    executed: Executed = field(default_factory=list[tuple[str, dict[str, Any]]])
    hook_log: list[str] = field(default_factory=list[str])
    tool: Tool | None = None
    called: str = ""
    """The text a tool gave when it was called by itself."""
    seconds: float = 0.0

    @property
    def messages(self) -> list[ChatMessage]:
        """The conversation of the result, or what the error carries of it."""
        partial = self.result if self.result is not None else getattr(self.error, "partial", None)
        return partial.messages if isinstance(partial, AgentResult) else []

    @property
    def text(self) -> str:
        """The final text; empty after an error."""
        return self.result.text if self.result is not None else ""

    def requests_of(self, agent: str | None = None) -> list[dict[str, Any]]:
        """Return the bodies one agent sent, or all."""
        return [one.body for one in self.requests if agent is None or one.model == agent]


async def run_case(case: Case) -> Outcome:
    """Run a case over a fake provider and return what came of it; its errors are part of that."""
    outcome = Outcome()
    started = time.monotonic()
    try:
        if case.kind == "schema":
            await _call_tool(case, outcome)
        else:
            async with FakeOpenAIServer(route=route(case.input), strict=False) as server:
                try:
                    await _run_agent(case.input, server, outcome)
                finally:
                    outcome.requests = list(server.requests)
    except Exception as error:
        outcome.error = error
    outcome.seconds = time.monotonic() - started
    return outcome


async def _run_agent(data: Mapping[str, Any], server: FakeOpenAIServer, outcome: Outcome) -> None:
    agent: Agent = (
        nested_agent(data, server, outcome.executed)
        if "agents" in data
        else single_agent(data, server, outcome.executed, outcome.hook_log)
    )
    outcome.phase = "run"
    messages = messages_from_openai(data.get("messages", [{"role": "user", "content": "go"}]))
    inputs = {**initial_state(data), **_known_variables(agent, data)}
    with anyio.fail_after(30):
        if any(is_stream(answer) for answer in (data, *data.get("turns", []))):
            async with agent.stream(messages, **inputs) as run:
                async for _ in run:
                    pass
            outcome.result = run.result
        else:
            outcome.result = await agent.run_async(messages, **inputs)


def _known_variables(agent: Agent, data: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in data.get("variables", {}).items() if k in agent.variables}


async def _call_tool(case: Case, outcome: Outcome) -> None:
    outcome.tool = tools_of(case.input, [case.input["tool"]], outcome.executed)[0]
    outcome.phase = "run"
    if "call" in case.expect:
        value = await outcome.tool.invoke_async(**case.expect["call"]["arguments"])
        content = outcome.tool.result_content(value)
        outcome.called = content if isinstance(content, str) else str(content)
