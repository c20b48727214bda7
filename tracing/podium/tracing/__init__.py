"""What happened in a run: who used how many tokens, and the spans that show it.

Every result of an agent carries a `UsageTree`; `print` it for a table by agent path. Spans follow
the OpenTelemetry GenAI conventions and are recorded only where somebody asks for them:

    from podium.tracing import setup_tracing

    with setup_tracing(file="out/trace.jsonl"):
        agent.run("What is a closure?")

and can be read back from there with `read_trace("out/trace.jsonl")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podium.tracing._usage import Usage
from podium.tracing._usage_tree import CallUsage, UsageTree

if TYPE_CHECKING:
    from podium.tracing.reading import Trace, read_trace
    from podium.tracing.setup import TracingHandle, setup_tracing

__all__ = [
    "CallUsage",
    "Trace",
    "TracingHandle",
    "Usage",
    "UsageTree",
    "read_trace",
    "setup_tracing",
]


def __getattr__(name: str) -> Any:
    """Load the parts that most runs do without when they are first asked for."""
    if name in ("TracingHandle", "setup_tracing"):
        from podium.tracing import setup  # the OpenTelemetry SDK costs 80 ms

        return getattr(setup, name)
    if name in ("Trace", "read_trace"):
        from podium.tracing import reading  # a run writes traces and reads none

        return getattr(reading, name)
    raise AttributeError(f"module 'podium.tracing' has no attribute {name!r}")
