"""What was wrong with a record, one sentence for each kind of fault however often it was met."""

from __future__ import annotations

from podium.tracing._text import printable


class Problems:
    """Counts faults by kind and keeps the first example of each."""

    def __init__(self) -> None:
        """Start with none."""
        self._found: dict[str, tuple[int, str]] = {}

    def note(self, kind: str, example: str = "") -> None:
        """Count a fault; `{count}` in `kind` becomes `2 spans were`, `{lines}` `2 lines were`."""
        count, first = self._found.get(kind, (0, example))
        self._found[kind] = (count + 1, first)

    def count(self, kind: str) -> int:
        """Return how often this kind was met."""
        return self._found.get(kind, (0, ""))[0]

    def sentences(self) -> tuple[str, ...]:
        """Return a sentence for each kind, in the order in which they were met."""
        return tuple(_sentence(kind, *found) for kind, found in self._found.items())


def _sentence(kind: str, count: int, example: str) -> str:
    text = kind.format(
        count=_counted(count, "span"),
        lines=_counted(count, "line"),
        documents=_counted(count, "document"),
    )
    return f"{text} (first: {printable(example, limit=80)!r})." if example else f"{text}."


def _counted(count: int, noun: str) -> str:
    return f"1 {noun} was" if count == 1 else f"{count:,} {noun}s were"
