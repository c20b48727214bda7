"""The lines of a span tree: name, tokens, cost, time, and where in the run it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import set_cell_size

from podium.tracing._stop_reasons import NATURAL
from podium.tracing._usage_tree import UsageTree
from podium.tracing.commands import _cells
from podium.tracing.commands._paint import Paint
from podium.tracing.reading import Role, Trace, TraceSpan
from podium.tracing.reading._endings import error_of

_TOKENS, _COST, _TIME, _BAR = 16, 10, 9, 20
"""Widths of the columns behind the name."""
_MIN_NAME = 30
_STYLES: dict[Role, str] = {
    "agent": "bold cyan",
    "workflow": "bold blue",
    "model": "magenta",
    "tool": "green",
    "hook": "yellow",
    "other": "",
}


@dataclass(frozen=True, slots=True)
class _Marks:
    """What lines and bars are drawn with."""

    tee: str = "├─ "
    corner: str = "└─ "
    down: str = "│  "
    full: str = "█"


_ASCII = _Marks("|- ", "`- ", "|  ", "#")


def tree_lines(trace: Trace, width: int, paint: Paint, depth: int | None) -> Iterator[str]:
    """Yield a line for each span down to `depth` levels, in the order of the tree."""
    row = _Row(trace, width, paint)
    waiting = [(root, "", "", 1) for root in reversed(trace.roots)]
    while waiting:
        span, guide, indent, level = waiting.pop()
        children = trace.children(span)
        shown = () if level == depth else children
        yield row.line(span, guide, hidden=len(children) - len(shown))
        for place, child in enumerate(reversed(shown)):
            waiting.append((child, *row.guides(indent, is_last=place == 0), level + 1))


class _Row:
    """Draws one line after another."""

    def __init__(self, trace: Trace, width: int, paint: Paint) -> None:
        self._paint = paint
        self._marks = _ASCII if paint.is_ascii else _Marks()
        self._name_width = max(_MIN_NAME, width - _TOKENS - _COST - _TIME - _BAR - 5)
        self._start_ns, self._whole_ns = trace.start_ns, trace.duration_ns or 1
        self._names: dict[str, str] = {}
        self._paths = trace.agent_paths
        self._calls = {each.span.span_id: each.usage for each in trace.spendings}
        self._nodes: dict[str, UsageTree] = {
            node.path: node for tree in trace.usage_trees() for node in tree.walk()
        }

    def _one_line(self, name: str) -> str:
        """Return a name made safe; the same few come again and again."""
        if name not in self._names:
            self._names[name] = _cells.one_line(name)
        return self._names[name]

    def guides(self, indent: str, *, is_last: bool) -> tuple[str, str]:
        """Return the line to a child, and the indent of what is below it.

        From half the width of the names on, levels stand below each other.
        """
        if len(indent) * 2 > self._name_width:
            return indent, indent
        if is_last:
            return indent + self._marks.corner, indent + "   "
        return indent + self._marks.tee, indent + self._marks.down

    def line(self, span: TraceSpan, guide: str, *, hidden: int) -> str:
        tokens, cost = self._used(span)
        role = span.role
        took = "..." if span.end_ns is None else _cells.duration(span.duration_ns)
        name = self._fitted(self._label(span), len(guide))
        cells = [
            self._paint(guide, "dim") + self._paint(name, _STYLES[role]),
            f"{tokens:>{_TOKENS}}",
            f"{cost:>{_COST}}",
            f"{took:>{_TIME}}",
            self._bar(span),
            *self._remarks(span, hidden),
        ]
        return " ".join(cells).rstrip()

    def _label(self, span: TraceSpan) -> str:
        """Return the span's name; of an agent that ran before, with the number of its path."""
        name = self._one_line(span.name) or "(no name)"
        _, again, number = self._paths.get(span.span_id, "").rpartition("#")
        return f"{name}#{number}" if again and number.isdigit() else name

    def _fitted(self, name: str, taken: int) -> str:
        room = max(_MIN_NAME // 2, self._name_width - taken)
        if name.isascii():
            return name.ljust(room) if len(name) <= room else f"{name[: room - 2]}.."
        return set_cell_size(name, room)

    def _used(self, span: TraceSpan) -> tuple[str, str]:
        """Return what was used: in a call, or by an agent and everything below it."""
        path = self._paths.get(span.span_id)
        node = None if path is None else self._nodes.get(path)
        if node is not None:
            total = f"= {node.total.total_tokens:,}" if node.total.total_tokens else ""
            return total, _cells.cost(node.cost)
        usage = self._calls.get(span.span_id)
        if usage is None and span.role == "model":  # one that wraps another
            usage = span.usage
        return _cells.tokens(usage), _cells.cost(None if usage is None else usage.cost)

    def _bar(self, span: TraceSpan) -> str:
        begin = (span.start_ns - self._start_ns) * _BAR // self._whole_ns
        end = -(-(span.start_ns + span.duration_ns - self._start_ns) * _BAR // self._whole_ns)
        begin = min(begin, _BAR - 1)
        bar = self._marks.full * max(1, end - begin)
        style = "red" if span.status == "error" else _STYLES[span.role]
        return " " * begin + self._paint(bar, style) + " " * (_BAR - begin - max(1, end - begin))

    def _remarks(self, span: TraceSpan, hidden: int) -> Iterator[str]:
        if span.status == "error":
            yield self._paint(_cells.one_line(error_of(span), 80), "bold red")
        reason = span.stop_reason
        if reason is not None and reason not in NATURAL:
            yield self._paint(_cells.one_line(reason, 80), "bold yellow")
        if span.end_ns is None:
            yield self._paint("no end", "yellow")
        if hidden:
            yield self._paint(f"+ {hidden:,} below", "dim")
