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


def portions(examples: int, most: int = 250) -> list[int]:
    """Return the number cut in portions for tests of their own, so that none runs too long."""
    return [min(most, examples - start) for start in range(0, examples, most)]


COUNTED: Final[tuple[Resource, ...]] = ("tokens", "requests", "cost_nusd", "agents")
"""The resources that the laws are tried on."""


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

    def settled(self, resource: Resource) -> int:
        return self.spent[resource] + sum(each.settled(resource) for each in self.children)

    def overdraft(self, resource: Resource) -> int:
        return self.excess[resource] + sum(each.overdraft(resource) for each in self.children)

    def held(self, resource: Resource) -> int:
        own = sum(each.amounts.get(resource, 0) for each in self.reserved.values())
        below = sum(each.held_above(resource) for each in self.children)
        return own + self.aside.get(resource, 0) + below

    def held_above(self, resource: Resource) -> int:
        """What the account above must hold for this one."""
        spent, held = self.settled(resource), self.held(resource)
        return max(self.escrow.get(resource, 0), spent + held) - spent

    def in_flight(self, resource: Resource) -> int:
        """What its calls, and those below that draw on it, hold."""
        own = sum(each.amounts.get(resource, 0) for each in self.reserved.values())
        sharing = [each for each in self.children if resource not in each.escrow]
        return own + sum(each.in_flight(resource) for each in sharing)

    @property
    def live(self) -> int:
        """How many of the open accounts have no open account below them."""
        return sum(each.live for each in self.children) or int(not self.account.is_closed)

    def left(self, resource: Resource) -> int | None:
        return min(
            (
                each.limits[resource] - each.settled(resource) - each.held(resource)
                for each in self.draws_on(resource)
                if resource in each.limits
            ),
            default=None,
        )

    def over(self, resource: Resource) -> int:
        """How far it is over its limit, beyond what its calls used without room."""
        used = self.settled(resource) + self.held(resource)
        return used - self.limits[resource] - self.overdraft(resource)

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
