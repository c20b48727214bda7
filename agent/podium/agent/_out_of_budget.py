"""A call found no room in the budget: raised inside the engine, where it becomes an ending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podium.agent.ledger import Denied


class OutOfBudgetError(Exception):
    """A call found no room; the loop turns it into the run's ending. Never leaves the engine."""

    def __init__(self, denied: Denied) -> None:
        """Keep what blocks."""
        super().__init__(denied)
        self.denied = denied

    def told(self) -> str:
        """Return what a model is told of a call that was not made."""
        facts = self.ending()
        return (
            f"Not run: {facts['by']!r} has used {facts['spent']} of {facts['limit']} "
            f"{facts['what']}. Answer from what you have."
        )

    def ending(self) -> dict[str, Any]:
        """Return the facts of the ending that this means."""
        from podium.agent._spending import ending_of  # loaded, since something was denied

        return ending_of(self.denied)
