"""What holds of every trace, however its run went."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from tree_invariants import broken

from podium.tracing.testing import SpanRecorder


def faults(recorder: SpanRecorder) -> list[str]:
    """Return what is wrong with the recorded spans: nothing when they are whole traces.

    All have ended, each trace is one tree, children end within their parents, and the usage of the
    model calls is what the outermost agent says in all.
    """
    wrong = [f"{span.name!r} is open" for span in recorder.open_spans] + broken(recorder.spans)
    for spans in traces_of(recorder.spans):
        wrong += _faults_of_tree(spans)
    return wrong


def traces_of(spans: Sequence[ReadableSpan]) -> list[list[ReadableSpan]]:
    """Return the spans by trace."""
    traces: dict[int, list[ReadableSpan]] = {}
    for span in spans:
        traces.setdefault(span.context.trace_id if span.context else 0, []).append(span)
    return list(traces.values())


def _faults_of_tree(spans: Sequence[ReadableSpan]) -> list[str]:
    by_id = {span.context.span_id: span for span in spans if span.context}
    roots = [span.name for span in spans if span.parent is None]
    wrong = [] if len(roots) == 1 else [f"roots: {roots}"]
    for span in spans:
        parent = by_id.get(span.parent.span_id) if span.parent else None
        if span.parent is not None and parent is None:
            wrong.append(f"{span.name!r} lost its parent")
        if parent is not None and (span.end_time or 0) > (parent.end_time or 0):
            wrong.append(f"{span.name!r} ends after its parent {parent.name!r}")
    return wrong
