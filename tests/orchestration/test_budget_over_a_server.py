"""The promise over real HTTP: what a truthful provider counts is never more than the limit."""

from __future__ import annotations

import os
from collections.abc import Iterator

import anyio
import pytest

from podium.agent import Agent, Budget
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, RecordedRequest, Reply
from podium.orchestration import AgentTool, Coordinator
from podium.tools import ToolCall

pytestmark = pytest.mark.anyio

SIZES = [int(n) for n in os.environ.get("PODIUM_BUDGET_SIZES", "1 2 8 32").split()]
LIMIT = 6_000
SENTENCE = "The report names the cause, the cost and what is to be done about it next. "
ALLOTMENTS = {
    "shared": None,
    "capped": Budget(total_tokens=900),
    "granted": Budget.grant(total_tokens=900),
    "a fraction": Budget.fraction(0.25),
    "fair": Budget.fair(),
}


def answer(request: RecordedRequest) -> Reply:
    """Let the coordinator, whose task says how many, ask so many; let the others write."""
    said = str(request.messages[-1]["content"])
    length = sum(map(ord, said)) % 40  # some are short, some will be cut
    if request.tools and said.isdecimal():
        asks = [
            ToolCall("worker", {"task": f"Find part {n} of the answer."}, f"c{n}")
            for n in range(int(said))
        ]
        return Reply(tool_calls=asks, delay_seconds=0.001)
    return Reply(SENTENCE * (length + 1), delay_seconds=length / 2_000)


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer(responder=answer) as server:
        yield server


def team(server: FakeOpenAIServer, count: int, allotment: Budget | None) -> Coordinator:
    model = OpenAIChatGenerator(api_key="sk-test", model="m", api_base_url=server.base_url)
    worker = Agent(chat_generator=model, name="worker", description="Finds a part.")
    return Coordinator(
        chat_generator=model,
        specialists=[AgentTool(worker, budget=allotment, max_calls=count)],
        tool_concurrency_limit=count,
    )


@pytest.mark.parametrize("strict", [False, True], ids=["estimated", "strict"])
@pytest.mark.parametrize("allotment", ALLOTMENTS.values(), ids=ALLOTMENTS)
@pytest.mark.parametrize("count", SIZES)
async def test_what_the_provider_counts_is_what_is_reported_and_within_the_limit(
    server: FakeOpenAIServer, count: int, allotment: Budget | None, strict: bool
) -> None:
    coordinator = team(server, count, allotment)

    with anyio.fail_after(60):
        result = await coordinator.run_async(
            str(count), budget=Budget(total_tokens=LIMIT, strict=strict)
        )

    counted = server.usage_total
    assert result.usage.total_tokens == counted.total_tokens <= LIMIT
    assert result.usage.requests == counted.requests
    assert result["token_usage"]["total_tokens"] == counted.total_tokens
    assert sum(node.own.total_tokens for node in result.usage_tree.walk()) == counted.total_tokens
