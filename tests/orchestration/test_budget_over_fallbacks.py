"""The promise with providers that fail: a team on fallbacks between two APIs keeps to its limit."""

from __future__ import annotations

from collections.abc import Iterator

import anyio
import pytest

from podium.agent import Agent, Budget
from podium.agent.models import (
    FallbackChatGenerator,
    OpenAIChatGenerator,
    OpenAIResponsesChatGenerator,
    RateLimit,
)
from podium.agent.testing import Drop, FakeOpenAIServer, Fault, RecordedRequest, Reply
from podium.orchestration import AgentTool, Coordinator
from podium.tools import ToolCall

pytestmark = pytest.mark.anyio

LIMIT = 9_000
SOON = {"retry-after-ms": "1"}
SENTENCE = "The report names the cause, the cost and what is to be done about it next. "


def answer(request: RecordedRequest) -> Reply | Fault | Drop:
    """Fail in every way with the first model; let the coordinator ask, and the others write."""
    said = str(request.messages[-1]["content"])
    if request.model == "large":
        failures = (Fault(429, headers=SOON), Fault(502, headers=SOON), Fault(503), Drop())
        return failures[sum(map(ord, said)) % len(failures)]
    if request.tools and said.isdecimal():
        asks = [ToolCall("worker", {"task": f"Find part {n}."}, f"c{n}") for n in range(int(said))]
        return Reply(tool_calls=asks)
    return Reply(SENTENCE * (sum(map(ord, said)) % 40 + 1))


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer(responder=answer) as server:
        yield server


@pytest.mark.parametrize("count", [1, 4, 16])
@pytest.mark.parametrize("is_turned", [False, True], ids=["chat first", "responses first"])
async def test_what_the_provider_counts_is_within_the_limit_whatever_fails(
    server: FakeOpenAIServer, count: int, is_turned: bool
) -> None:
    kinds = [OpenAIChatGenerator, OpenAIResponsesChatGenerator][:: -1 if is_turned else 1]
    limit = RateLimit(requests_per_minute=10_000)
    models = [
        kind(
            api_key="sk-test",
            model=name,
            api_base_url=server.base_url,
            max_retries=1,
            rate_limit=limit,
            generation_kwargs={"max_tokens": 600},
        )
        for kind, name in zip(kinds, ("large", "small"), strict=True)
    ]
    worker = Agent(
        chat_generator=FallbackChatGenerator(models), name="worker", description="Finds a part."
    )
    coordinator = Coordinator(
        chat_generator=models[1],
        specialists=[AgentTool(worker, max_calls=count)],
        tool_concurrency_limit=count,
    )

    with anyio.fail_after(60):
        result = await coordinator.run_async(str(count), budget=Budget(total_tokens=LIMIT))

    # An answer that was lost on its way is counted there, and charged here without being known.
    assert result.usage.total_tokens <= server.usage_total.total_tokens <= LIMIT
    assert not result.stop.overdraft
    assert result.exit_reason in {"text", "token_budget_exceeded"}
