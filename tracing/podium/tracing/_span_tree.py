"""Spans as a tree: each below the one it was started in, siblings in the order of their start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from opentelemetry.sdk.trace import ReadableSpan


def in_tree_order(spans: Iterable[ReadableSpan]) -> Iterator[tuple[int, ReadableSpan]]:
    """Yield each span with its depth, parents first; `spans` are in the order of their start.

    A span whose parent is not among them is a root.
    """
    listed = list(spans)
    known = {span_id(span) for span in listed}
    children: dict[int | None, list[ReadableSpan]] = {}
    for span in listed:
        parent = span.parent.span_id if span.parent else None
        children.setdefault(parent if parent in known else None, []).append(span)
    waiting = [(0, span) for span in reversed(children.get(None, []))]
    while waiting:
        depth, span = waiting.pop()
        yield depth, span
        waiting.extend((depth + 1, child) for child in reversed(children.get(span_id(span), [])))


def span_id(span: ReadableSpan) -> int | None:
    """Return a span's id."""
    context = span.get_span_context()
    return None if context is None else context.span_id
