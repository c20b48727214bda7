"""A team against a provider over real HTTP: who is offered, whose hooks fire, what streams."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from podium.agent import (
    Agent,
    AgentFinished,
    AgentStarted,
    RunEvent,
    State,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    hook,
)
from podium.agent.hooks import HOOK_POINTS
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, Reply, SlowSse
from podium.orchestration import Coordinator
from podium.tools import ToolCall, tool

pytestmark = pytest.mark.anyio


@tool
def lookup(q: str) -> str:
    """Look something up."""
    return f"facts about {q}"


@pytest.fixture
def server() -> Any:
    with FakeOpenAIServer(route=lambda request: request.model) as server:
        yield server


def model(server: FakeOpenAIServer, name: str) -> OpenAIChatGenerator:
    return OpenAIChatGenerator(
        api_key="sk-test", model=name, api_base_url=server.base_url, max_retries=0
    )


def specialist(server: FakeOpenAIServer, name: str, **settings: Any) -> Agent:
    return Agent(
        chat_generator=model(server, name), name=name, description=f"Knows {name}.", **settings
    )


def delegates(*targets: str) -> Reply:
    return Reply(tool_calls=[ToolCall(name, {"task": "a"}, f"c-{name}") for name in targets])


async def test_all_specialists_are_offered_and_the_coordinator_is_not(
    server: FakeOpenAIServer,
) -> None:
    server.script([delegates("facts", "prices"), "final"], key="coordinator")
    server.script(["F"], key="facts")
    server.script(["P"], key="prices")
    team = Coordinator(
        chat_generator=model(server, "coordinator"),
        specialists=[specialist(server, "facts"), specialist(server, "prices")],
    )

    result = await team.run_async("go")

    first = next(one for one in server.requests if one.model == "coordinator")
    assert [one["function"]["name"] for one in first.tools] == ["facts", "prices"]
    answers = [one.text for message in result.messages for one in message.tool_call_results]
    assert answers == ["F", "P"]
    assert result.usage.total_tokens == server.usage_total.total_tokens


async def test_hooks_fire_for_the_agent_they_belong_to(server: FakeOpenAIServer) -> None:
    log: dict[str, list[str]] = {"coordinator": [], "facts": []}

    def hooks(agent: str) -> Any:
        def noting(point: str) -> Any:
            @hook
            def note(state: State) -> None:
                log[agent].append(point)

            return note

        return {point: [noting(point)] for point in HOOK_POINTS}

    server.script([delegates("facts"), "final"], key="coordinator")
    server.script([Reply(tool_calls=[ToolCall("lookup", {"q": "a"}, "s1")]), "ok"], key="facts")
    team = Coordinator(
        chat_generator=model(server, "coordinator"),
        specialists=[specialist(server, "facts", tools=[lookup], hooks=hooks("facts"))],
        hooks=hooks("coordinator"),
    )

    await team.run_async("go")

    order = ["before_run", "before_llm", "before_tool", "after_tool", "before_llm", "on_exit"]
    assert log == {"coordinator": [*order, "after_run"], "facts": [*order, "after_run"]}


async def test_a_specialists_text_comes_through_live_marked_and_once(
    server: FakeOpenAIServer,
) -> None:
    pieces = 2_000
    server.script([delegates("facts"), "final"], key="coordinator")
    server.script(
        [
            Reply(tool_calls=[ToolCall("lookup", {"q": "a"}, "s1")]),
            SlowSse(pieces=pieces, piece_seconds=0.0, text="word "),
        ],
        key="facts",
    )
    team = Coordinator(
        chat_generator=model(server, "coordinator"),
        specialists=[specialist(server, "facts", tools=[lookup])],
    )
    events: list[RunEvent] = []

    async with team.stream("go") as run:
        async for event in run:
            events.append(event)

    texts = [event for event in events if isinstance(event, TextDelta)]
    by_specialist = [event for event in texts if event.path == "coordinator/facts"]
    assert "".join(event.text for event in by_specialist) == "word " * pieces
    assert {(event.depth, event.cause) for event in by_specialist} == {(1, "c-facts")}
    assert texts.index(by_specialist[0]) == 0 and texts[-1].path == "coordinator"
    assert len(pickle.dumps(events)) < 2_000_000
    told = [
        f"{event.path} {type(event).__name__}"
        for event in events
        if isinstance(event, ToolCallStarted | ToolCallFinished | AgentStarted | AgentFinished)
    ]
    assert told == [
        "coordinator ToolCallStarted",
        "coordinator/facts AgentStarted",
        "coordinator/facts ToolCallStarted",
        "coordinator/facts ToolCallFinished",
        "coordinator/facts AgentFinished",
        "coordinator ToolCallFinished",
    ]
