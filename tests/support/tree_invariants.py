"""What holds of the spans of every run, however it went: whole trees, and each token owned once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan

from podium.tracing import attributes as names
from podium.tracing.testing import SpanRecorder


@pytest.fixture(autouse=True)
def every_run_adds_up() -> Iterator[None]:
    """Check after each test that all spans of its runs ended, and that their usage adds up."""
    with SpanRecorder() as recorder:
        yield
    assert recorder.open_spans == ()
    assert broken(recorder.spans) == []


def faults(recorder: SpanRecorder) -> list[str]:
    """Return what is wrong with the recorded spans: nothing when they are whole traces.

    All have ended, each trace is one tree, children end within their parents, and the usage of the
    model calls is what the outermost agent says in all.
    """
    wrong = [f"{span.name!r} is open" for span in recorder.open_spans] + broken(recorder.spans)
    for spans in traces_of(recorder.spans):
        wrong += _faults_of_tree(spans)
    return wrong


def broken(spans: Sequence[ReadableSpan]) -> list[str]:
    """Return what does not add up in the traces of these ended spans, in sentences.

    In each trace, what the model calls used is what their agents used themselves, and both are the
    total of the outermost agents.
    """
    return [
        f"{key}: chats {chats}, own {own}, total {total}"
        for members in traces_of(spans)
        for key, chats, own, total in _sums(members)
        if not chats == own == total
    ]


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


def _sums(spans: Sequence[ReadableSpan]) -> list[tuple[str, int, int, int]]:
    chats = [span for span in spans if _operation(span) == names.CHAT]
    agents = [span for span in spans if _operation(span) == names.INVOKE_AGENT]
    outermost = [span for span in agents if not (span.attributes or {}).get(names.AGENT_DEPTH)]
    return [
        (key, _sum(chats, key), _sum(agents, key), _sum(outermost, total))
        for key, total in (
            (names.INPUT_TOKENS, names.TOTAL_INPUT_TOKENS),
            (names.OUTPUT_TOKENS, names.TOTAL_OUTPUT_TOKENS),
        )
    ]


def _operation(span: ReadableSpan) -> object:
    return (span.attributes or {}).get(names.OPERATION)


def _sum(spans: Sequence[ReadableSpan], key: str) -> int:
    values = [(span.attributes or {}).get(key, 0) for span in spans]
    return sum(value for value in values if isinstance(value, int))
