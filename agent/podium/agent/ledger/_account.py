"""An account of the ledger: what one agent run, and all below it, may use and has used."""

from __future__ import annotations

from collections.abc import Callable

from podium.agent.errors import AgentError
from podium.agent.ledger._allotments import Allotment, Shared
from podium.agent.ledger._amounts import Amounts, Resource, checked_amounts
from podium.agent.ledger._events import LedgerObserver
from podium.agent.ledger._line import Denied, Room
from podium.agent.ledger._node import LedgerNode
from podium.agent.ledger._queue import Sizing, Waiter
from podium.agent.ledger._reservation import Reservation
from podium.agent.ledger._tree import LedgerTree


class Account:
    """What one agent run, and all below it, may use, has used and holds.

    Safe to use from any thread. Figures are ints; None stands for no limit.
    """

    __slots__ = ("_node",)

    def __init__(self, node: LedgerNode) -> None:
        """Show a place in a ledger; `root` and `open_child` make accounts."""
        self._node = node

    def __repr__(self) -> str:
        """Return the path, and what is spent, held and allowed of what is limited."""
        figures = "".join(
            f", {name} {line.settled}+{line.held} of {line.limit}"
            for name, line in self._node.lines.items()
            if line.limit is not None
        )
        return f"<Account {self.path!r}{figures}>"

    @classmethod
    def root(
        cls, path: str, limits: Amounts | None = None, *, observer: LedgerObserver | None = None
    ) -> Account:
        """Return the first account of a new ledger.

        Raises:
            ValueError: an unknown resource, or a limit below zero.
            TypeError: a limit that is no int.
        """
        tree, checked = LedgerTree(observer), checked_amounts(limits or {})
        node = LedgerNode(tree, path, None, tree.new_key())
        node.open(checked, {})
        return cls(node)

    def open_child(self, path: str, allotment: Allotment | None = None) -> Account | Denied:
        """Return an account below this one, or why there is no room for it.

        It counts as one of the `agents`. Without an allotment it shares all room. Paths are the
        caller's to choose; events and denials tell accounts apart by them.

        Raises:
            AgentError: this account is closed.
            ValueError: the allotment names an unknown resource or an amount below zero.
            TypeError: the allotment has an amount that is no int.
        """
        node, allotment = self._node, allotment or Shared()
        limits = checked_amounts(allotment.limits)
        with node.tree.lock:
            self._check_open()
            escrow = checked_amounts(allotment.escrow(self._left_beside_a_child))
            denied = node.find_denial({**escrow, "agents": escrow.get("agents", 0) + 1})
            if denied is not None:
                return denied
            child = LedgerNode(node.tree, path, node, node.tree.new_key())
            child.open(limits, escrow)
            return Account(child)

    def reserve(
        self, want: Amounts, least: Amounts | None = None, *, from_reserve: bool = False
    ) -> Reservation | Denied:
        """Return room for one call, or why there is none; a denial changes nothing.

        Args:
            want: The most to reserve of each resource.
            least: The least that will do; what is not named here must be had as wanted. Of each
                resource the largest amount in between is taken that fits.
            from_reserve: Whether to use what was `set_aside` too, which is then no longer kept
                back. Only such a call may overtake those that wait.

        Raises:
            AgentError: the account is closed.
            ValueError: an unknown resource, or an amount below zero.
            TypeError: an amount that is no int.
        """
        node, least = self._node, want if least is None else least
        with node.tree.lock:
            self._check_open()
            return node.take_aside(want, least) if from_reserve else node.take(want, least)

    async def reserve_waiting(
        self, sizing: Sizing, on_wait: Callable[[Denied], object] | None = None
    ) -> Reservation | Denied:
        """Return room for one call, waiting while it would fit once present holds come back.

        First come, first served. `sizing` says how much to ask for; it is called again, by
        whoever makes room and under the ledger's lock, each time that this call's turn is
        considered. A call that is cancelled while it waits leaves no trace. `on_wait` is called
        with what stands in the way, if the call has to wait.

        Raises:
            AgentError: the account is closed.
        """
        node = self._node
        with node.tree.lock:
            self._check_open()
            size = sizing()
            outcome = node.take(*size)
            if isinstance(outcome, Reservation) or not outcome.could_fit_later:
                return outcome
            waiter = Waiter(node, sizing, size)
            node.tree.queue.join(waiter)
        try:
            if on_wait is not None:
                on_wait(outcome)
            return await waiter.wait()
        except BaseException:
            with node.tree.lock:
                node.tree.queue.leave(waiter)
            raise

    def set_aside(self, amounts: Amounts) -> Amounts:
        """Keep amounts back for a last call, and return what of them there was room for.

        They count as held, so nothing else takes them, until `reserve(..., from_reserve=True)`
        uses them or the account is closed. Setting aside again replaces what was set aside.

        Raises:
            AgentError: the account is closed.
            ValueError: an unknown resource, or an amount below zero.
            TypeError: an amount that is no int.
        """
        node, checked = self._node, checked_amounts(amounts)
        with node.tree.lock:
            self._check_open()
            node.drop_aside()
            kept = node.room_for_aside(checked)
            node.set_aside(kept)
            return kept

    def charge(self, amounts: Amounts) -> None:
        """Charge what was used without a reservation; works on a closed account too.

        Raises:
            ValueError: an unknown resource, or an amount below zero.
            TypeError: an amount that is no int.
        """
        node, checked = self._node, checked_amounts(amounts)
        with node.tree.lock:
            node.charge(checked)

    def lower_limits(self, limits: Amounts) -> None:
        """Set lower limits; below what is spent already, nothing more can be reserved.

        Raises:
            ValueError: a limit higher than the present one, an unknown resource, or one below 0.
            TypeError: a limit that is no int.
        """
        node, checked = self._node, checked_amounts(limits)
        with node.tree.lock:
            for name, limit in checked.items():
                present = node.lines[name].limit
                if present is not None and limit > present:
                    raise ValueError(
                        f"Account {self.path!r} has the limit {name}={present}, and {limit} is "
                        "more: limits are only ever lowered. Start the run with a larger budget."
                    )
            node.set_limits(checked)

    def close(self) -> None:
        """Give back what was granted or set aside and is not used; closing twice changes nothing.

        Nothing can be reserved here any more. Calls still under way can be settled.
        """
        node = self._node
        with node.tree.lock:
            if not node.is_closed:
                node.close()

    @property
    def path(self) -> str:
        """The name of the account."""
        return self._node.path

    @property
    def is_closed(self) -> bool:
        """Whether it is closed."""
        return self._node.is_closed

    @property
    def is_complete(self) -> bool:
        """Whether all that was charged, here and below, was measured and not assumed."""
        return self._node.is_complete

    def limit(self, resource: Resource) -> int | None:
        """Return the account's own limit."""
        return self._node.lines[resource].limit

    def settled(self, resource: Resource) -> int:
        """Return what was spent, here and below."""
        return self._node.lines[resource].settled

    def held(self, resource: Resource) -> int:
        """Return what is reserved, granted or set aside, here and below."""
        return self._node.lines[resource].held

    def overdraft(self, resource: Resource) -> int:
        """Return how much more was used than had been reserved, here and below.

        Counted only where something limits the resource. It may be within the limit still:
        `over_limit` says whether it is not.
        """
        return self._node.lines[resource].overdraft

    def over_limit(self, resource: Resource) -> int:
        """Return how much more was spent, here and below, than the account's limit."""
        line = self._node.lines[resource]
        return 0 if line.limit is None else max(0, line.settled - line.limit)

    def available(self, resource: Resource) -> int | None:
        """Return what can be reserved now; below 0 after an overdraft."""
        with self._node.tree.lock:
            return self._node.lines[resource].left()

    def room(self, resource: Resource) -> Room | None:
        """Return what the tightest limit leaves, here or above; None without a limit."""
        with self._node.tree.lock:
            return self._node.lines[resource].room()

    def blocking(self, least: Amounts) -> Denied | None:
        """Return why these amounts cannot be reserved now; None if they can be.

        Names what blocks for good before what blocks for now, and of several accounts the one
        nearest the root.
        """
        with self._node.tree.lock:
            return self._node.find_denial(checked_amounts(least))

    def _left_beside_a_child(self, resource: Resource) -> int | None:
        left = self._node.lines[resource].left()
        return left - 1 if left is not None and resource == "agents" else left

    def _check_open(self) -> None:
        if self._node.is_closed:
            raise AgentError(
                f"Account {self.path!r} is closed, since its run has ended. "
                "Make model calls and start agents only while the run goes on."
            )
