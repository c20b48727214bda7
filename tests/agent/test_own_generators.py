"""Chat generators of one's own: blocking or async, streaming or not, with one reply or several."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import anyio.lowlevel
import pytest

from podium.agent import Agent, AgentError, ChatMessage, StreamingChunk
from podium.tools import Tool, tool

pytestmark = pytest.mark.anyio


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"{word} is a word"


class Blocking:
    """A generator that only has the blocking form."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self.options: list[dict[str, Any]] = []

    def run(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] | None = None,
        streaming_callback: Any = None,
        **options: Any,
    ) -> dict[str, Any]:
        self.threads.append(threading.current_thread())
        self.options.append({"tools": tools, **options})
        if streaming_callback is not None:
            streaming_callback(StreamingChunk("one "))
            streaming_callback(StreamingChunk("two"))
        return {"replies": [ChatMessage.from_assistant("one two")]}


class Replying:
    """A generator that answers with whatever it was given."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    async def run_async(self, messages: Sequence[ChatMessage]) -> Any:
        await anyio.lowlevel.checkpoint()
        return self.answer


async def test_a_blocking_generator_runs_in_a_worker_thread() -> None:
    model = Blocking()

    result = await Agent(chat_generator=model).run_async("go")

    assert result.text == "one two"
    assert model.threads[0] is not threading.current_thread()


async def test_a_generator_is_only_told_what_there_is_to_say() -> None:
    model = Blocking()
    agent = Agent(chat_generator=model, tools=[look_up])

    await agent.run_async("go", tools=[])
    await agent.run_async("go", generation_kwargs={"temperature": 0})

    assert model.options == [
        {"tools": None},
        {"tools": [look_up], "generation_kwargs": {"temperature": 0}},
    ]


async def test_a_blocking_generators_chunks_reach_a_plain_callback() -> None:
    chunks: list[StreamingChunk] = []

    await Agent(chat_generator=Blocking()).run_async("go", chunks.append)

    assert [chunk.content for chunk in chunks] == ["one ", "two"]


async def test_a_blocking_generators_chunks_reach_an_async_callback() -> None:
    seen: list[tuple[str, bool]] = []
    here = threading.current_thread()

    async def callback(chunk: StreamingChunk) -> None:
        await anyio.lowlevel.checkpoint()
        seen.append((chunk.content, threading.current_thread() is here))

    await Agent(chat_generator=Blocking()).run_async("go", callback)

    assert seen == [("one ", True), ("two", True)]


async def test_of_several_replies_the_first_counts_and_the_request_is_counted_once() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    replies = [ChatMessage.from_assistant(text, meta={"usage": usage}) for text in ("a", "b")]

    result = await Agent(chat_generator=Replying({"replies": replies})).run_async("go")

    assert (result.text, result.usage.requests, result.usage.total_tokens) == ("a", 1, 12)


async def test_no_reply_at_all_is_an_empty_one() -> None:
    result = await Agent(chat_generator=Replying({"replies": []})).run_async("go")

    assert (result.exit_reason, result.usage.requests) == ("empty_reply", 3)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "hello",
        {},
        {"replies": "hello"},
        {"replies": ["hello"]},
        {"replies": [ChatMessage.from_user("x")]},
        [ChatMessage.from_user("x")],
    ],
)
async def test_an_answer_that_makes_no_sense_names_the_generator(answer: object) -> None:
    with pytest.raises(AgentError, match=r"Replying returned .* Return that from its run"):
        await Agent(chat_generator=Replying(answer)).run_async("go")
