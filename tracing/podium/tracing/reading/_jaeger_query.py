"""Traces from Jaeger's query address, the one its UI stands on."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from podium.tracing._addresses import shown_address
from podium.tracing.reading._json import Object, as_object, as_objects

if TYPE_CHECKING:
    import httpx2

_SECONDS = 30.0
_NEWEST = 20
"""How many traces of a service are asked for."""
_NOT_A_PATH = re.compile("[^0-9a-fA-F]")


def fetch_trace(address: str, trace_id: str | None) -> Object:
    """Return Jaeger's answer about one trace.

    Args:
        address: Such as `http://localhost:16686`; the address of a trace in Jaeger's UI will do.
        trace_id: Which trace, if `address` does not say it.

    Raises:
        ValueError: no trace is named, Jaeger cannot be reached, or has no such trace.
    """
    base, _, named = re.sub("/api/traces/|/trace/", "\n", address).partition("\n")
    wanted = trace_id or re.split("[?#/]", named)[0]
    if not wanted or _NOT_A_PATH.search(wanted):
        raise ValueError(
            f"Jaeger at {shown_address(address)!r} was asked for trace_id={wanted!r:.80}, which is "
            "no trace id. "
            "Pass its hex digits as trace_id=; result.trace_id has them."
        )
    return _get(base, f"api/traces/{wanted.lower()}", {})


def fetch_traces(address: str, service: str) -> Object:
    """Return Jaeger's answer about the newest traces of a service.

    Raises:
        ValueError: Jaeger cannot be reached.
    """
    return _get(address, "api/traces", {"service": service, "limit": str(_NEWEST)})


def _get(base: str, path: str, query: Mapping[str, str]) -> Object:
    import httpx2  # 0.1 s, and only needed to ask a server

    url = f"{base.rstrip('/')}/{path}"
    try:
        answer = httpx2.get(url, params=query or None, timeout=_SECONDS, follow_redirects=True)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        why = str(error).rstrip(".") or type(error).__name__
        raise ValueError(
            f"Jaeger cannot be asked at {shown_address(url)!r}: {why}. "
            "Start it, or give the address of its UI, such as http://localhost:16686."
        ) from error
    return _checked(answer, url)


def _checked(answer: httpx2.Response, url: str) -> Object:
    """Return the document in an answer.

    Raises:
        ValueError: it is no answer of Jaeger's, or an error.
    """
    try:
        document = as_object(json.loads(answer.content))
    except (ValueError, RecursionError):
        document = as_object(None)
    said = "; ".join(str(each.get("msg")) for each in as_objects(document.get("errors")))
    if answer.status_code == 200 and isinstance(document.get("data"), list) and not said:
        return document
    raise ValueError(
        f"Jaeger at {shown_address(url)!r} answered with status {answer.status_code}: "
        f"{(said or 'no JSON of a trace')[:120]}. "
        "Check the trace id, and that the address is that of Jaeger's UI."
    )
