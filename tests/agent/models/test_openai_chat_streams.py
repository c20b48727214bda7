"""OpenAIChatGenerator streaming over a real connection: callbacks, breaks and cancellation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx2
import pytest

from podium.agent.errors import ModelError
from podium.agent.models import OpenAIChatGenerator
from podium.agent.models._openai import call as _openai_call
from podium.agent.streaming import StreamingChunk
from podium.agent.testing import Drop, FakeOpenAIServer, Fault, RawReads, Reply, SlowSse, Sse, calls
from podium.tools import Tool, ToolCall

pytestmark = pytest.mark.anyio

PARAMETERS = {"type": "object", "properties": {"at": {"type": "string"}}}


def generator_for(server: FakeOpenAIServer, **settings: Any) -> OpenAIChatGenerator:
    defaults: dict[str, Any] = {"api_key": "sk-test", "model": "m", "max_retries": 0}
    return OpenAIChatGenerator(api_base_url=server.base_url, **{**defaults, **settings})


def look(at: str = "") -> str:
    return at


def ignore(chunk: StreamingChunk) -> None:
    """A callback that wants nothing."""


async def test_chunks_come_as_they_are_sent_and_make_the_reply() -> None:
    chunks: list[StreamingChunk] = []

    with FakeOpenAIServer([Reply("Hello there, you.")]) as server:
        answer = await generator_for(server).run_async("Hi", streaming_callback=chunks.append)

    reply = answer["replies"][0]
    assert reply.text == "Hello there, you."
    assert "".join(chunk.content for chunk in chunks) == "Hello there, you."
    assert len(chunks) > 3
    assert [chunk.start for chunk in chunks].count(True) == 1
    assert reply.meta["usage"]["completion_tokens"] > 0
    assert chunks[-1].meta["usage"] == reply.meta["usage"]


async def test_an_async_callback_is_awaited() -> None:
    heard: list[str] = []

    async def listen(chunk: StreamingChunk) -> None:
        await anyio.lowlevel.checkpoint()
        heard.append(chunk.content)

    with FakeOpenAIServer(["Hello there."]) as server:
        await generator_for(server, streaming_callback=listen).run_async("Hi")

    assert "".join(heard) == "Hello there."


async def test_a_callback_may_return_anything() -> None:
    with FakeOpenAIServer(["Hello."]) as server:
        answer = await generator_for(server).run_async("Hi", streaming_callback=len_of_content)

    assert answer["replies"][0].text == "Hello."


def len_of_content(chunk: StreamingChunk) -> Any:
    return len(chunk.content)


async def test_the_callback_of_the_call_goes_before_the_generators_own() -> None:
    own: list[StreamingChunk] = []
    given: list[StreamingChunk] = []

    with FakeOpenAIServer(["Hello."]) as server:
        generator = generator_for(server, streaming_callback=own.append)
        await generator.run_async("Hi", streaming_callback=given.append)

    assert given
    assert own == []


async def test_a_stream_asks_for_its_usage_and_a_plain_call_does_not() -> None:
    options = {"stream_options": {"include_usage": False}}

    with FakeOpenAIServer(["a", "b", "c"]) as server:
        generator = generator_for(server)
        await generator.run_async("Hi", streaming_callback=ignore)
        await generator.run_async("Hi", streaming_callback=ignore, generation_kwargs=options)
        await generator.run_async("Hi", generation_kwargs=options)

    assert [request.wants_usage for request in server.requests] == [True, False, False]
    assert [request.is_stream for request in server.requests] == [True, True, False]
    assert "stream_options" not in server.requests[2].body


async def test_tool_calls_are_streamed() -> None:
    chunks: list[StreamingChunk] = []
    tool = Tool("look", "Look at it.", PARAMETERS, look)

    with FakeOpenAIServer([calls(ToolCall("look", {"at": "a"}, "c1"))]) as server:
        answer = await generator_for(server).run_async(
            "Hi", tools=[tool], streaming_callback=chunks.append
        )

    pieces = [delta for chunk in chunks for delta in chunk.tool_calls or ()]
    assert answer["replies"][0].tool_calls == [ToolCall("look", {"at": "a"}, "c1")]
    assert "".join(piece.arguments or "" for piece in pieces) == '{"at":"a"}'
    assert pieces[0].tool_name == "look"


async def test_several_replies_can_be_streamed() -> None:
    events = [
        {"choices": [{"index": index, "delta": {"content": text}, "finish_reason": "stop"}]}
        for index, text in enumerate("ab")
    ]

    with FakeOpenAIServer([Sse(events)]) as server:
        answer = await generator_for(server).run_async(
            "Hi", streaming_callback=ignore, generation_kwargs={"n": 2}
        )

    assert [reply.text for reply in answer["replies"]] == ["a", "b"]


async def test_a_server_that_does_not_stream_is_understood() -> None:
    body = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}
    heard: list[str] = []

    with FakeOpenAIServer([Fault(200, body)]) as server:
        answer = await generator_for(server).run_async(
            "Hi", streaming_callback=lambda chunk: heard.append(chunk.content)
        )

    assert answer["replies"][0].text == "Hello"
    assert heard == ["Hello", ""]


async def test_characters_cut_by_the_network_are_whole() -> None:
    event = (
        'data: {"choices":[{"delta":{"content":"Grüße 🍸"},"finish_reason":"stop"}]}\n\n'.encode()
    )
    reads = [event[at : at + 1] for at in range(45, len(event))]

    with FakeOpenAIServer([RawReads([event[:45], *reads], gap_seconds=0.0)]) as server:
        answer = await generator_for(server).run_async("Hi", streaming_callback=ignore)

    assert answer["replies"][0].text == "Grüße 🍸"


async def test_an_error_of_the_callback_comes_out_and_closes_the_stream() -> None:
    def fail(chunk: StreamingChunk) -> None:
        raise ZeroDivisionError

    with FakeOpenAIServer([SlowSse(200, 0.02)]) as server:
        with pytest.raises(ZeroDivisionError):
            await generator_for(server).run_async("Hi", streaming_callback=fail)
        has_left = await server.requests[0].wait_disconnected()

    assert has_left


async def test_a_cancelled_stream_is_closed() -> None:
    first = anyio.Event()

    def listen(chunk: StreamingChunk) -> None:
        first.set()

    with FakeOpenAIServer([SlowSse(200, 0.02)]) as server:
        async with anyio.create_task_group() as tasks:
            stream = generator_for(server).run_async
            tasks.start_soon(lambda: stream("Hi", streaming_callback=listen))
            await first.wait()
            tasks.cancel_scope.cancel()
        has_left = await server.requests[0].wait_disconnected()

    assert has_left


async def test_a_place_in_line_is_given_back_when_a_stream_fails() -> None:
    with FakeOpenAIServer([Fault(401), Sse(["data: {"], done=False), "Hello."]) as server:
        generator = generator_for(server, max_concurrency=1)
        with pytest.raises(ModelError, match="status 401"):
            await generator.run_async("Hi", streaming_callback=ignore)
        with pytest.raises(ModelError, match="ended early"):
            await generator.run_async("Hi", streaming_callback=ignore)

        answer = await generator.run_async("Hi", streaming_callback=ignore)

    assert answer["replies"][0].text == "Hello."


@pytest.mark.parametrize(
    ("turn", "about", "text"),
    [
        (Drop(after_bytes=400), "ended early after 4 characters", "This"),
        (Sse([{"choices": [{"delta": {"content": "Half"}}]}], done=False), "ended early", "Half"),
        (Sse(['data: {"a"\n\ndata: {}']), 'no JSON: {"a"', ""),
        (Sse([{"choices": [{"delta": {"content": "H"}}]}, {"error": "full"}]), "full", "H"),
        (RawReads([b"<html>Hello</html>"]), "without choices: <html>", ""),
        (Fault(200, {"error": {"message": "Queue is full"}}), "Queue is full", ""),
    ],
)
async def test_a_stream_that_breaks_off_says_how_far_it_came(
    turn: Any, about: str, text: str
) -> None:
    with FakeOpenAIServer([turn]) as server:
        with pytest.raises(ModelError, match=about) as caught:
            await generator_for(server).run_async("Hi", streaming_callback=ignore)

    assert caught.value.partial_text == text
    assert not caught.value.was_refused


async def test_threat_40_a_stream_that_stalls_is_given_up() -> None:
    with FakeOpenAIServer([SlowSse(5, 60)], strict=False) as server:
        with pytest.raises(ModelError, match="nothing more came within the time-out"):
            await generator_for(server, timeout=0.2).run_async("Hi", streaming_callback=ignore)


class AfterTheEnd(httpx2.AsyncByteStream):
    """A complete stream of events, after which the server does not end its answer."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b'data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\n'
        yield b"data: [DONE]\n\n"
        yield b": goodbye\n\n"
        if self.error is not None:
            raise self.error
        await anyio.sleep_forever()


@pytest.mark.parametrize("error", [httpx2.ReadError("cut"), None], ids=["breaks", "hangs"])
async def test_what_happens_after_the_end_loses_nothing(
    error: Exception | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_openai_call, "DRAIN_SECONDS", 0.01)
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=AfterTheEnd(error)))
    generator = OpenAIChatGenerator(
        api_key="sk-test", http_client_kwargs={"transport": transport, "trust_env": False}
    )

    answer = await generator.run_async("Hi", streaming_callback=ignore)

    assert answer["replies"][0].text == "Hello"
