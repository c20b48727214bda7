"""The openai SDK's clients: one connection pool for each event loop, closed when the loop ends.

Making a client costs 20 ms, nearly all of it for its TLS context, and connections cannot leave the
loop they were opened on. So the context is made once, and all generators on a loop share one pool.
"""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import os
import ssl
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from weakref import WeakKeyDictionary

import anyio
import httpx2
import openai
from anyio.lowlevel import current_token

from podium.agent.secrets import Secret

NO_KEY = "none"
"""What is sent as the key where there is none: local servers ask for no key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """What a generator's client is made from."""

    api_key: Secret
    """The provider's key; where it resolves to None a placeholder is sent, for servers without."""
    base_url: str | None
    """Root of the API; None leaves it to `OPENAI_BASE_URL` and the SDK."""
    organization: str | None
    """The organization that is charged."""
    timeout_seconds: float
    """How long to wait for a connection, and for each next bytes of an answer."""
    http_client_kwargs: Mapping[str, Any] | None
    """Arguments for an `httpx2.AsyncClient` of the generator's own; None shares the loop's."""


class LoopClients:
    """The clients on one event loop."""

    __slots__ = ("__weakref__", "_clients", "_gates", "_own", "_shared", "guard")

    def __init__(self) -> None:
        """Start with none; each is opened when it is first needed."""
        self._clients: WeakKeyDictionary[object, openai.AsyncOpenAI] = WeakKeyDictionary()
        self._gates: dict[tuple[str | None, int], anyio.Semaphore] = {}
        self._shared: httpx2.AsyncClient | None = None
        self._own: list[tuple[weakref.ref[object], httpx2.AsyncClient]] = []
        self.guard: AsyncGenerator[None] | None = None
        """Closes the clients with the loop, as long as somebody holds it."""

    def gate(self, base_url: str | None, limit: int) -> anyio.Semaphore:
        """Return the gate that lets `limit` calls through to an endpoint, first come first served.

        A pool works through all its connections for each call, so a thousand calls at once cost
        three times as much as behind a gate of 64.
        """
        gate = self._gates.get((base_url, limit))
        if gate is None:
            gate = self._gates[base_url, limit] = anyio.Semaphore(limit, fast_acquire=True)
        return gate

    async def client_for(
        self, owner: object, settings: Callable[[], ClientSettings]
    ) -> openai.AsyncOpenAI:
        """Return the client of a generator on this loop; `settings` are asked for when it is new.

        Raises:
            ValueError: there is no API key, or it cannot be sent.
        """
        client = self._clients.get(owner)
        if client is None:
            client = self._clients[owner] = self._open(owner, settings())
            await self._close_own_of(None)  # of generators that are gone
        return client

    async def close_for(self, owner: object) -> None:
        """Close what is the generator's own; the shared pool stays open."""
        self._clients.pop(owner, None)
        await self._close_own_of(owner)

    async def close(self) -> None:
        """Close everything."""
        self._clients.clear()
        for client in (self._shared, *(client for _, client in self._own)):
            if client is not None:
                await client.aclose()

    def _open(self, owner: object, settings: ClientSettings) -> openai.AsyncOpenAI:
        key = _sendable(settings.api_key)
        if settings.http_client_kwargs is not None:
            own: dict[str, Any] = {"verify": _tls_context(), **settings.http_client_kwargs}
            http_client = openai.DefaultAsyncHttpxClient(**own)
            self._own.append((weakref.ref(owner), http_client))
        else:
            http_client = self._shared = self._shared or _shared_http_client()
        url, query = _url_and_query(settings.base_url)
        return openai.AsyncOpenAI(
            api_key=key,
            base_url=url,
            default_query=query,
            organization=settings.organization,
            timeout=settings.timeout_seconds,
            max_retries=0,  # the generator tries again, so that each try has room of its own
            http_client=http_client,
        )

    async def _close_own_of(self, owner: object) -> None:
        closing = [client for one, client in self._own if one() is owner]
        self._own = [(one, client) for one, client in self._own if one() is not owner]
        for client in closing:
            await client.aclose()


async def clients_here() -> LoopClients:
    """Return the clients of the running event loop; they are closed when it ends."""
    loop = current_token().native_token
    clients = _by_loop.get(loop)
    if clients is None:
        clients = LoopClients()
        with _changing:
            for other in list(_by_loop):
                if isinstance(other, asyncio.AbstractEventLoop) and other.is_closed():
                    del _by_loop[other]  # it ended without a word, and its connections with it
            _by_loop[loop] = clients
        clients.guard = _guard(clients)
        await anext(clients.guard)
    return clients


async def _guard(clients: LoopClients) -> AsyncGenerator[None]:
    """Close the clients when the event loop ends: it then closes the generators still suspended."""
    try:
        yield
    finally:
        _by_loop.pop(current_token().native_token, None)
        with anyio.CancelScope(shield=True):  # trio closes generators in a cancelled scope
            await clients.close()


def _shared_http_client() -> httpx2.AsyncClient:
    on_asyncio = isinstance(current_token().native_token, asyncio.AbstractEventLoop)
    if on_asyncio and importlib.util.find_spec("aiohttp") is not None:
        return openai.DefaultAioHttpClient(verify=_tls_context())  # a third less work for each call
    return openai.DefaultAsyncHttpxClient(verify=_tls_context())


def _url_and_query(base_url: str | None) -> tuple[str | None, dict[str, str] | None]:
    """Return the URL without its query, to which paths can be added, and the query for each call.

    Azure wants its `api-version` there.
    """
    parts = urlsplit(base_url or os.environ.get("OPENAI_BASE_URL") or "")
    if not parts.query:
        return base_url, None
    return urlunsplit(parts._replace(query="")), dict(parse_qsl(parts.query))


@functools.cache
def _tls_context() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def _sendable(secret: Secret) -> str:
    key = secret.resolve_value()
    if key is None:
        return NO_KEY
    if not (key.isascii() and key.isprintable()):
        raise ValueError(
            f"The API key of {secret!r} holds a character that no header can carry, such as a line "
            "break or a letter with an accent. Copy the key again."
        )
    return key


# The values hold connections, and those their loop, so an entry does not go by itself with its
# loop: the guard takes it out, or the next loop that opens clients.
_by_loop: WeakKeyDictionary[object, LoopClients] = WeakKeyDictionary()
_changing = threading.Lock()  # guards changes of _by_loop: the loops of several threads meet there
