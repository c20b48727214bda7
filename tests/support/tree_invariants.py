"""What holds for every run of every test: all spans end, and no token has two owners or none."""

from __future__ import annotations

from collections import defaultdict
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


def broken(spans: Sequence[ReadableSpan]) -> list[str]:
    """Return what does not add up in the traces of these ended spans, in sentences.

    In each trace, what the model calls used is what their agents used themselves, and both are the
    total of the outermost agents.
    """
    by_trace: defaultdict[int, list[ReadableSpan]] = defaultdict(list)
    for span in spans:
        context = span.get_span_context()
        by_trace[context.trace_id if context else 0].append(span)
    return [
        f"{key}: chats {chats}, own {own}, total {total}"
        for members in by_trace.values()
        for key, chats, own, total in _sums(members)
        if not chats == own == total
    ]


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
