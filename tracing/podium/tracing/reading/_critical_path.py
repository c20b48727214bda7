"""The critical path: the work that, had it been faster, would have made the whole faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.tracing.reading._span import TraceSpan

if TYPE_CHECKING:
    from podium.tracing.reading._trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPiece:
    """A stretch of time in which everything waited for one span's own work."""

    span: TraceSpan
    """Whose work it was."""
    start_ns: int
    """When the stretch began, in nanoseconds since 1970."""
    end_ns: int
    """When it ended."""

    @property
    def duration_ns(self) -> int:
        """How long it was."""
        return self.end_ns - self.start_ns


@dataclass(slots=True)
class _Frame:
    """A span on the way back from its end, and the children that are still to be looked at."""

    span: TraceSpan
    until_ns: int
    children: list[TraceSpan]
    is_last: bool = True


def critical_path(trace: Trace, top: TraceSpan) -> tuple[PathPiece, ...]:
    """Return the stretches from `top`'s start to its end, without gap or overlap.

    Going back from the end, it follows the child that ended last, then from that child's start
    the one that ended last before it, and so on in each.
    """
    pieces: list[PathPiece] = []
    frames = [_frame(trace, top, _end(top))]
    while frames:
        frame = frames[-1]
        child = _last_before(frame)
        if child is None:
            _add(pieces, frame.span, frame.span.start_ns, frame.until_ns)
            frames.pop()
            continue
        child_end = min(_end(child), frame.until_ns)
        _add(pieces, frame.span, child_end, frame.until_ns)
        frame.until_ns = child.start_ns
        frames.append(_frame(trace, child, child_end))
    return tuple(reversed(pieces))


def _end(span: TraceSpan) -> int:
    return span.start_ns + span.duration_ns


def _frame(trace: Trace, span: TraceSpan, until_ns: int) -> _Frame:
    return _Frame(span, until_ns, sorted(trace.children(span), key=_end))


def _last_before(frame: _Frame) -> TraceSpan | None:
    """Take the child that ended last before the point reached, if it ran within the span.

    Only the first may have ended later, as some do that nobody waits for.
    """
    while frame.children:
        child = frame.children.pop()
        within = frame.span.start_ns <= child.start_ns < frame.until_ns
        if within and (frame.is_last or _end(child) <= frame.until_ns):
            frame.is_last = False
            return child
    return None


def _add(pieces: list[PathPiece], span: TraceSpan, start_ns: int, end_ns: int) -> None:
    if end_ns > start_ns:
        pieces.append(PathPiece(span=span, start_ns=start_ns, end_ns=end_ns))
