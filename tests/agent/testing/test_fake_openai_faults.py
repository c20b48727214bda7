"""FakeOpenAIServer, faults: HTTP errors, broken connections, odd clients, and many of them."""

from __future__ import annotations

import http.client
import json
import resource
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from podium.agent.testing import Drop, FakeOpenAIServer, Fault, Reply

Ask = Any
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
QUESTION = (
    f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(BODY)}\r\n\r\n{BODY}".encode()
)
MANY = 1_000


def connect(server: FakeOpenAIServer) -> socket.socket:
    host, _, port = urlsplit(server.url).netloc.partition(":")
    return socket.create_connection((host, int(port)), timeout=10)


def read_until(client: socket.socket, end: bytes) -> bytes:
    received = b""
    while end not in received:
        received += client.recv(4096)
    return received


def ask_at_once(server: FakeOpenAIServer, count: int) -> list[bytes]:
    clients = [connect(server) for _ in range(count)]
    for client in clients:
        client.sendall(QUESTION)
    answers = [client.recv(4096) for client in clients]
    for client in clients:
        client.close()
    return answers


@pytest.fixture
def many_files() -> Iterator[None]:
    """Allow this process as many open files as the system grants it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_fault_has_a_body_in_the_form_of_openai(ask: Ask) -> None:
    with FakeOpenAIServer([Fault(429, headers={"retry-after": "2"})]) as server:
        heard = ask(server)

    assert heard.status == 429
    assert heard.headers["retry-after"] == "2"
    assert heard.json["error"]["message"] == "Scripted fault 429."


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ({"error": {"message": "no"}}, "application/json", '{"error":{"message":"no"}}'),
        ("<h1>Bad gateway</h1>", "text/plain; charset=utf-8", "<h1>Bad gateway</h1>"),
    ],
)
def test_a_fault_sends_the_body_it_was_given(ask: Ask, body: Any, kind: str, text: str) -> None:
    with FakeOpenAIServer([Fault(502, body)]) as server:
        heard = ask(server)

    assert heard.headers["content-type"] == kind
    assert heard.body == text


def test_a_fault_of_an_unknown_number_is_sent_all_the_same(ask: Ask) -> None:
    with FakeOpenAIServer([Fault(529)]) as server:
        heard = ask(server)

    assert heard.status == 529


def test_a_fault_costs_nothing(ask: Ask) -> None:
    with FakeOpenAIServer([Fault(500)]) as server:
        ask(server)

    assert server.usage_total.requests == 0


def test_a_dropped_connection_sends_nothing() -> None:
    with FakeOpenAIServer([Drop()]) as server, connect(server) as client:
        client.sendall(QUESTION)
        received = client.recv(4096)

    assert received == b""


def test_a_dropped_connection_can_break_off_an_answer() -> None:
    with FakeOpenAIServer([Drop(10, Reply("never heard"))]) as server, connect(server) as client:
        client.sendall(QUESTION)
        response = http.client.HTTPResponse(client)
        response.begin()
        with pytest.raises(http.client.IncompleteRead) as caught:
            response.read()
        response.close()

    assert caught.value.partial == b'{"id":"cha'
    assert server.usage_total.output_tokens == 2


def test_a_connection_serves_many_requests() -> None:
    with FakeOpenAIServer(["one", "two"]) as server, connect(server) as client:
        client.sendall(QUESTION[:50])
        client.sendall(QUESTION[50:] + QUESTION)
        received = read_until(client, b"two")

    assert received.index(b'"one"') < received.index(b'"two"')


def test_a_connection_closes_when_the_client_wants_it() -> None:
    polite = QUESTION.replace(b"HTTP/1.1\r\n", b"HTTP/1.1\r\nConnection: close\r\n")

    with FakeOpenAIServer(["one"]) as server, connect(server) as client:
        client.sendall(polite)
        received = read_until(client, b"one")
        closed = client.recv(4096)

    assert b'"one"' in received
    assert closed == b""


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"hello\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: ten\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
def test_what_is_no_request_is_told_so(bytes_sent: bytes) -> None:
    with FakeOpenAIServer() as server, connect(server) as client:
        client.sendall(bytes_sent)
        response = http.client.HTTPResponse(client)
        response.begin()
        told = response.read()
        closed = client.recv(4096)

    assert response.status == 400
    assert b"Send HTTP/1.1 with a content-length, not chunked." in told
    assert closed == b""


@pytest.mark.usefixtures("many_files")
def test_a_thousand_clients_at_once_are_answered() -> None:
    with FakeOpenAIServer(["hello"] * MANY) as server:
        answers = ask_at_once(server, MANY)

    assert sum(b'"hello"' in answer for answer in answers) == MANY
    assert [request.number for request in server.requests] == list(range(MANY))
