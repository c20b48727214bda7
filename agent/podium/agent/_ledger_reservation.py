"""A reservation: room held for one call, given back or charged when the call is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from podium.agent._ledger_amounts import Amounts, Resource, measured

if TYPE_CHECKING:
    from podium.agent.ledger import Account


class Reservation:
    """Room held for one call. Settle or cancel it; whichever comes first counts, once."""

    __slots__ = ("_is_open", "account", "amounts", "key")

    def __init__(self, account: Account, amounts: Amounts, key: int) -> None:
        """Hold the amounts on the account, which has checked that they fit."""
        self.account = account
        """The account that is charged."""
        self.amounts = amounts
        """What is held, per resource."""
        self.key = key
        """Names the reservation in the ledger's events."""
        self._is_open = True
        for resource, amount in amounts.items():
            account.lines[resource].move(0, amount, amount)

    def __repr__(self) -> str:
        """Return the account's path, the amounts, and whether they are still held."""
        state = "held" if self._is_open else "over"
        return f"<Reservation of {self.account.path!r}: {dict(self.amounts)}, {state}>"

    @property
    def is_open(self) -> bool:
        """Whether it is still held."""
        return self._is_open

    def settle(self, actual: Mapping[Resource, object] | None) -> None:
        """Charge what the call used and give back the rest.

        A reserved resource that `actual` does not name, or gives no whole number for, was not
        measured: it is charged as reserved, and the account is no longer `is_complete`. None
        stands for nothing measured. More than was reserved is charged too, as an overdraft.
        """
        account = self.account
        with account.tree.lock:
            if not self._is_open:
                return
            self._is_open = False
            used = measured(actual)
            for resource, reserved in self.amounts.items():
                line, charged = account.lines[resource], used.get(resource, reserved)
                line.move(charged, -reserved, -reserved)
                line.overdraw(charged - reserved)
            account.add({name: n for name, n in used.items() if name not in self.amounts})
            if not self.amounts.keys() <= used.keys():
                account.mark_incomplete()
            account.tree.tell("settle", account.path, self.key, used)
            account.tree.queue.serve()

    def cancel(self) -> None:
        """Give everything back: the call surely did no work."""
        account = self.account
        with account.tree.lock:
            if not self._is_open:
                return
            self._is_open = False
            for resource, amount in self.amounts.items():
                account.lines[resource].move(0, -amount, -amount)
            account.tree.tell("cancel", account.path, self.key)
            account.tree.queue.serve()
