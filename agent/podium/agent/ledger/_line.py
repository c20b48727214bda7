"""One resource on one account: what is spent and held there, and what the accounts above allow.

The arithmetic of the ledger lives here. A line hands each change on to the line above it. Where a
grant was given the amount is held above already, so spending inside it changes nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.agent.ledger._amounts import Resource

if TYPE_CHECKING:
    from podium.agent.ledger._node import LedgerNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a resource's tightest limit leaves to an account."""

    left: int
    """What can be reserved now; below 0 after an overdraft."""
    returning: int
    """What calls under way hold there; a part of it will come back."""
    later: int
    """What all limits would leave if calls under way used nothing."""
    live: int
    """How many agents at that limit or below are at work, not waiting for agents below them."""


class Line:
    """The figures of one resource on one account; they include everything below it."""

    __slots__ = (
        "above",
        "aside",
        "escrow",
        "held",
        "in_flight",
        "limit",
        "overdraft",
        "owner",
        "resource",
        "settled",
    )

    def __init__(
        self, owner: LedgerNode, resource: Resource, above: Line | None, *, limit: int | None = None
    ) -> None:
        """Start with nothing spent and nothing held."""
        self.owner = owner
        self.resource: Resource = resource
        self.above = above
        self.limit = limit
        """The most that may be settled and held; None for no limit."""
        self.settled = 0
        """What was spent, for good."""
        self.held = 0
        """What is reserved, set aside or granted, and not spent yet."""
        self.in_flight = 0
        """The part of `held` that calls under way will give back to this line."""
        self.aside = 0
        """The part of `held` that this account itself keeps for its last call."""
        self.escrow: int | None = None
        """What the line above holds for this one while its grant is open."""
        self.overdraft = 0
        """What was used beyond what had been reserved."""

    def move(self, settled: int, held: int, in_flight: int = 0) -> None:
        """Add to what is settled, held and in flight, here and on every line above."""
        line: Line | None = self
        while line is not None:
            line.settled += settled
            line.held += held
            line.in_flight += in_flight
            if line.escrow is not None:
                after = line.settled + line.held
                before = after - settled - held
                held = max(after, line.escrow) - max(before, line.escrow) - settled
                in_flight = 0
                if not settled and not held:
                    return
            line = line.above

    def open_grant(self, amount: int) -> None:
        """Hold `amount` above for what is spent here; nobody else can take it then."""
        self.limit = amount if self.limit is None else min(self.limit, amount)
        self.escrow = amount
        if self.above is not None:
            self.above.move(0, amount)

    def close_grant(self) -> None:
        """Give back what of the grant is neither spent nor held by a call under way."""
        if self.escrow is None or self.above is None:
            return
        needed = self.settled + self.held
        unused = max(self.escrow, needed) - needed
        self.escrow = None
        self.above.move(0, -unused, self.in_flight)

    def set_aside(self, amount: int) -> None:
        """Keep `amount` back; a negative one is released."""
        self.aside += amount
        self.move(0, amount)

    def overdraw(self, excess: int) -> None:
        """Record a use that no reservation had room for, here and above; no limit, no overdraft."""
        if excess <= 0 or self.left() is None:
            return
        line: Line | None = self
        while line is not None:
            line.overdraft += excess
            line = line.above

    def left(self) -> int | None:
        """Return what can be reserved here; below 0 after an overdraft, None without a limit."""
        limits = self.limits()
        return min([left for _, left in limits]) if limits else None

    def room(self) -> Room | None:
        """Return what the tightest limit leaves; None without a limit."""
        limits = self.limits()
        if not limits:
            return None
        line, left = min(limits, key=lambda each: each[1])
        later = min([left + line.in_flight for line, left in limits])
        return Room(left=left, returning=line.in_flight, later=later, live=line.owner.live)

    def limits(self) -> list[tuple[Line, int]]:
        """Return each line that limits this one, upwards, and what it leaves to this one.

        Above a grant only lines in overdraft do: what they hold for the grant is cut by what they
        lack themselves.
        """
        found: list[tuple[Line, int]] = []
        line: Line | None = self
        unused, is_granted = 0, False
        while line is not None:
            if line.limit is not None:
                left = line.limit - line.settled - line.held
                if left < 0 or not is_granted:
                    found.append((line, left + unused))
            if line.escrow is not None:
                is_granted = True
                unused += line.escrow - line.settled - line.held
            line = line.above
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """A reservation, or a child, that an account had no room for."""

    path: str
    """The account that blocks; the one nearest the root where several do."""
    resource: Resource
    """What it has too little of."""
    limit: int
    """Its limit."""
    spent: int
    """What was spent there and below."""
    held: int
    """What was reserved, granted or set aside there and below."""
    could_fit_later: bool
    """Whether it would fit if everything came back that calls and agents now hold."""


def denial(lines: Sequence[Line], *, later: bool) -> Denied:
    """Return what to say of lines that block: the one nearest the root speaks."""
    line = min(lines, key=lambda each: each.owner.depth)
    return Denied(
        path=line.owner.path,
        resource=line.resource,
        limit=line.limit or 0,
        spent=line.settled,
        held=line.held,
        could_fit_later=later,
    )


def blockers(start: Line, least: int) -> Iterator[tuple[Line, bool]]:
    """Yield each line that has no room for `least`, and whether it could have some later.

    What calls under way hold will come back. What others were granted or set aside comes back
    when they end; but that is not waited for by an agent that has such a hold of its own below
    the line, for two of these could wait for each other's end.
    """
    for line, left in start.limits():
        if left < least:
            is_keeping = any(owner.is_keeping for owner in start.owner.up_to(line.owner))
            coming = line.in_flight if is_keeping else line.held - line.aside
            yield line, left + coming >= least
