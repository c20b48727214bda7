"""OTLP documents as protobuf, by the messages that podium's extra `otlp` brings along."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, cast

from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from podium.tracing._text import clean_text

_IDS = frozenset({"traceId", "spanId", "parentSpanId"})


def encode_protobuf(document: Mapping[str, object]) -> bytes:
    """Return an OTLP JSON document as the protobuf message it stands for."""
    request = ParseDict(
        cast("dict[str, Any]", _adapted(document)),
        ExportTraceServiceRequest(),
        ignore_unknown_fields=True,
    )
    return request.SerializeToString()


def decode_answer(body: bytes) -> dict[str, object]:
    """Return a collector's answer in its JSON form; empty when it is none."""
    try:
        return MessageToDict(ExportTraceServiceResponse.FromString(body))
    except DecodeError:
        return {}


def _adapted(value: object) -> object:
    """Return a document with ids in base64, as protobuf's own JSON has them, and clean text."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_adapted(each) for each in cast("list[object]", value)]
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        return {
            key: base64.b64encode(bytes.fromhex(str(each))).decode("ascii")
            if key in _IDS
            else _adapted(each)
            for key, each in fields.items()
        }
    return value
