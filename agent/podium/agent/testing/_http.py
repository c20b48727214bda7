"""HTTP/1.1 by hand, as much as a fake server needs: keep-alive, lengths, chunked answers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A complete request."""

    method: str
    """GET, POST, ..."""
    path: str
    """The path, without the query."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """The body; empty when there is none."""
    query: str = ""
    """What stands behind the `?`."""


@dataclass(frozen=True, slots=True)
class Playback:
    """An answer, as it goes over the wire."""

    writes: Iterable[tuple[float, bytes]]
    """What to write, each after so many seconds."""
    keeps_open: bool = True
    """Whether the connection can be used again; else it closes after the last write."""
    on_disconnect: Callable[[], None] | None = None
    """Called when the client leaves before the last write."""


class BadRequestError(Exception):
    """Bytes that are no request this server can read."""


def whole(
    status: int,
    body: bytes,
    *,
    headers: Mapping[str, str] | None = None,
    delay_seconds: float = 0.0,
) -> Playback:
    """Return an answer in one piece, as JSON unless the headers say otherwise."""
    fields = {"content-type": "application/json", **(headers or {})}
    fields["content-length"] = str(len(body))
    return Playback([(delay_seconds, head(status, fields) + body)])


def chunked(
    writes: Iterable[tuple[float, bytes]],
    *,
    content_type: str,
    delay_seconds: float = 0.0,
    complete: bool = True,
) -> Playback:
    """Return an answer piece by piece; one that is not `complete` just stops."""
    fields = {"content-type": content_type, "transfer-encoding": "chunked"}

    def framed() -> Iterator[tuple[float, bytes]]:
        yield delay_seconds, head(200, fields)
        for wait, piece in writes:
            if piece:  # an empty chunk would end the answer
                yield wait, b"%x\r\n%b\r\n" % (len(piece), piece)
        if complete:
            yield 0.0, b"0\r\n\r\n"

    return Playback(framed(), keeps_open=complete)


def head(status: int, fields: Mapping[str, str]) -> bytes:
    """Return the head of an answer, with the blank line that ends it."""
    known = status in HTTPStatus._value2member_map_
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase if known else 'Unknown'}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Connection(asyncio.Protocol):
    """One client: its requests are answered one after the other."""

    def __init__(
        self, answer: Callable[[HttpRequest], Playback], connections: set[Connection]
    ) -> None:
        """Answer requests with `answer`; stand in `connections` while open."""
        self._answer = answer
        self._connections = connections
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._playing: Playback | None = None
        self._writes: Iterator[tuple[float, bytes]] = iter(())
        self._pending: bytes | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_paused = False
        self._closes = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to the client."""
        self._transport = cast("asyncio.Transport", transport)
        # Else the pieces of a stream wait 40 ms for one another.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop playing, and tell the request that its client has left."""
        self._connections.discard(self)
        self._transport = None
        if self._timer is not None:
            self._timer.cancel()
        if self._playing is not None and self._playing.on_disconnect is not None:
            self._playing.on_disconnect()

    def data_received(self, data: bytes) -> None:
        """Take in bytes and answer once they are a request."""
        self._received += data
        if self._playing is None:
            self._next_request()

    def pause_writing(self) -> None:
        """Stop until the client has read: a slow client makes a slow stream."""
        self._is_paused = True

    def resume_writing(self) -> None:
        """Go on writing."""
        self._is_paused = False
        if self._playing is not None and self._timer is None:
            self._play()

    def close(self) -> None:
        """Drop the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _next_request(self) -> None:
        try:
            request = _take_request(self._received)
        except BadRequestError as error:
            self._closes = True
            self._start(whole(400, str(error).encode(), headers={"content-type": "text/plain"}))
            return
        if request is not None:
            self._closes = request.headers.get("connection", "").lower() == "close"
            self._start(self._answer(request))

    def _start(self, playback: Playback) -> None:
        self._playing, self._writes = playback, iter(playback.writes)
        self._play()

    def _play(self) -> None:
        """Write all that is due, up to the next pause."""
        self._timer = None
        while self._transport is not None and not self._is_paused:
            if self._pending is not None:
                self._transport.write(self._pending)
                self._pending = None
                continue
            wait, self._pending = next(self._writes, (0.0, None))
            if self._pending is None:
                self._finish()
                return
            if wait > 0:
                self._timer = asyncio.get_running_loop().call_later(wait, self._play)
                return

    def _finish(self) -> None:
        finished, self._playing = self._playing, None
        assert finished is not None and self._transport is not None
        if self._closes or not finished.keeps_open:
            self._transport.close()
        elif self._received:
            self._next_request()


def _take_request(received: bytearray) -> HttpRequest | None:
    """Take the first request off the buffer, or return None while it is not complete."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    first, *lines = received[:end].decode("latin-1").split("\r\n")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    words = first.split(" ")
    length = headers.get("content-length", "0")
    if len(words) != 3 or not length.isdecimal() or "transfer-encoding" in headers:
        raise BadRequestError(
            f"The fake server cannot read the request {first!r}. "
            "Send HTTP/1.1 with a content-length, not chunked."
        )
    start, stop = end + 4, end + 4 + int(length)
    if len(received) < stop:
        return None
    body = bytes(received[start:stop])
    del received[:stop]
    path, _, query = words[1].partition("?")
    return HttpRequest(words[0], path, headers, body, query)
