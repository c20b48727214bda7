"""Fallbacks within a run: each try has room of its own, at its model's price, and is counted."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from podium.agent import Agent, Budget, ModelError
from podium.agent.models import (
    ChatGenerator,
    FallbackChatGenerator,
    OpenAIChatGenerator,
    OpenAIResponsesChatGenerator,
)
from podium.agent.prices import FixedPrices, ModelPrice
from podium.agent.testing import Drop, FakeOpenAIServer, Fault, Reply, ScriptedChatGenerator
from podium.tools import tool

pytestmark = pytest.mark.anyio

GATEWAY = Fault(502, "bad gateway")
"""A failure behind which the work may have been done."""
OVERLOADED = Fault(503, "overloaded")
"""A failure that surely costs nothing."""
DEAR = ModelPrice(input_per_million=Decimal(100), output_per_million=Decimal(100))
CHEAP = ModelPrice(input_per_million=Decimal(1), output_per_million=Decimal(1))


@pytest.fixture
def server() -> Any:
    with FakeOpenAIServer(route=lambda request: request.model) as server:
        yield server


def fallback(server: FakeOpenAIServer, **first_settings: Any) -> FallbackChatGenerator:
    """Return a fallback from a model of the chat API to one of the responses API."""
    settings: dict[str, Any] = {"api_key": "k", "api_base_url": server.base_url, "max_retries": 0}
    first = OpenAIChatGenerator(model="large", **{**settings, **first_settings})
    return FallbackChatGenerator([first, OpenAIResponsesChatGenerator(model="small", **settings)])


@tool
def look(at: str) -> str:
    """Look at it."""
    return f"{at} is red"


async def test_the_usage_tree_shows_the_model_that_answered(server: FakeOpenAIServer) -> None:
    server.script([OVERLOADED], key="large")
    server.script(["Hi."], key="small")

    result = await Agent(chat_generator=fallback(server)).run_async("Hello")

    assert result.text == "Hi."
    assert [(call.model, call.usage.requests) for call in result.usage_tree.calls] == [("small", 1)]
    assert result["last_message"].meta["model"] == "small"
    assert result["last_message"].meta["fallback"]["failed"][0]["model"] == "large"


async def test_a_failed_try_that_may_have_cost_is_counted_and_charged(
    server: FakeOpenAIServer,
) -> None:
    server.script([GATEWAY], key="large")
    server.script([Reply("Hi.", usage={"input_tokens": 10, "output_tokens": 5})], key="small")
    agent = Agent(
        chat_generator=fallback(server, generation_kwargs={"max_tokens": 100}),
        budget=Budget(total_tokens=5_000, requests=2),
    )

    result = await agent.run_async("Hello")

    assert {call.model: call.usage.requests for call in result.usage_tree.calls} == {
        "large": 1,
        "small": 1,
    }
    assert (result.usage.total_tokens, result.usage.complete) == (15, False)


async def test_without_room_for_another_try_the_run_ends_by_its_budget(
    server: FakeOpenAIServer,
) -> None:
    server.script([GATEWAY], key="large")

    result = await Agent(chat_generator=fallback(server), budget=Budget(requests=1)).run_async("Hi")

    assert result.exit_reason == "request_budget_exceeded"
    assert (result.stop.spent, result.stop.limit) == (1, 1)


async def test_each_model_gets_its_cap_in_its_own_words(server: FakeOpenAIServer) -> None:
    server.script([OVERLOADED], key="large")
    server.script(["word " * 2_000], key="small")

    agent = Agent(chat_generator=fallback(server), budget=Budget(total_tokens=500))
    result = await agent.run_async("Tell me.")

    first, second = server.requests
    assert 0 < first.body["max_tokens"] == second.body["max_output_tokens"] < 500
    assert "max_tokens" not in second.body
    assert result.exit_reason == "token_budget_exceeded"
    assert result.usage.total_tokens <= 500


async def test_each_model_costs_its_own_price(server: FakeOpenAIServer) -> None:
    usage = {"input_tokens": 1_000_000, "output_tokens": 0}
    server.script([OVERLOADED], key="large")
    server.script([Reply("Hi.", usage=usage)], key="small")
    prices = FixedPrices({"large": DEAR, "small": CHEAP})

    agent = Agent(chat_generator=fallback(server), budget=Budget(prices=prices, cost_usd=500))
    result = await agent.run_async("Hello")

    assert result.cost == 1


async def test_a_cost_limit_needs_the_price_of_every_model(server: FakeOpenAIServer) -> None:
    budget = Budget(cost_usd=1, prices=FixedPrices({"large": DEAR}))

    with pytest.raises(ValueError, match="the price of its model 'small' is not known"):
        await Agent(chat_generator=fallback(server), budget=budget).run_async("Hello")


async def test_a_strict_budget_needs_models_that_can_all_be_capped() -> None:
    class Endless:
        async def run_async(self, messages: Any) -> dict[str, Any]:
            raise AssertionError("is not asked")

    generators: list[ChatGenerator] = [OpenAIChatGenerator(api_key="k"), Endless()]
    agent = Agent(
        chat_generator=FallbackChatGenerator(generators),
        budget=Budget(total_tokens=1_000, strict=True),
    )

    with pytest.raises(ValueError, match="Endless cannot limit its output"):
        await agent.run_async("Hello")


async def test_retries_of_a_generator_come_before_the_fallback(server: FakeOpenAIServer) -> None:
    again = Fault(503, headers={"retry-after-ms": "1"})
    server.script([again, again], key="large")
    server.script(["Hi."], key="small")

    agent = Agent(chat_generator=fallback(server, max_retries=1), budget=Budget(requests=1))
    result = await agent.run_async("Hello")

    assert [request.model for request in server.requests] == ["large", "large", "small"]
    assert (result.text, result.usage.requests) == ("Hi.", 1)


async def test_a_conversation_may_change_its_api_between_two_steps(
    server: FakeOpenAIServer,
) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":"a"}'}}
    message = {"role": "assistant", "reasoning_content": "I look.", "tool_calls": [call]}
    server.script([OVERLOADED, "It is red."], key="large")
    server.script([Reply(message=message)], key="small")

    agent = Agent(chat_generator=fallback(server), tools=[look])
    result = await agent.run_async("What colour is a?")

    assert result.text == "It is red."
    assert [message["role"] for message in server.requests[-1].messages] == [
        "user",
        "assistant",
        "tool",
    ]


async def test_after_the_first_chunk_the_failure_is_the_runs(server: FakeOpenAIServer) -> None:
    server.script([Drop(400, Reply("one two three four five six"))], key="large")
    heard: list[str] = []

    with pytest.raises(ModelError, match="ended early") as caught:
        await Agent(chat_generator=fallback(server)).run_async(
            "Count.", streaming_callback=lambda chunk: heard.append(chunk.content)
        )

    assert "".join(heard) == caught.value.partial_text != ""
    assert len(server.requests) == 1


async def test_when_all_fail_the_error_has_what_the_run_had() -> None:
    down = [ScriptedChatGenerator([ConnectionError("cut off")]) for _ in range(2)]

    with pytest.raises(ModelError, match="None of the 2 generators") as caught:
        await Agent(chat_generator=FallbackChatGenerator(down)).run_async("Hello")

    assert caught.value.partial is not None
    assert caught.value.partial.usage.requests == 2


async def test_a_budget_that_ends_within_a_fallback_is_an_ending_whatever_on_says() -> None:
    down = [ScriptedChatGenerator([ConnectionError("down")]) for _ in range(2)]
    inner = FallbackChatGenerator(down, on=Exception)
    agent = Agent(chat_generator=FallbackChatGenerator([inner], on=Exception))

    result = await agent.run_async("Hello", budget=Budget(requests=1))

    assert result.exit_reason == "request_budget_exceeded"
    assert result.usage.requests == 1
