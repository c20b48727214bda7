"""One fetch: redirects followed by hand, each hop checked, the body cut off while it streams."""

from __future__ import annotations

import functools
import ssl
import zlib
from collections.abc import AsyncGenerator, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import anyio
import httpx2

from podium.tools._web.addresses import Address
from podium.tools._web.guard import (
    Resolver,
    addresses_of,
    checked_url,
    host_of,
    resolve,
    shown,
)
from podium.tools.errors import FetchError
from podium.tracing._text import printable

MAX_REDIRECTS = 5
MAX_ADDRESSES = 4
"""How many of a host's addresses are tried."""

_HEADERS = {"User-Agent": "podium", "Accept": "*/*", "Accept-Encoding": "gzip"}
_GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRules:
    """What a fetch may do."""

    accepts: tuple[str, ...]
    """Beginnings of the content types that are taken."""
    max_bytes: int
    """What the body may measure, unpacked."""
    cuts: bool = False
    """Whether a longer body is cut there; else it is refused."""
    timeout_seconds: float = 20.0
    """How long all of it may take, redirects included."""
    own_hosts: Collection[str] = ()
    """Hosts, in lower case, that may be private and may use any port."""
    resolver: Resolver = resolve
    """Finds a host's addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What came back."""

    url: str
    """Where it was found in the end."""
    content_type: str
    """The media type, in lower case and without parameters; empty when none was sent."""
    charset: str | None
    """The encoding that the server named."""
    data: bytes
    """The body."""
    is_cut: bool
    """Whether there was more of it."""


async def fetch(url: str, rules: FetchRules) -> Fetched:
    """Return what stands at `url`.

    Raises:
        FetchError: it may not be fetched, takes too long, is too large, of another type, or fails.
    """
    with anyio.move_on_after(rules.timeout_seconds):
        return await _fetch(url, rules)
    raise FetchError(
        f"The URL {printable(url.partition('?')[0], limit=200)!r} was not fetched within "
        f"{rules.timeout_seconds:g} seconds. Try another page, or a smaller one."
    )


def fetch_blocking(url: str, rules: FetchRules) -> Fetched:
    """Do as `fetch`, in any thread, also one that runs an event loop, which is held up."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(anyio.run, fetch, url, rules).result()


async def _fetch(url: str, rules: FetchRules) -> Fetched:
    async with httpx2.AsyncClient(trust_env=False, verify=_tls(), headers=_HEADERS) as client:
        target = checked_url(url, rules.own_hosts)
        for _ in range(1 + MAX_REDIRECTS):
            addresses = await addresses_of(target, rules.own_hosts, rules.resolver)
            async with _opened(client, target, addresses) as response:
                if not response.has_redirect_location:
                    return await _read(response, target, rules)
                moved = target.join(response.headers["location"])
            target = checked_url(str(moved), rules.own_hosts)
    raise FetchError(
        f"The URL {shown(target)!r} was not fetched: it was reached by {MAX_REDIRECTS} redirects "
        "and leads on. Use the address of the page itself."
    )


@asynccontextmanager
async def _opened(
    client: httpx2.AsyncClient, url: httpx2.URL, addresses: list[Address]
) -> AsyncGenerator[httpx2.Response]:
    """Ask the server at the first address that answers; name and certificate stay the host's."""
    client.cookies.clear()
    response: httpx2.Response | None = None
    try:
        for number, address in enumerate(addresses[:MAX_ADDRESSES], start=1):
            request = client.build_request(
                "GET",
                url.copy_with(host=str(address), fragment=None),
                headers={"Host": url.netloc.decode("ascii")},
                extensions={"sni_hostname": host_of(url)},
            )
            try:
                response = await client.send(request, stream=True)
                break
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if number == len(addresses[:MAX_ADDRESSES]):
                    raise
        assert response is not None
        yield response
    except httpx2.HTTPError as error:
        raise FetchError(
            f"The URL {shown(url)!r} could not be fetched ({type(error).__name__}: "
            f"{str(error)[:100]}). Try it once more, or use another page."
        ) from error
    finally:
        if response is not None:
            await response.aclose()


async def _read(response: httpx2.Response, url: httpx2.URL, rules: FetchRules) -> Fetched:
    if not response.is_success:
        raise FetchError(
            f"The URL {shown(url)!r} was answered with {response.status_code} "
            f"{response.reason_phrase}. Check the address, or use another page."
        )
    kind, _, parameters = response.headers.get("content-type", "").partition(";")
    kind = kind.strip().lower()
    if kind and not kind.startswith(rules.accepts):
        raise FetchError(
            f"The URL {shown(url)!r} is of type {kind[:80]!r}, and only {', '.join(rules.accepts)} "
            "can be read here. Use another page."
        )
    data, is_cut = await _body(response, url, rules.max_bytes)
    if is_cut and not rules.cuts:
        raise FetchError(
            f"The URL {shown(url)!r} has more than the {rules.max_bytes:,} bytes that are read. "
            "Use a smaller file."
        )
    charset = response.charset_encoding if parameters else None
    return Fetched(url=str(url), content_type=kind, charset=charset, data=data, is_cut=is_cut)


async def _body(response: httpx2.Response, url: httpx2.URL, limit: int) -> tuple[bytes, bool]:
    """Return the body, unpacked, up to `limit` bytes, and whether there is more."""
    unpack = _unpacker(response, url)
    body, packed = bytearray(), 0
    try:
        async with aclosing(response.aiter_raw()) as chunks:
            async for chunk in chunks:
                packed += len(chunk)
                body += unpack(chunk, limit + 1 - len(body))
                if len(body) > limit or packed > limit:
                    return bytes(body[:limit]), True
    except zlib.error as error:
        raise FetchError(
            f"The URL {shown(url)!r} sent a body that cannot be unpacked ({error}). "
            "Use another page."
        ) from error
    return bytes(body), False


def _unpacker(response: httpx2.Response, url: httpx2.URL) -> Callable[[bytes, int], bytes]:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("gzip", "x-gzip"):
        return zlib.decompressobj(_GZIP).decompress
    if encoding in ("", "identity"):
        return lambda chunk, room: chunk[:room]
    raise FetchError(
        f"The URL {shown(url)!r} sent a body packed as {encoding[:40]!r}, which was not asked for. "
        "Use another page."
    )


@functools.cache
def _tls() -> ssl.SSLContext:
    """Load the certificates that the environment names, once: it takes longer than a fetch."""
    return httpx2.create_ssl_context()
