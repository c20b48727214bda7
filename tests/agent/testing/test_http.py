"""One connection of the fake server, byte by byte, without a network."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from podium.agent.testing._http import Connection, HttpRequest, Playback

HELLO = b"GET /hello HTTP/1.1\r\n\r\n"
AGAIN = b"GET /again HTTP/1.1\r\n\r\n"


class Transport(asyncio.Transport):
    """Keeps what is written to it; a narrow one asks for a pause after each write."""

    def __init__(self, connection: Connection, peer: socket.socket, *, is_narrow: bool) -> None:
        super().__init__({"socket": peer})
        self.connection = connection
        self.is_narrow = is_narrow
        self.written: list[bytes] = []
        self.is_aborted = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))
        if self.is_narrow:
            self.connection.pause_writing()

    def abort(self) -> None:
        self.is_aborted = True


@pytest.fixture
def peer() -> Iterator[socket.socket]:
    with socket.socket() as connected:
        yield connected


def echo(request: HttpRequest) -> Playback:
    """Answer with the path, in two writes."""
    return Playback([(0.0, request.path.encode()), (0.0, b"!")])


def connect(peer: socket.socket, *, is_narrow: bool = False) -> tuple[Connection, Transport]:
    connection = Connection(echo, set())
    transport = Transport(connection, peer, is_narrow=is_narrow)
    connection.connection_made(transport)
    return connection, transport


def test_a_request_may_come_in_pieces(peer: socket.socket) -> None:
    connection, transport = connect(peer)

    connection.data_received(HELLO[:10])
    early = list(transport.written)
    connection.data_received(HELLO[10:])

    assert early == []
    assert transport.written == [b"/hello", b"!"]


def test_requests_that_come_at_once_are_answered_in_order(peer: socket.socket) -> None:
    connection, transport = connect(peer)

    connection.data_received(HELLO + AGAIN)

    assert transport.written == [b"/hello", b"!", b"/again", b"!"]


def test_a_client_that_does_not_read_stops_the_answer(peer: socket.socket) -> None:
    connection, transport = connect(peer, is_narrow=True)

    connection.data_received(HELLO)
    at_first = list(transport.written)
    connection.resume_writing()

    assert at_first == [b"/hello"]
    assert transport.written == [b"/hello", b"!"]


def test_a_request_waits_until_the_one_before_is_answered(peer: socket.socket) -> None:
    connection, transport = connect(peer, is_narrow=True)

    connection.data_received(HELLO)
    connection.data_received(AGAIN)
    connection.resume_writing()
    connection.resume_writing()

    assert transport.written == [b"/hello", b"!", b"/again"]


def test_a_client_that_reads_with_nothing_to_say_changes_nothing(peer: socket.socket) -> None:
    connection, transport = connect(peer)

    connection.resume_writing()

    assert transport.written == []


def test_closing_breaks_the_connection_off_once(peer: socket.socket) -> None:
    connection, transport = connect(peer)

    connection.close()
    broken_off = transport.is_aborted
    connection.connection_lost(None)
    transport.is_aborted = False
    connection.close()

    assert broken_off
    assert not transport.is_aborted
