"""What differs between two traces, such as a run before and after a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.tracing.reading._figures import By, Figures, figures

if TYPE_CHECKING:
    from podium.tracing.reading._trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One agent, model or tool in two traces."""

    by: By
    """Whether it is an agent's `path`, a `model` or a `tool`."""
    name: str
    """Its path or name."""
    before: Figures | None
    """In the first trace; None where it is not in that."""
    after: Figures | None
    """In the second trace; None where it is not in that."""

    @property
    def is_same(self) -> bool:
        """Whether nothing but time differs, which always does."""
        one, other = self.before, self.after
        if one is None or other is None:
            return False
        return (one.calls, one.errors, one.usage, one.endings) == (
            other.calls,
            other.errors,
            other.usage,
            other.endings,
        )


def diff(before: Trace, after: Trace) -> tuple[Change, ...]:
    """Return one change for each agent, model and tool in either trace, agents first.

    Within a kind they stand in the order of first start, those of the first trace before others.
    """
    one, other = figures(before), figures(after)
    order = {"path": 0, "model": 1, "tool": 2}
    subjects = sorted(dict.fromkeys([*one, *other]), key=lambda subject: order[subject[0]])
    return tuple(
        Change(by=by, name=name, before=one.get((by, name)), after=other.get((by, name)))
        for by, name in subjects
    )
