"""Ids of traces and spans as hex digits of full length, however a producer wrote them."""

from __future__ import annotations

import base64
import binascii
import functools
import re

from podium.tracing.reading._json import as_text
from podium.tracing.reading._problems import Problems

TRACE_DIGITS, SPAN_DIGITS = 32, 16
NO_TRACE = "0" * TRACE_DIGITS
"""Stands for the trace id of spans that have none."""
_HEX = re.compile("[0-9a-f]+")


def normal(value: object, digits: int) -> str:
    """Return an id of so many hex digits; empty when the value is none, or all zeros.

    Jaeger leaves leading zeros out; encoders that know only protobuf write base64.
    """
    return _normal(as_text(value), digits)


@functools.lru_cache(maxsize=1_024)  # a parent's id comes again and again, a trace's always
def _normal(written: str, digits: int) -> str:
    low = written.lower()
    if not (len(low) <= digits and _HEX.fullmatch(low)):
        try:
            low = base64.b64decode(written, validate=True).hex()
        except (binascii.Error, ValueError):  # ValueError: not ASCII
            return ""
        if len(low) != digits:
            return ""
    return low.rjust(digits, "0") if low.strip("0") else ""


def trace_id(value: object, name: str, problems: Problems) -> str:
    """Return the trace id of the span of this name; all zeros when it has none."""
    found = normal(value, TRACE_DIGITS)
    if not found:
        problems.note("{count} without a trace id; shown in a trace of their own", name)
    return found or NO_TRACE


def span_id(value: object, name: str, problems: Problems) -> str:
    """Return the id of the span of this name; one that no tracer hands out when it has none."""
    found = normal(value, SPAN_DIGITS)
    if found:
        return found
    kind = "{count} without an id; one was made up"
    problems.note(kind, name)
    return f"{problems.count(kind):0{SPAN_DIGITS}x}"
