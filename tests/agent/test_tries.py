"""Model calls that are made again: what each try costs, and when there is none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.agent import Agent, Budget, ModelError, StreamingChunk, current_account
from podium.agent.hooks import hook
from podium.agent.models import OpenAIChatGenerator
from podium.agent.models._openai.retries import retry_after_seconds, seconds_to_wait
from podium.agent.testing import FakeOpenAIServer, Fault, Reply, Sse
from podium.tools import State

SOON = {"retry-after-ms": "1"}
GATEWAY = Fault(502, "bad gateway", SOON)
"""A failure behind which the work may have been done."""
OVERLOADED = Fault(503, "overloaded", SOON)
"""A failure that surely costs nothing."""


def agent_on(server: FakeOpenAIServer, budget: Budget | None = None, **settings: Any) -> Agent:
    generator = OpenAIChatGenerator(
        api_key="sk-test",
        model="desk",
        api_base_url=server.base_url,
        max_retries=3,
        generation_kwargs={"max_tokens": 100},
    )
    return Agent(chat_generator=generator, budget=budget, **settings)


@pytest.mark.anyio
async def test_a_try_that_may_have_done_work_is_paid_for(openai_server: FakeOpenAIServer) -> None:
    openai_server.script([GATEWAY, Reply("done", usage={"total_tokens": 40})])
    spent: list[int] = []

    @hook
    def look(state: State) -> None:
        view = current_account().budget
        assert view is not None
        spent.append(view.total_tokens_spent)

    agent = agent_on(openai_server, Budget(total_tokens=5_000), hooks={"after_run": [look]})
    result = await agent.run_async("go")

    assert (result.text, result.usage.requests, result.usage.complete) == ("done", 2, False)
    assert spent[0] >= 40 + 100  # what the second used, and all that the first could have


@pytest.mark.anyio
async def test_tries_count_as_requests_of_the_budget(openai_server: FakeOpenAIServer) -> None:
    openai_server.script([GATEWAY, GATEWAY])

    result = await agent_on(openai_server, Budget(requests=2)).run_async("go")

    assert result.exit_reason == "request_budget_exceeded"
    assert (result.stop.spent, result.usage.requests) == (2, 2)


@pytest.mark.anyio
async def test_a_try_that_surely_did_no_work_is_free(openai_server: FakeOpenAIServer) -> None:
    openai_server.script([OVERLOADED, OVERLOADED, Reply("done")])

    result = await agent_on(openai_server, Budget(requests=1)).run_async("go")

    assert (result.text, result.usage.requests) == ("done", 1)


@pytest.mark.anyio
async def test_a_call_that_failed_for_good_is_counted_as_far_as_it_is_known(
    openai_server: FakeOpenAIServer,
) -> None:
    openai_server.script([GATEWAY] * 4)

    with pytest.raises(ModelError, match="status 502") as caught:
        await agent_on(openai_server).run_async("go")

    assert caught.value.partial is not None
    usage = caught.value.partial.usage
    assert (usage.requests, usage.total_tokens, usage.complete) == (4, 0, False)
    assert "It was tried 4 times." in caught.value.__notes__


@pytest.mark.anyio
async def test_what_was_shown_already_is_not_asked_for_again(
    openai_server: FakeOpenAIServer,
) -> None:
    said = {"id": "x", "choices": [{"index": 0, "delta": {"content": "Once"}}]}
    openai_server.script([Sse([said], done=False)])
    shown: list[str] = []

    def show(chunk: StreamingChunk) -> None:
        shown.append(chunk.content)

    with pytest.raises(ModelError, match="ended early"):
        await agent_on(openai_server).run_async("go", streaming_callback=show)

    assert "".join(shown) == "Once"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after-ms": "soon", "retry-after": "3"}, 3.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "later"}, None),
        ({}, None),
    ],
)
def test_a_provider_says_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers) == seconds


@given(tried=st.integers(0, 10_000))
def test_waits_grow_up_to_eight_seconds(tried: int) -> None:
    wait = seconds_to_wait(ModelError("busy", is_retryable=True), tried)

    assert wait is not None
    assert 0.375 <= wait <= 8.0


@pytest.mark.parametrize(
    ("error", "wait"),
    [
        (ModelError("no such model", status=404), None),
        (ModelError("busy", is_retryable=True, retry_after_seconds=7.0), 7.0),
        (ModelError("closed today", is_retryable=True, retry_after_seconds=3_600.0), None),
    ],
    ids=["not worth it", "as it says", "too long to wait"],
)
def test_not_every_failure_is_tried_again(error: ModelError, wait: float | None) -> None:
    assert seconds_to_wait(error, 0) == wait
