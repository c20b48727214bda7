"""Addresses of collectors and of Jaeger: whether they are any, and how they are shown."""

from __future__ import annotations

import re
from urllib.parse import urlsplit


def is_http_address(address: str) -> bool:
    """Return whether an address is one of HTTP, with a host and no impossible port."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets without an address, or a port that is none
        return False


def shown_address(address: str) -> str:
    """Return an address without user, password and query, which may hold secrets.

    >>> shown_address("https://ann:secret@traces.example:4318/v1/traces?key=secret")
    'https://traces.example:4318/v1/traces'
    """
    scheme = re.match("[a-zA-Z]+://", address)
    rest = address[scheme.end() :] if scheme else address
    place = re.split("[?#]", rest)[0]
    if "@" in rest and "@" not in place:  # a password with such a mark in it
        place = "…"
    return f"{scheme[0] if scheme else ''}{place.rpartition('@')[2]}"
