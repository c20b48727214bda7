"""What happened in a run: who used how many tokens, and the spans that show it.

Every result of an agent carries a `UsageTree`; `print` it for a table by agent path. Spans follow
the OpenTelemetry GenAI conventions and are recorded only where somebody asks for them:

    from podium.tracing import setup_tracing

    with setup_tracing(file="out/trace.jsonl"):
        agent.run("What is a closure?")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podium.tracing._usage import Usage
from podium.tracing._usage_tree import CallUsage, UsageTree

if TYPE_CHECKING:
    from podium.tracing.setup import TracingHandle, setup_tracing

__all__ = ["CallUsage", "TracingHandle", "Usage", "UsageTree", "setup_tracing"]


def __getattr__(name: str) -> Any:
    """Load the parts that need the OpenTelemetry SDK when they are first asked for."""
    if name in ("TracingHandle", "setup_tracing"):
        from podium.tracing import setup  # the SDK costs 80 ms, and most runs do without it

        return getattr(setup, name)
    raise AttributeError(f"module 'podium.tracing' has no attribute {name!r}")
