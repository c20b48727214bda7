"""Reading traces back, without a server: what an agent team did, from the record alone.

from podium.tracing import read_trace

trace = read_trace("out/trace.jsonl")
for span, depth in trace.walk():
    print("  " * depth + span.name)
"""

from podium.tracing.reading._critical_path import PathPiece
from podium.tracing.reading._diff import Change
from podium.tracing.reading._endings import Ending, Limit
from podium.tracing.reading._figures import By, Figures
from podium.tracing.reading._meaning import Role
from podium.tracing.reading._read import read_trace, read_traces
from podium.tracing.reading._span import (
    Source,
    SpanEvent,
    SpanKind,
    SpanLink,
    SpanStatus,
    TraceSpan,
)
from podium.tracing.reading._spending import Spending
from podium.tracing.reading._trace import Trace
from podium.tracing.reading._waits import Wait

__all__ = [
    "By",
    "Change",
    "Ending",
    "Figures",
    "Limit",
    "PathPiece",
    "Role",
    "Source",
    "SpanEvent",
    "SpanKind",
    "SpanLink",
    "SpanStatus",
    "Spending",
    "Trace",
    "TraceSpan",
    "Wait",
    "read_trace",
    "read_traces",
]
