"""Which addresses a fetch may connect to: public ones, whatever form they are written in."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal

Address = IPv4Address | IPv6Address
Refusal = Literal["metadata", "private"]
"""Why an address is refused: it gives away a machine's credentials, or it is not public."""

_METADATA = [
    ip_network(one)
    for one in (
        *("169.254.0.0/16", "fe80::/10"),  # link-local: where clouds answer for the machine itself
        *("168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32"),
        *("fd00:ec2::/32", "fd20:ce::/32"),
    )
]
_NOT_PUBLIC = [
    ip_network(one)
    for one in (
        *("100.64.0.0/10", "64:ff9b:1::/48", "fec0::/10"),
        *("192.88.99.0/24", "3fff::/20", "5f00::/16"),  # which Python 3.11 does not know of
    )
]
_V4_IN_LAST_BITS = [
    ip_network(one) for one in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")
]
_ISATAP = (0x00005EFE, 0x02005EFE)


def literal_address(host: str) -> Address | None:
    """Return the address that `host` spells, in any form that connecting would take; else None.

    Besides the usual forms these are numbers such as `2130706433`, `0x7f.1` and `0177.0.0.1`.
    """
    try:
        return ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):  # ValueError: a character that no address has
        return None


def refusal(address: Address) -> Refusal | None:
    """Return why no connection may go to `address`; None for a public one.

    An IPv4 address inside an IPv6 one counts too: mapped, translated, or the end of a tunnel.
    """
    forms = [address, *_inner(address)]
    if any(form in network for form in forms for network in _METADATA):
        return "metadata"
    return None if all(_is_public(form) for form in forms) else "private"


def _is_public(address: Address) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and not any(address in network for network in _NOT_PUBLIC)
    )


def _inner(address: Address) -> Iterator[IPv4Address]:
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    if any(address in network for network in _V4_IN_LAST_BITS):
        yield IPv4Address(number & 0xFFFF_FFFF)
    if (number >> 32) & 0xFFFF_FFFF in _ISATAP:
        yield IPv4Address(number & 0xFFFF_FFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
