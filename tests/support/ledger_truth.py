"""What a ledger should say, kept the slow way: each account knows its own, and sums are summed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from podium.agent.ledger import Account, Amounts, Denied, Reservation, Resource

EXAMPLES = int(os.environ.get("PODIUM_LEDGER_EXAMPLES", "150"))
"""How many random trees are tried."""


def portions(examples: int, most: int = 100) -> list[int]:
    """Return the number cut in portions for tests of their own, so that none runs too long."""
    return [min(most, examples - start) for start in range(0, examples, most)]


COUNTED: Final[tuple[Resource, ...]] = ("tokens", "requests", "cost_nusd", "agents")
"""The resources that the laws are tried on."""


@dataclass
class Sums:
    """What one resource of an account comes to, with all below it."""

    settled: int
    held: int
    in_flight: int
    overdraft: int

    @property
    def used(self) -> int:
        return self.settled + self.held


@dataclass(eq=False)
class TrueAccount:
    """One account's own doings."""

    account: Account
    parent: TrueAccount | None
    limits: dict[Resource, int]
    escrow: dict[Resource, int] = field(default_factory=dict[Resource, int])
    children: list[TrueAccount] = field(default_factory=list["TrueAccount"])
    spent: Counter[Resource] = field(default_factory=Counter[Resource])
    reserved: dict[int, Reservation] = field(default_factory=dict[int, Reservation])
    aside: dict[Resource, int] = field(default_factory=dict[Resource, int])
    excess: Counter[Resource] = field(default_factory=Counter[Resource])
    excused: Counter[Resource] = field(default_factory=Counter[Resource])
    """How far above its limit an account may be because the limit was lowered."""
    is_measured: bool = True

    @property
    def path(self) -> str:
        return self.account.path

    def walk(self) -> Iterator[TrueAccount]:
        yield self
        for child in self.children:
            yield from child.walk()

    def line(self) -> Iterator[TrueAccount]:
        """Yield this account and all above it."""
        yield self
        if self.parent is not None:
            yield from self.parent.line()

    def draws_on(self, resource: Resource) -> Iterator[TrueAccount]:
        """Yield this account and those above it, up to the first that was granted the resource."""
        yield self
        if self.parent is not None and resource not in self.escrow:
            yield from self.parent.draws_on(resource)

    def sums(self) -> dict[str, dict[Resource, Sums]]:
        """Return the sums of this account and of all below it, by path."""
        found: dict[str, dict[Resource, Sums]] = {}
        for each in self.children:
            found |= each.sums()
        found[self.path] = {name: self._sum(name, found) for name in COUNTED}
        return found

    def _sum(self, name: Resource, below: dict[str, dict[Resource, Sums]]) -> Sums:
        own = sum(each.amounts.get(name, 0) for each in self.reserved.values())
        total = Sums(
            settled=self.spent[name],
            held=own + self.aside.get(name, 0),
            in_flight=own,
            overdraft=self.excess[name],
        )
        for each in self.children:
            sums, escrow = below[each.path][name], each.escrow.get(name)
            total.settled += sums.settled
            total.held += max(escrow or 0, sums.settled + sums.held) - sums.settled
            total.in_flight += sums.in_flight if escrow is None else 0
            total.overdraft += sums.overdraft
        return total

    @property
    def live(self) -> int:
        """How many of the open accounts have no open account below them."""
        return sum(each.live for each in self.children) or int(not self.account.is_closed)

    def left(self, name: Resource, sums: dict[str, dict[Resource, Sums]]) -> int | None:
        """Return what the limits leave, as long as no account is over its limit."""
        return min(
            (
                each.limits[name] - sums[each.path][name].used
                for each in self.draws_on(name)
                if name in each.limits
            ),
            default=None,
        )

    def over(self, name: Resource, sums: Sums) -> int:
        """How far it is over its limit, beyond what its calls used without room."""
        return sums.used - self.limits[name] - sums.overdraft

    def excess_of(self, used: Amounts) -> dict[Resource, int]:
        """Return what of an unreserved use there is no room for."""
        left = {name: self.account.available(name) for name in used}
        return {
            name: max(0, count - max(0, room))
            for name, count in used.items()
            if (room := left[name]) is not None
        }

    def left_beside_a_child(self, resource: Resource) -> int | None:
        """Return what is left when one more agent is counted."""
        left = self.account.available(resource)
        return left - 1 if left is not None and resource == "agents" else left

    @property
    def is_measured_below(self) -> bool:
        return all(each.is_measured for each in self.walk())


@dataclass
class Refusal:
    """Room that was denied, and has not come back since."""

    by: str
    resource: Resource
    least: int

    @classmethod
    def of(cls, denied: Denied, least: dict[Resource, int]) -> Refusal:
        return cls(denied.path, denied.resource, least[denied.resource])

    def forbids(self, account: TrueAccount, amounts: Amounts) -> bool:
        """Whether a reservation that succeeded should have been denied too."""
        blamed = [each.path for each in account.draws_on(self.resource)]
        return self.by in blamed and amounts.get(self.resource, -1) >= self.least


def figures(account: Account) -> dict[str, object]:
    """All that an account says of itself."""
    return {
        "complete": account.is_complete,
        "closed": account.is_closed,
        **{
            name: (
                account.limit(name),
                account.settled(name),
                account.held(name),
                account.overdraft(name),
                account.room(name),
            )
            for name in COUNTED
        },
    }
