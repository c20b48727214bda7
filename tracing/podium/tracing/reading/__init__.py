"""Reading traces back, without a server: what an agent team did, from the record alone.

from podium.tracing import read_trace

trace = read_trace("out/trace.jsonl")
for span, depth in trace.walk():
    print("  " * depth + span.name)
"""

from podium.tracing.reading._read import read_trace, read_traces
from podium.tracing.reading._span import (
    Source,
    SpanEvent,
    SpanKind,
    SpanLink,
    SpanStatus,
    TraceSpan,
)
from podium.tracing.reading._trace import Trace

__all__ = [
    "Source",
    "SpanEvent",
    "SpanKind",
    "SpanLink",
    "SpanStatus",
    "Trace",
    "TraceSpan",
    "read_trace",
    "read_traces",
]
