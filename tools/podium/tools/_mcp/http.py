"""Messages to and from a server at an address: credentials bound to it, answers held to limits."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from podium.tools._mcp.servers import SSEServerInfo, StreamableHttpServerInfo
from podium.tools._mcp.weight import MAX_MESSAGE_BYTES, Weight

logger = logging.getLogger(__name__)

UNDELIVERED, BROKEN, REFUSED = -32090, -32091, -32092
"""Codes for what HTTP says, where the protocol has none: not sent, cut off, an error status."""
_SESSION = "mcp-session-id"
_IDLE_SECONDS = 300.0  # a stream may be silent so long
_UNAUTHORIZED = (401, 403)


def http_transport(
    server: StreamableHttpServerInfo | SSEServerInfo,
    seconds: float,
    on_loss: Callable[[], None],
) -> AbstractAsyncContextManager[Any]:
    """Return the transport to a server; `on_loss` is called when its one stream is of no more use.

    `seconds` are for connecting. Redirects are followed within the origin alone.
    """
    server.resolved_headers()  # says what is wrong with them before anything is sent
    if isinstance(server, SSEServerInfo):
        return _sse(server, seconds, on_loss)
    return _streamable(server, seconds)


@asynccontextmanager
async def _streamable(server: StreamableHttpServerInfo, seconds: float) -> AsyncGenerator[Any]:
    client = httpx2.AsyncClient(
        transport=_Transport(lambda: None),
        auth=_BoundToOrigin(server),
        timeout=httpx2.Timeout(seconds, read=_IDLE_SECONDS),
    )
    async with (
        client,
        streamable_http_client(
            server.url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams


def _sse(
    server: SSEServerInfo, seconds: float, on_loss: Callable[[], None]
) -> AbstractAsyncContextManager[Any]:
    def make(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            transport=_Transport(on_loss), headers=headers, timeout=timeout, auth=auth
        )

    return sse_client(
        server.url,
        timeout=seconds,
        sse_read_timeout=_IDLE_SECONDS,
        httpx_client_factory=make,
        auth=_BoundToOrigin(server),
    )


class _BoundToOrigin(httpx2.Auth):
    """The server's headers and token, on requests to its own origin and no other."""

    def __init__(self, server: StreamableHttpServerInfo | SSEServerInfo) -> None:
        self._server = server
        self._origin = _origin(httpx2.URL(server.url))

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        if _origin(request.url) == self._origin:
            request.headers.update(self._server.resolved_headers())
        yield request


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


class _Transport(httpx2.AsyncBaseTransport):
    """HTTP as the session should see it: failures are answers, and bodies have a limit.

    A failure that leaves the transport would end the session, and with it every other call.
    """

    def __init__(self, on_loss: Callable[[], None]) -> None:
        self._inner = httpx2.AsyncHTTPTransport()
        self._on_loss = on_loss

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "identity"  # what is packed has no size to go by
        if request.method != "POST":
            return _held(await self._inner.handle_async_request(request))
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            return self._failure(502, UNDELIVERED, f"It cannot be reached: {_said(error)}")
        except httpx2.TransportError as error:
            return self._failure(502, BROKEN, f"The connection was lost: {_said(error)}")
        try:
            return await self._answer(request, _held(response))
        except _Refused as refused:
            await response.aclose()
            return self._failure(502, BROKEN, f"Its answer was dropped: {refused}")

    async def _answer(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        """Return the response; an error status as an error that says so, unless it says more."""
        status = response.status_code
        said = f"HTTP {status} {response.reason_phrase}"
        is_json = response.headers.get("content-type", "").lower().startswith("application/json")
        if status < 400 and not is_json:
            return response
        body = await response.aread()
        await response.aclose()
        if status in _UNAUTHORIZED:
            return self._failure(status, REFUSED, f"It refused the credentials with {said}")
        if status == 404 and _SESSION in request.headers:
            return self._failure(status, UNDELIVERED, f"It has forgotten the session: {said}")
        if status >= 400 and b'"jsonrpc"' not in body:
            return self._failure(status, REFUSED, f"It answered {said}")
        return httpx2.Response(status, headers=response.headers, content=body)

    def _failure(self, status: int, code: int, message: str) -> httpx2.Response:
        self._on_loss()
        error = {"code": code, "message": message}
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        return httpx2.Response(status, headers={"content-type": "application/json"}, content=body)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


def _held(response: httpx2.Response) -> httpx2.Response:
    """Return the response with a body that ends with an error once it is over a limit."""
    return httpx2.Response(
        response.status_code,
        headers=response.headers,
        stream=_Body(response),
        extensions=response.extensions,
    )


class _Refused(httpx2.StreamError):
    """A body that is not read on; of the kind that costs only the call it answers."""


class _Body(httpx2.AsyncByteStream):
    """A response body, weighed as it comes in; events in a stream are weighed one by one."""

    def __init__(self, response: httpx2.Response) -> None:
        self._inner: Any = response.stream
        self._encoding: str = response.headers.get("content-encoding", "identity")
        kind: str = response.headers.get("content-type", "")
        self._holds_events = kind.lower().startswith("text/event-stream")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._encoding != "identity":
            raise _Refused(f"its content-encoding is {self._encoding!r:.40}, not identity")
        weight = Weight()
        try:
            async for chunk in self._inner:
                before, blank_line, rest = chunk, False, b""
                if self._holds_events:
                    before, blank_line, rest = _last_blank_line(chunk)
                excess = weight.add(before)
                if blank_line:
                    weight.reset()
                    excess = excess or weight.add(rest)
                if excess is not None:
                    raise _Refused(excess)
                yield chunk
        except httpx2.TransportError as error:
            raise _Refused(f"the connection was lost: {_said(error)}") from error

    async def aclose(self) -> None:
        await self._inner.aclose()


def _last_blank_line(chunk: bytes) -> tuple[bytes, bool, bytes]:
    for blank in (b"\n\n", b"\r\n\r\n"):
        before, found, rest = chunk.rpartition(blank)
        if found:
            return before, True, rest
    return chunk, False, b""
