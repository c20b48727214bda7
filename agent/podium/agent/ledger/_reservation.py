"""A reservation: room held for one call, given back or charged when the call is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from podium.agent.ledger._amounts import Amounts, Resource, measured

if TYPE_CHECKING:
    from podium.agent.ledger._node import LedgerNode


class Reservation:
    """Room held for one call. Settle or cancel it; whichever comes first counts, once."""

    __slots__ = ("_is_open", "_node", "amounts", "key")

    def __init__(self, node: LedgerNode, amounts: Amounts, key: int) -> None:
        """Hold the amounts, which fit; `Account.reserve` makes reservations."""
        self._node = node
        self.amounts = amounts
        """What is held, per resource."""
        self.key = key
        """Names the reservation in the ledger's events."""
        self._is_open = True
        for resource, amount in amounts.items():
            node.lines[resource].move(0, amount, amount)

    def __repr__(self) -> str:
        """Return the account's path, the amounts, and whether they are still held."""
        state = "held" if self._is_open else "over"
        return f"<Reservation of {self.path!r}: {dict(self.amounts)}, {state}>"

    @property
    def path(self) -> str:
        """The account that is charged."""
        return self._node.path

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
        node, tree = self._node, self._node.tree
        with tree.lock:
            if not self._is_open:
                return
            self._is_open = False
            used = measured(actual)
            for resource, reserved in self.amounts.items():
                line, charged = node.lines[resource], used.get(resource, reserved)
                line.move(charged, -reserved, -reserved)
                if charged > reserved:
                    line.overdraw(charged - reserved)
            if self.amounts.keys() != used.keys():
                node.add({name: used[name] for name in used.keys() - self.amounts.keys()})
                if self.amounts.keys() - used.keys():
                    node.mark_incomplete()
            tree.tell("settle", node.path, self.key, used)
            tree.queue.serve()

    def cancel(self) -> None:
        """Give everything back: the call surely did no work."""
        node, tree = self._node, self._node.tree
        with tree.lock:
            if not self._is_open:
                return
            self._is_open = False
            for resource, amount in self.amounts.items():
                node.lines[resource].move(0, -amount, -amount)
            tree.tell("cancel", node.path, self.key)
            tree.queue.serve()
