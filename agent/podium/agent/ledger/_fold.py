"""Rebuilding a ledger from the events it told: what a crash left can be read and gone on from."""

from __future__ import annotations

from collections.abc import Iterable

from podium.agent.ledger._account import Account
from podium.agent.ledger._events import LedgerEvent
from podium.agent.ledger._node import LedgerNode
from podium.agent.ledger._reservation import Reservation
from podium.agent.ledger._tree import LedgerTree


def fold(events: Iterable[LedgerEvent]) -> dict[str, Account]:
    """Return the accounts that these events describe, by path, in the order they were opened.

    An event that comes again is ignored. Reservations that no event ended are still held, so the
    accounts show as spent and held at least what was really spent.
    """
    folded = _Fold()
    for event in events:
        folded.add(event)
    return {path: Account(node) for path, node in folded.nodes.items()}


class _Fold:
    def __init__(self) -> None:
        self.nodes: dict[str, LedgerNode] = {}
        self.tree = LedgerTree(None)
        self._open: dict[int, Reservation] = {}
        self._seen: set[tuple[str, int]] = set()

    def add(self, event: LedgerEvent) -> None:
        if (event.kind, event.key) in self._seen:
            return
        self._seen.add((event.kind, event.key))
        self.tree.last_key = max(self.tree.last_key, event.key)
        if event.kind == "open":
            parent = None if event.parent is None else self.nodes[event.parent]
            self.nodes[event.path] = LedgerNode(self.tree, event.path, parent, event.key)
        self._change(self.nodes[event.path], event)

    def _change(self, node: LedgerNode, event: LedgerEvent) -> None:
        match event.kind:
            case "open":
                node.open(event.limits, event.amounts)
            case "reserve":
                self._open[event.key] = node.hold(event.amounts, event.key)
            case "settle":
                self._open.pop(event.key).settle(event.amounts)
            case "cancel" if event.key in self._open:
                self._open.pop(event.key).cancel()
            case "cancel":
                node.drop_aside()
            case "set_aside":
                node.set_aside(event.amounts, event.key)
            case "charge":
                node.charge(event.amounts, event.key)
            case "limit":
                node.set_limits(event.limits, event.key)
            case "close":
                node.close()
