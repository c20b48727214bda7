"""Sending recorded spans to a collector, over OTLP/HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit, urlunsplit

from podium.tracing._addresses import is_http_address, shown_address
from podium.tracing._encode import encode
from podium.tracing._text import printable
from podium.tracing.export._otlp_document import otlp_document
from podium.tracing.reading import TraceSpan
from podium.tracing.reading._json import Object, as_int, as_object, as_text

if TYPE_CHECKING:
    import httpx2

_SECONDS = 30.0
_MAX_SPANS = 512
_MAX_CHARS = 2 * 1024 * 1024
"""Of attribute text in one request: collectors refuse bodies over a few megabytes."""
_PATH = "/v1/traces"

Encoding = Literal["protobuf", "json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PushReport:
    """What a collector took of one request."""

    spans: int
    """How many spans were sent."""
    rejected: int = 0
    """How many of them the collector says it left out."""
    message: str = ""
    """What the collector says about it."""


def push(
    spans: Iterable[TraceSpan],
    endpoint: str,
    *,
    headers: Mapping[str, str] | None = None,
    encoding: Encoding | None = None,
) -> Iterator[PushReport]:
    """Send spans in requests of a few hundred, and yield a report after each.

    Args:
        spans: Such as `trace.spans`.
        endpoint: Such as `http://localhost:4318`; `/v1/traces` is added where there is no path.
        headers: Sent with each request, for collectors that want a key.
        encoding: How; without it protobuf where podium's extra `otlp` is installed, else JSON.

    Raises:
        ValueError: the endpoint is no address, cannot be reached, or refuses a request.
    """
    import httpx2  # 0.1 s, and only needed to send

    url = _url(endpoint)
    shown = shown_address(url)
    encoding = encoding or ("protobuf" if _has_protobuf() else "json")
    kind = "application/x-protobuf" if encoding == "protobuf" else "application/json"
    with httpx2.Client(
        timeout=_SECONDS, headers={**(headers or {}), "content-type": kind}
    ) as client:
        for batch in _batches(spans):
            try:
                answer = client.post(url, content=_encoded(batch, encoding))
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                raise ValueError(
                    f"Spans cannot be sent to {shown!r}: {error or type(error).__name__}. "
                    "Start the collector, or give the address at which it takes OTLP over HTTP."
                ) from error
            yield _report(answer, len(batch), shown)


def _url(endpoint: str) -> str:
    """Return the address of the traces of an endpoint.

    Raises:
        ValueError: it is none.
    """
    if not is_http_address(endpoint):
        raise ValueError(
            f"The endpoint {shown_address(endpoint)!r} is no address of a collector. "
            "Write it as in http://localhost:4318."
        )
    parts = urlsplit(endpoint)
    return endpoint if parts.path not in ("", "/") else urlunsplit(parts._replace(path=_PATH))


def _batches(spans: Iterable[TraceSpan]) -> Iterator[list[TraceSpan]]:
    batch: list[TraceSpan] = []
    size = 0
    for span in spans:
        weight = sum(
            len(value) for value in span.attributes.values() if isinstance(value, str | bytes)
        )
        if batch and (len(batch) == _MAX_SPANS or size + weight > _MAX_CHARS):
            yield batch
            batch, size = [], 0
        batch.append(span)
        size += weight
    if batch:
        yield batch


def _has_protobuf() -> bool:
    try:
        return find_spec("opentelemetry.proto.collector") is not None
    except ModuleNotFoundError:
        return False


def _encoded(batch: list[TraceSpan], encoding: Encoding) -> bytes:
    document = otlp_document(batch)
    if encoding == "json":
        return encode(document)
    from podium.tracing.export import _protobuf  # needs the extra `otlp`

    return _protobuf.encode_protobuf(document)


def _report(answer: httpx2.Response, spans: int, shown: str) -> PushReport:
    """Return what a collector says about one request.

    Raises:
        ValueError: it refuses the request.
    """
    if not answer.is_success:
        said = " ".join(answer.text.split()) or answer.reason_phrase
        raise ValueError(
            f"The collector at {shown!r} refused {spans} spans with status {answer.status_code}: "
            f"{printable(said, limit=100)}. "
            "Check the path and the headers that this collector wants."
        )
    told = as_object(_parsed(answer).get("partialSuccess"))
    return PushReport(
        spans=spans,
        rejected=as_int(told.get("rejectedSpans")) or 0,
        message=as_text(told.get("errorMessage")),
    )


def _parsed(answer: httpx2.Response) -> Object:
    if "protobuf" in answer.headers.get("content-type", "") and _has_protobuf():
        from podium.tracing.export import _protobuf  # needs the extra `otlp`

        return _protobuf.decode_answer(answer.content)
    try:
        return as_object(json.loads(answer.content))
    except (ValueError, RecursionError):  # nothing, or what only a browser shows
        return as_object(None)
