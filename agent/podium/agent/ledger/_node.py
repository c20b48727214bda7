"""A place in the ledger's tree, behind an account: all of it is used under the tree's lock."""

from __future__ import annotations

from collections.abc import Iterator

from podium.agent.ledger._amounts import RESOURCES, Amounts, Resource, checked_amounts
from podium.agent.ledger._line import Denied, Line, blockers, denial
from podium.agent.ledger._reservation import Reservation
from podium.agent.ledger._tree import LedgerTree


class LedgerNode:
    """One account's lines, what it keeps back, and how many are at work there."""

    __slots__ = (
        "_aside",
        "_aside_key",
        "_is_granted",
        "_live_below",
        "depth",
        "is_closed",
        "is_complete",
        "key",
        "lines",
        "live",
        "parent",
        "path",
        "tree",
    )

    def __init__(self, tree: LedgerTree, path: str, parent: LedgerNode | None, key: int) -> None:
        """Join the tree, without limits."""
        self.tree = tree
        self.path = path
        self.parent = parent
        self.key = key
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.lines: dict[Resource, Line] = {
            name: Line(self, name, None if parent is None else parent.lines[name])
            for name in RESOURCES
        }
        self.is_closed = False
        self.is_complete = True
        self.live = 1
        """Open accounts, here and below, that have no open account below them."""
        self._live_below = 0
        self._is_granted = False
        self._aside: Amounts = {}
        self._aside_key = 0

    @property
    def is_keeping(self) -> bool:
        """Whether those above hold something for it that comes back only when it ends."""
        return self._is_granted or bool(self._aside)

    def up_to(self, top: LedgerNode) -> Iterator[LedgerNode]:
        """Yield this node and those above it that are below `top`."""
        node: LedgerNode | None = self
        while node is not None and node is not top:
            yield node
            node = node.parent

    def open(self, limits: Amounts, escrow: Amounts) -> None:
        """Set the limits, and hold what is granted above."""
        for name, limit in limits.items():
            self.lines[name].limit = limit
        for name, amount in escrow.items():
            self.lines[name].open_grant(amount)
        self._is_granted = bool(escrow)
        parent = self.parent
        if parent is not None:
            parent.lines["agents"].move(1, 0)
            parent.count_live(1)
        above = None if parent is None else parent.path
        self.tree.tell("open", self.path, self.key, escrow, limits=limits, parent=above)

    def count_live(self, change: int) -> None:
        """Learn that so many more are at work below."""
        before = self.live
        self._live_below += change
        self.live = self._live_below or int(not self.is_closed)
        if self.parent is not None and self.live != before:
            self.parent.count_live(self.live - before)

    def find_denial(self, least: Amounts) -> Denied | None:
        """Return why these amounts cannot be reserved now; None if they can be."""
        found = [
            each for name, amount in least.items() for each in blockers(self.lines[name], amount)
        ]
        if not found:
            return None
        # What blocks for good is the reason, also where something above it blocks for now.
        for_good = [line for line, could_fit_later in found if not could_fit_later]
        return denial(for_good or [line for line, _ in found], later=not for_good)

    def fit(self, want: Amounts, least: Amounts) -> dict[Resource, int] | Denied:
        """Return the largest amounts from `least` to `want` that fit; changes nothing."""
        amounts: dict[Resource, int] = {}
        for name, wanted in want.items():
            line = self.lines.get(name)
            if line is None or type(wanted) is not int or wanted < 0:
                checked_amounts(want)  # says what is wrong with it
            assert line is not None
            left = line.left()
            if left is None or left >= wanted:
                amounts[name] = wanted
            elif left >= least.get(name, wanted):
                amounts[name] = left
            else:
                floor: dict[Resource, int] = {
                    each: min(least.get(each, most), most) for each, most in want.items()
                }
                denied = self.find_denial(floor)
                assert denied is not None
                return denied
        return amounts

    def take(self, want: Amounts, least: Amounts) -> Reservation | Denied:
        """Reserve what fits, unless an earlier call waits for it."""
        held_up = self.tree.queue.claimed(self.lines, want)
        if held_up is not None:
            return denial([held_up], later=True)
        fitting = self.fit(want, least)
        return fitting if isinstance(fitting, Denied) else self.hold(fitting)

    def take_aside(self, want: Amounts, least: Amounts) -> Reservation | Denied:
        """Reserve what fits once what was set aside is free; a denial leaves it set aside."""
        aside, key = self._aside, self._aside_key
        self._keep({})
        fitting = self.fit(want, least)
        if isinstance(fitting, Denied):
            self._keep(aside)
            return fitting
        if aside:
            self.tree.tell("cancel", self.path, key)
        reservation = self.hold(fitting)
        self.tree.queue.serve()
        return reservation

    def hold(self, amounts: Amounts, key: int | None = None) -> Reservation:
        """Reserve these amounts, whether or not they fit."""
        reservation = Reservation(self, amounts, self.tree.new_key() if key is None else key)
        self.tree.tell("reserve", self.path, reservation.key, amounts)
        return reservation

    def room_for_aside(self, amounts: Amounts) -> Amounts:
        """Return what of these amounts fits."""
        left = {name: self.lines[name].left() for name in amounts}
        return {
            name: amount if (room := left[name]) is None else max(0, min(amount, room))
            for name, amount in amounts.items()
        }

    def set_aside(self, amounts: Amounts, key: int | None = None) -> None:
        """Keep back these amounts."""
        self._aside_key = self.tree.new_key() if key is None else key
        self._keep(amounts)
        self.tree.tell("set_aside", self.path, self._aside_key, amounts)

    def drop_aside(self) -> None:
        """Keep nothing back any more."""
        if self._aside:
            self._keep({})
            self.tree.tell("cancel", self.path, self._aside_key)
            self.tree.queue.serve()

    def _keep(self, amounts: Amounts) -> None:
        for name, amount in self._aside.items():
            self.lines[name].set_aside(-amount)
        for name, amount in amounts.items():
            self.lines[name].set_aside(amount)
        self._aside = amounts

    def add(self, amounts: Amounts) -> None:
        """Count as spent what nobody reserved; what there was no room for is an overdraft."""
        for name, amount in amounts.items():
            line = self.lines[name]
            left = line.left()
            line.move(amount, 0)
            line.overdraw(0 if left is None else amount - max(0, left))

    def charge(self, amounts: Amounts, key: int | None = None) -> None:
        """Count as spent what nobody reserved, and tell."""
        self.add(amounts)
        self.tree.tell("charge", self.path, self.tree.new_key() if key is None else key, amounts)

    def set_limits(self, limits: Amounts, key: int | None = None) -> None:
        """Set limits from now on."""
        for name, limit in limits.items():
            self.lines[name].limit = limit
        key = self.tree.new_key() if key is None else key
        self.tree.tell("limit", self.path, key, limits=limits)
        self.tree.queue.serve()

    def mark_incomplete(self) -> None:
        """Record, here and above, that something was charged that nobody had measured."""
        node: LedgerNode | None = self
        while node is not None and node.is_complete:
            node.is_complete = False
            node = node.parent

    def close(self) -> None:
        """Give back what was set aside and what of a grant is unused; calls under way go on."""
        self.drop_aside()
        for line in self.lines.values():
            line.close_grant()
        self._is_granted = False
        self.is_closed = True
        self.count_live(0)
        self.tree.tell("close", self.path, self.key)
        self.tree.queue.serve()
