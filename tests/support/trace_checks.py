"""What holds of every trace, however its run went."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.sdk.trace import ReadableSpan

from podium.tracing import attributes as names
from podium.tracing.testing import SpanRecorder


def faults(recorder: SpanRecorder) -> list[str]:
    """Return what is wrong with the recorded spans: nothing when they are whole traces.

    All have ended, each trace is one tree, children lie within their parents, and in each tree the
    usage of the model calls is what its outermost agent says in all.
    """
    wrong = [f"{span.name!r} is open" for span in recorder.open_spans]
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
    roots = [span for span in spans if span.parent is None]
    wrong = [] if len(roots) == 1 else [f"roots: {[span.name for span in roots]}"]
    for span in spans:
        parent = by_id.get(span.parent.span_id) if span.parent else None
        if span.parent is not None and parent is None:
            wrong.append(f"{span.name!r} lost its parent")
        if parent is not None and (span.end_time or 0) > (parent.end_time or 0):
            wrong.append(f"{span.name!r} ends after its parent {parent.name!r}")
    outermost = [span for span in spans if (span.attributes or {}).get(names.AGENT_DEPTH) == 0]
    if len(outermost) == 1:
        wrong += _faults_of_usage(spans, outermost[0])
    return wrong


def _faults_of_usage(spans: Sequence[ReadableSpan], root: ReadableSpan) -> list[str]:
    wrong: list[str] = []
    for own, total in (
        (names.INPUT_TOKENS, names.TOTAL_INPUT_TOKENS),
        (names.OUTPUT_TOKENS, names.TOTAL_OUTPUT_TOKENS),
    ):
        of_calls = _sum(spans, names.CHAT, own)
        of_agents = _sum(spans, names.INVOKE_AGENT, own)
        in_all = number(root, total)
        if not of_calls == of_agents == in_all:
            wrong.append(f"{own}: calls {of_calls}, agents {of_agents}, root {in_all}")
    return wrong


def _sum(spans: Sequence[ReadableSpan], operation: str, key: str) -> int:
    chosen = [span for span in spans if (span.attributes or {}).get(names.OPERATION) == operation]
    return sum(number(span, key) for span in chosen)


def number(span: ReadableSpan, key: str) -> int:
    """Return a count on a span; 0 where there is none."""
    return int(str((span.attributes or {}).get(key, 0)))
