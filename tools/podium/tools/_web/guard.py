"""Where a fetch may go: checked for each address it is about to open, redirects included."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from ipaddress import ip_address

import anyio
import httpx2

from podium.tools._web.addresses import Address, literal_address, refusal
from podium.tools.errors import FetchError
from podium.tracing._text import printable

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a host, for a port."""

PORTS = frozenset({80, 443, 8080, 8443})
"""Ports that a public server may be asked on."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SHOWN_CHARS = 200


def checked_url(url: str, own_hosts: Collection[str] = ()) -> httpx2.URL:
    """Return `url` taken apart, when it is one that may be fetched.

    Raises:
        FetchError: another scheme than http and https, a password in it, an unusual port, no host.
    """
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, TypeError, ValueError) as error:
        raise FetchError(
            f"The URL {printable(str(url)[:_SHOWN_CHARS])!r} cannot be read ({error}). "
            "Pass one such as https://example.org/page."
        ) from None
    if parsed.scheme not in _DEFAULT_PORTS:
        raise FetchError(
            f"A URL of the kind {parsed.scheme[:20]!r} is not fetched. Pass one that begins with "
            "https:// or http://."
        )
    if parsed.userinfo:
        raise FetchError(
            f"The URL for {parsed.host[:_SHOWN_CHARS]!r} has a user name or password in it, which "
            "are not sent. Leave them out."
        )
    if not parsed.host:
        raise FetchError(f"The URL {shown(parsed)!r} names no host. Write the whole address.")
    if port_of(parsed) not in PORTS and host_of(parsed) not in own_hosts:
        raise FetchError(
            f"The URL {shown(parsed)!r} asks for port {port_of(parsed)}, and only "
            f"{', '.join(map(str, sorted(PORTS)))} are opened. Use the server's usual address."
        )
    return parsed


async def addresses_of(
    url: httpx2.URL, own_hosts: Collection[str], resolver: Resolver
) -> list[Address]:
    """Return the addresses to connect to; no other may be, so a name cannot change in between.

    Raises:
        FetchError: the host is unknown, or any of its addresses may not be connected to.
    """
    host = host_of(url)
    literal = literal_address(host)
    try:
        found = (
            [literal]
            if literal
            else [ip_address(one) for one in await resolver(host, port_of(url))]
        )
    except (OSError, ValueError) as error:
        raise _unknown(url) from error
    if not found:
        raise _unknown(url)
    reasons = {reason for one in found if (reason := refusal(one)) is not None}
    if "metadata" in reasons or (reasons and host not in own_hosts):
        raise FetchError(
            f"The URL {shown(url)!r} was not fetched: its host has an address that is not public. "
            "Use a page on the public web."
        )
    return found


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses that the system's resolver gives for `host`, in its order."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def host_of(url: httpx2.URL) -> str:
    """Return the host in the one form it is compared in."""
    return url.host.rstrip(".").lower()


def port_of(url: httpx2.URL) -> int:
    """Return the port, written or not."""
    return _DEFAULT_PORTS[url.scheme] if url.port is None else url.port


def shown(url: httpx2.URL) -> str:
    """Return `url` for a message: without user, password and query, where secrets stand."""
    plain = f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}{url.path}"
    return printable(plain, limit=_SHOWN_CHARS)


def _unknown(url: httpx2.URL) -> FetchError:
    return FetchError(
        f"The URL {shown(url)!r} was not fetched: no address is known for its host. "
        "Check the spelling, or use another page."
    )
