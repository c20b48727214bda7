"""Which spans are drawn: all of them, or of a very large trace the topmost."""

from __future__ import annotations

from collections import Counter

from podium.tracing.reading import Trace, TraceSpan

MAX_SPANS = 100_000
"""A browser opens so many within seconds."""


def drawn_spans(trace: Trace) -> list[TraceSpan]:
    """Return at most `MAX_SPANS` spans in the order of the tree, each with all above it."""
    if len(trace.spans) <= MAX_SPANS:
        return list(trace.spans)
    depths = [depth for _, depth in trace.walk()]
    deepest, room = _deepest_level(Counter(depths))
    drawn: list[TraceSpan] = []
    for span, depth in zip(trace.spans, depths, strict=True):
        if depth < deepest:
            drawn.append(span)
        elif depth == deepest and room:
            drawn.append(span)
            room -= 1
    return drawn


def _deepest_level(sizes: Counter[int]) -> tuple[int, int]:
    """Return the level that is drawn in part, and how many of its spans have room."""
    depth, room = 0, MAX_SPANS
    while sizes[depth] <= room:  # there are more than `MAX_SPANS` in all
        room -= sizes[depth]
        depth += 1
    return depth, room
