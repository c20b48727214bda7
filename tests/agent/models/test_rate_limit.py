"""RateLimit: who waits for whom, and what it learns; on a clock that only waiting moves."""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from podium.agent import Agent, Budget
from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models import OpenAIChatGenerator, OpenAIResponsesChatGenerator, RateLimit
from podium.agent.models._rate_window import WINDOW_SECONDS
from podium.agent.testing import FakeOpenAIServer, Fault

pytestmark = pytest.mark.anyio

USAGE = {"prompt_tokens": 10, "completion_tokens": 40, "total_tokens": 50}


_read_here: ContextVar[float] = ContextVar("read_here")
"""What the clock showed this task last: other threads may have moved it on since then."""


class Clock:
    """A clock that goes on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        _read_here.set(self.now)
        return self.now

    async def sleep(self, seconds: float) -> None:
        await anyio.lowlevel.checkpoint()
        self.slept.append(seconds)
        self.now += seconds


def limited(clock: Clock, **limits: Any) -> RateLimit:
    return RateLimit(clock=clock, sleep=clock.sleep, **limits)


class Provider:
    """What is behind a limit: notes when each call was let go."""

    def __init__(self, clock: Clock, *, usage: Any = USAGE) -> None:
        self.clock = clock
        self.usage = usage
        self.arrivals: list[tuple[int, float]] = []
        self.errors: list[ModelError] = []

    async def ask(self, limit: RateLimit, number: int, prompt_tokens: int = 0) -> None:
        async def send() -> list[ChatMessage]:
            self.arrivals.append((number, _read_here.get(self.clock.now)))
            await anyio.lowlevel.checkpoint()
            if self.errors:
                raise self.errors.pop(0)
            return [ChatMessage.from_assistant("Hi", meta={"usage": self.usage})]

        await limit.keep(prompt_tokens, send)


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"requests_per_minute": 0},
        {"requests_per_minute": 5, "tokens_per_minute": -1},
        {"requests_per_minute": True},
        {"requests_per_minute": "5"},
        {"tokens_per_minute": 1.5},
        {"tokens_per_minute": float("nan")},
    ],
)
def test_a_limit_that_allows_nothing_or_all_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Give at least one of them, as a whole number from 1"):
        RateLimit(**limits)


async def test_calls_start_in_the_order_they_came_and_wait_for_the_minute() -> None:
    clock = Clock()
    limit, provider = limited(clock, requests_per_minute=2), Provider(clock)

    async with anyio.create_task_group() as group:
        for number in range(5):
            group.start_soon(provider.ask, limit, number)
            await anyio.lowlevel.checkpoint()

    assert provider.arrivals == [(0, 0.0), (1, 0.0), (2, 60.0), (3, 60.0), (4, 120.0)]
    assert clock.slept == [WINDOW_SECONDS, WINDOW_SECONDS]


async def test_tokens_count_by_estimate_first_and_then_as_the_provider_reports_them() -> None:
    clock = Clock()
    limit, provider = limited(clock, tokens_per_minute=1_000), Provider(clock)

    await provider.ask(limit, 0, prompt_tokens=400)  # 400 + 500 expected; 50 in truth
    await provider.ask(limit, 1, prompt_tokens=400)
    await provider.ask(limit, 2, prompt_tokens=900)

    assert [at for _, at in provider.arrivals] == [0.0, 0.0, 60.0]


async def test_a_call_without_usage_counts_by_its_estimate() -> None:
    clock = Clock()
    limit, provider = limited(clock, tokens_per_minute=1_000), Provider(clock, usage=None)

    await provider.ask(limit, 0, prompt_tokens=400)
    await provider.ask(limit, 1, prompt_tokens=400)

    assert [at for _, at in provider.arrivals] == [0.0, 60.0]


async def test_a_refusal_for_the_rate_makes_all_wait() -> None:
    clock = Clock()
    limit, provider = limited(clock, requests_per_minute=100), Provider(clock)
    provider.errors = [ModelError("busy", status=429, was_refused=True, retry_after_seconds=9)]

    with pytest.raises(ModelError, match="busy"):
        await provider.ask(limit, 0)
    await provider.ask(limit, 1)

    assert provider.arrivals[1] == (1, 9.0)


async def test_a_call_that_was_refused_uses_no_tokens() -> None:
    clock = Clock()
    limit, provider = limited(clock, tokens_per_minute=1_000), Provider(clock)
    provider.errors = [ModelError("no", status=400, was_refused=True)]

    with pytest.raises(ModelError, match="no"):
        await provider.ask(limit, 0, prompt_tokens=400)
    await provider.ask(limit, 1, prompt_tokens=400)

    assert provider.arrivals[1] == (1, 0.0)


async def test_a_call_that_broke_off_counts_by_its_estimate() -> None:
    clock = Clock()
    limit, provider = limited(clock, tokens_per_minute=1_000), Provider(clock)
    provider.errors = [ModelError("gone")]

    with pytest.raises(ModelError, match="gone"):
        await provider.ask(limit, 0, prompt_tokens=400)
    await provider.ask(limit, 1, prompt_tokens=400)

    assert provider.arrivals[1] == (1, 60.0)


async def test_one_that_gives_up_waiting_leaves_its_place_to_the_next() -> None:
    clock = Clock()
    holding = anyio.Event()

    async def hold(seconds: float) -> None:
        await holding.wait()
        await clock.sleep(seconds)

    limit, provider = RateLimit(requests_per_minute=1, clock=clock, sleep=hold), Provider(clock)
    await provider.ask(limit, 0)

    async with anyio.create_task_group() as group:
        group.start_soon(provider.ask, limit, 1)
        await anyio.wait_all_tasks_blocked()
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as others:
                others.start_soon(provider.ask, limit, 2)
                await anyio.wait_all_tasks_blocked()
                scope.cancel()
        group.start_soon(provider.ask, limit, 3)
        await anyio.wait_all_tasks_blocked()
        holding.set()

    assert [number for number, _ in provider.arrivals] == [0, 1, 3]


async def test_one_that_is_cancelled_while_it_is_first_leaves_the_line_open() -> None:
    clock = Clock()
    limit = RateLimit(requests_per_minute=1, clock=clock, sleep=lambda _: anyio.sleep_forever())
    provider = Provider(clock)
    await provider.ask(limit, 0)

    async with anyio.create_task_group() as group:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as others:
                others.start_soon(provider.ask, limit, 1)
                await anyio.wait_all_tasks_blocked()
                scope.cancel()
        clock.now = 60.0
        group.start_soon(provider.ask, limit, 2)

    assert provider.arrivals == [(0, 0.0), (2, 60.0)]


def test_threads_with_loops_of_their_own_share_one_line() -> None:
    clock = Clock()
    limit, provider = limited(clock, requests_per_minute=3), Provider(clock)

    async def ask_five(first: int) -> None:
        async with anyio.create_task_group() as group:
            for number in range(first, first + 5):
                group.start_soon(provider.ask, limit, number)

    threads = [
        threading.Thread(target=anyio.run, args=[ask_five, first]) for first in (0, 10, 20, 30)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)

    times = sorted(at for _, at in provider.arrivals)
    assert len(times) == 20
    assert all(times[place + 3] - times[place] >= WINDOW_SECONDS for place in range(17))


async def test_two_generators_share_the_limit_they_were_given() -> None:
    clock = Clock()
    limit = limited(clock, requests_per_minute=1)

    with FakeOpenAIServer(["Hi.", "Hello."]) as server:
        for kind in (OpenAIChatGenerator, OpenAIResponsesChatGenerator):
            model = kind(api_key="k", api_base_url=server.base_url, rate_limit=limit)
            await Agent(chat_generator=model).run_async("Hi")

    assert clock.slept == [pytest.approx(WINDOW_SECONDS)]


async def test_each_retry_is_a_request_of_its_own() -> None:
    clock = Clock()
    limit = limited(clock, requests_per_minute=1)

    with FakeOpenAIServer([Fault(500, headers={"retry-after": "0"}), "Hi."]) as server:
        model = OpenAIChatGenerator(api_key="k", api_base_url=server.base_url, rate_limit=limit)
        answer = await model.run_async("Hi")

    assert answer["replies"][0].text == "Hi."
    assert clock.slept == [pytest.approx(WINDOW_SECONDS)]


async def test_a_provider_that_refuses_for_the_rate_is_left_alone_for_as_long_as_it_says() -> None:
    clock = Clock()
    limit = limited(clock, requests_per_minute=60)

    with FakeOpenAIServer([Fault(429, headers={"retry-after-ms": "5"}), "Hi."]) as server:
        model = OpenAIChatGenerator(api_key="k", api_base_url=server.base_url, rate_limit=limit)
        await model.run_async("Hi")

    assert clock.slept == [pytest.approx(0.005)]


def test_a_limit_says_what_it_is() -> None:
    limit = RateLimit(tokens_per_minute=200_000)

    assert repr(limit) == "RateLimit(tokens_per_minute=200000)"
    assert limit.to_dict() == {"requests_per_minute": None, "tokens_per_minute": 200_000}


async def test_a_call_that_never_left_the_line_costs_nothing() -> None:
    async def for_ever(seconds: float) -> None:
        await anyio.sleep_forever()

    limit = RateLimit(requests_per_minute=1, sleep=for_ever)
    await Provider(Clock()).ask(limit, 0)

    with FakeOpenAIServer(["Hi."], strict=False) as server:
        model = OpenAIChatGenerator(api_key="k", api_base_url=server.base_url, rate_limit=limit)
        agent = Agent(chat_generator=model, budget=Budget(seconds=0.05, total_tokens=10_000))
        result = await agent.run_async("Hi")
        assert server.requests == []

    assert result.exit_reason == "time_budget_exceeded"
    assert (result.usage.requests, result.usage.complete) == (0, True)
