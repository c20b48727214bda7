"""FakeOpenAIServer, streams: good ones, odd ones, slow ones, and clients that leave."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
import pytest

from podium.agent.testing import (
    FakeOpenAIServer,
    RawReads,
    RecordedRequest,
    Reply,
    SlowSse,
    Sse,
    call,
    calls,
)

Ask = Any
WITH_USAGE = {"include_usage": True}
HELLO: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": "hello"}}]}


def open_stream(server: FakeOpenAIServer) -> socket.socket:
    """Ask for a stream over a bare socket and return it, nothing read yet."""
    question = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    body = json.dumps(question)
    host, _, port = urlsplit(server.url).netloc.partition(":")
    client = socket.create_connection((host, int(port)), timeout=10)
    client.sendall(
        f"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode()
    )
    return client


def test_a_reply_is_streamed_when_the_request_asks_for_it(ask: Ask) -> None:
    with FakeOpenAIServer(["Paris, of course."]) as server:
        heard = ask(server, stream=True, model="small")

    assert heard.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert heard.deltas == [
        {"role": "assistant", "content": ""},
        {"content": "Paris,"},
        {"content": " of"},
        {"content": " course."},
        {},
    ]
    assert heard.events[-1]["choices"][0]["finish_reason"] == "stop"
    assert heard.events[0]["object"] == "chat.completion.chunk"
    assert heard.events[0]["model"] == "small"
    assert heard.body.endswith("data: [DONE]\n\n")


def test_a_stream_ends_with_the_usage_when_the_request_asks_for_it(ask: Ask) -> None:
    with FakeOpenAIServer(["a word", "a word", Reply("a word", usage={})]) as server:
        plain = ask(server)
        with_usage = ask(server, stream=True, stream_options=WITH_USAGE)
        without = ask(server, stream=True, stream_options=WITH_USAGE)

    assert with_usage.events[-1]["choices"] == []
    assert with_usage.events[-1]["usage"] == plain.json["usage"]
    assert "usage" not in without.body


def test_tool_calls_are_streamed_in_pieces(ask: Ask) -> None:
    turn = calls(call("search", query="closures in Python"), call("stop"))

    with FakeOpenAIServer([turn]) as server:
        heard = ask(server, stream=True)

    role, *deltas, _ = heard.deltas
    pieces = [delta["tool_calls"][0] for delta in deltas]
    assert role == {"role": "assistant", "content": None}
    assert pieces[0] == {
        "id": "call_0_0",
        "type": "function",
        "function": {"name": "search", "arguments": ""},
        "index": 0,
    }
    assert [piece["index"] for piece in pieces] == [0, 0, 0, 1, 1]
    joined = "".join(piece["function"]["arguments"] for piece in pieces[:3])
    assert joined == '{"query":"closures in Python"}'
    assert heard.events[-1]["choices"][0]["finish_reason"] == "tool_calls"


def test_what_a_whole_message_holds_besides_is_streamed_too(ask: Ask) -> None:
    odd_call = {"id": "c", "function": {"name": "add", "arguments": None}}
    message = {"role": "assistant", "refusal": "No.", "tool_calls": [odd_call]}

    with FakeOpenAIServer([Reply(message=message)]) as server:
        heard = ask(server, stream=True)

    assert heard.deltas == [
        {"role": "assistant", "content": None},
        {"refusal": "No."},
        {"tool_calls": [{**odd_call, "index": 0}]},
        {},
    ]


def test_an_output_limit_cuts_a_stream(ask: Ask) -> None:
    with FakeOpenAIServer(["one two three four"]) as server:
        heard = ask(server, stream=True, max_tokens=2)

    assert [delta.get("content") for delta in heard.deltas] == ["", "one", " two", " ", None]
    assert heard.events[-1]["choices"][0]["finish_reason"] == "length"


def test_events_are_sent_as_they_are_written(ask: Ask) -> None:
    events: list[Any] = [": ping", "event: message\ndata:{}", HELLO, "data: [DONE]"]

    with FakeOpenAIServer([Sse(events), Sse(events, line_ending="\r\n")]) as server:
        plain, windows = ask(server), ask(server)

    text = f": ping\n\nevent: message\ndata:{{}}\n\ndata: {json.dumps(HELLO)}\n\ndata: [DONE]\n\n"
    assert plain.body == text
    assert windows.body == text.replace("\n", "\r\n")


def test_the_end_of_the_stream_is_added_to_events(ask: Ask) -> None:
    with FakeOpenAIServer([Sse([HELLO])]) as server:
        heard = ask(server)

    assert heard.body.endswith("}\n\ndata: [DONE]\n\n")


def test_half_an_emoji_goes_over_the_wire(ask: Ask) -> None:
    with FakeOpenAIServer([Sse(["data: \ud83d"])]) as server:
        heard = ask(server)

    assert heard.body.startswith("data: \ud83d\n\n")


def test_without_an_end_the_connection_just_closes() -> None:
    with FakeOpenAIServer([Sse([HELLO], done=False)]) as server, open_stream(server) as client:
        received = read_to_end(client)

    assert b'"hello"' in received
    assert not received.endswith(b"0\r\n\r\n")


def test_usage_of_raw_events_is_not_known(ask: Ask) -> None:
    with FakeOpenAIServer([Sse([HELLO])]) as server:
        ask(server)

    assert server.usage_total.requests == 1
    assert not server.usage_total.complete


def test_raw_reads_come_one_by_one() -> None:
    reads = [b'data: {"a"', b": 1}\n", b"", b"\ndata: [DONE]\n\n"]

    with FakeOpenAIServer([RawReads(reads, gap_seconds=0.05)]) as server:
        with open_stream(server) as client:
            received = list(iter_received(client))

    assert len(received) > 1
    assert b'{"a"' not in received[-1]


def iter_received(client: socket.socket) -> Iterator[bytes]:
    """Yield what each read of the socket gets, up to the last chunk of the answer."""
    while not (piece := client.recv(4096)).endswith(b"0\r\n\r\n"):
        yield piece
    yield piece


def test_raw_reads_are_json_for_a_plain_request(ask: Ask) -> None:
    with FakeOpenAIServer([RawReads([b'{"a":', b" 1}"])]) as server:
        heard = ask(server)

    assert heard.headers["content-type"] == "application/json"
    assert heard.json == {"a": 1}


def test_a_slow_stream_takes_its_time(ask: Ask) -> None:
    with FakeOpenAIServer([SlowSse(4, 0.02, "word ")]) as server:
        started = time.monotonic()
        heard = ask(server, stream=True)

    assert time.monotonic() - started >= 0.08
    assert [delta.get("content") for delta in heard.deltas] == ["", *["word "] * 4, None]


def test_a_slow_answer_to_a_plain_request_comes_late(ask: Ask) -> None:
    with FakeOpenAIServer([SlowSse(4, 0.02, "word ")]) as server:
        started = time.monotonic()
        heard = ask(server)

    assert time.monotonic() - started >= 0.08
    assert heard.message["content"] == "word word word word "


@pytest.mark.anyio
async def test_the_server_sees_that_a_client_leaves_its_stream() -> None:
    with FakeOpenAIServer([SlowSse(1_000, 0.01)]) as server:
        client = open_stream(server)
        client.recv(4096)
        stayed = server.requests[0].disconnected
        client.close()

        left = await server.requests[0].wait_disconnected()

    assert not stayed
    assert left


@pytest.mark.anyio
async def test_a_client_that_hears_the_answer_out_has_not_left(ask: Ask) -> None:
    with FakeOpenAIServer(["one"]) as server:
        await anyio.to_thread.run_sync(ask, server)

        left = await server.requests[0].wait_disconnected(timeout_seconds=0.05)

    assert not left


@pytest.mark.anyio
async def test_a_client_that_leaves_while_the_model_thinks_is_seen() -> None:
    asked = threading.Event()

    def think(request: RecordedRequest) -> Reply:
        asked.set()
        return Reply("late", delay_seconds=30)

    with FakeOpenAIServer(responder=think) as server:
        client = open_stream(server)
        asked.wait(5)
        client.close()

        left = await server.requests[0].wait_disconnected()

    assert left


def read_to_end(client: socket.socket) -> bytes:
    received = b""
    while data := client.recv(1 << 20):
        received += data
    return received
