"""How a child's account gets room from its parent's: shared, granted, a fraction, a fair part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from podium.agent.ledger._amounts import RESOURCES, Amounts, Resource

Available: TypeAlias = Callable[[Resource], int | None]
"""Says how much of a resource the parent can still give; None where nothing limits it."""


class Allotment(Protocol):
    """How much of its parent's room a child gets."""

    @property
    def limits(self) -> Amounts:
        """The child's own limits."""
        ...

    def escrow(self, available: Available) -> dict[Resource, int]:
        """Return what the parent holds for the child from its start."""
        ...


@dataclass(frozen=True, slots=True)
class Shared:
    """The child draws on its parent as it needs, within limits of its own."""

    limits: Amounts = field(default_factory=dict[Resource, int])
    """The child's own limits; none by default."""

    def escrow(self, available: Available) -> dict[Resource, int]:
        """Return nothing: what a child has not reserved stays free for others."""
        return {}


@dataclass(frozen=True, slots=True)
class Granted:
    """The child gets these amounts for itself; other resources are shared."""

    amounts: Amounts
    """What is held for it until it is closed."""

    @property
    def limits(self) -> Amounts:
        """Nothing beyond the grant itself."""
        return {}

    def escrow(self, available: Available) -> dict[Resource, int]:
        """Return the amounts, whether or not they fit."""
        return dict(self.amounts)


@dataclass(frozen=True, slots=True)
class Fraction:
    """The child gets a part of whatever its parent has left of each limited resource."""

    share: float
    """Above 0, at most 1."""

    @property
    def limits(self) -> Amounts:
        """Nothing beyond the part itself."""
        return {}

    def escrow(self, available: Available) -> dict[Resource, int]:
        """Return the parts, rounded down, but 1 where anything is left."""
        return {
            resource: min(left, max(1, int(left * self.share)))
            for resource, left in _limited(available)
        }


@dataclass(frozen=True, slots=True)
class Fair:
    """The child gets the same as its siblings: one part of what is left for those still to come."""

    index: int
    """Which of the siblings it is, from 0."""
    count: int
    """How many siblings start together."""

    @property
    def limits(self) -> Amounts:
        """Nothing beyond the part itself."""
        return {}

    def escrow(self, available: Available) -> dict[Resource, int]:
        """Return the parts, rounded down, but 1 where anything is left."""
        waiting = max(1, self.count - self.index)
        return {
            resource: min(left, max(1, left // waiting)) for resource, left in _limited(available)
        }


def _limited(available: Available) -> list[tuple[Resource, int]]:
    """Return what is left of each resource that has a limit; never below 0."""
    limited: list[tuple[Resource, int]] = []
    for resource in RESOURCES:
        left = available(resource)
        if left is not None:
            limited.append((resource, max(0, left)))
    return limited
