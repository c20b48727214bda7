"""What was measured, against what was promised: the rows of the report and the table they make."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the report."""

    job: str
    """The job's name, such as J1."""
    what: str
    """What was measured."""
    unit: str
    """What podium's figure and the other one are in."""
    podium: float
    """What podium took: the median of the rounds, or the least where nothing is compared."""
    other: float | None = None
    """What it is compared with took, or what tells how fast the machine is."""
    ratio: float | None = None
    """The median of the rounds' ratios."""
    target: float | None = None
    """The most that the ratio, or podium's figure, may be; None for a figure without a promise."""

    @property
    def is_over(self) -> bool:
        """Whether the promise is broken."""
        measured = self.podium if self.ratio is None else self.ratio
        return self.target is not None and measured > self.target

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {**dataclasses.asdict(self), "ok": not self.is_over}


def compared(
    job: str,
    what: str,
    pairs: Sequence[tuple[float, float]],
    *,
    target: float,
    unit: str = "us",
    scale: float = 1e6,
) -> Row:
    """Return the row of rounds that each measured podium and what it is compared with."""
    return Row(
        job=job,
        what=what,
        unit=unit,
        podium=statistics.median(podium for podium, _ in pairs) * scale,
        other=statistics.median(other for _, other in pairs) * scale,
        ratio=statistics.median(podium / other for podium, other in pairs),
        target=target,
    )


def plain(
    job: str,
    what: str,
    figures: Sequence[float],
    *,
    unit: str,
    target: float | None = None,
    other: float | None = None,
    scale: float = 1.0,
) -> Row:
    """Return the row of a figure that is held against its target by itself.

    The least of the rounds counts: other work on the machine only ever adds to a figure. `other`
    is shown beside it, to tell how fast the machine is.
    """
    podium = min(figures) * scale
    return Row(job=job, what=what, unit=unit, podium=podium, other=other, target=target)


def table(rows: Sequence[Row]) -> str:
    """Return the report."""
    lines = [("job", "what", "podium", "raw loop", "unit", "ratio", "target", "")]
    lines += [
        (
            row.job,
            row.what,
            _number(row.podium),
            _number(row.other),
            row.unit,
            _number(row.ratio),
            _number(row.target),
            "" if row.target is None else "over" if row.is_over else "ok",
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    is_text = (True, True, False, False, True, False, False, True)
    return "\n".join(
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(line, widths, is_text, strict=True)
        ).rstrip()
        for line in lines
    )


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
