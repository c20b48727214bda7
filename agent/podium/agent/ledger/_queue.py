"""Waiting for room: first come, first served, over the whole tree, across threads and loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from podium.agent._wake_up import WakeUp
from podium.agent.ledger._amounts import Amounts, Resource
from podium.agent.ledger._line import Denied, Line, blockers
from podium.agent.ledger._reservation import Reservation

if TYPE_CHECKING:
    from podium.agent.ledger._node import LedgerNode


class Size(NamedTuple):
    """How much a call asks for."""

    want: Amounts
    """The most it can use."""
    least: Amounts
    """The least it can start with; a resource that is not named here is not elastic."""


Sizing: TypeAlias = Callable[[], Size]
"""Says how much to ask for, from the accounts as they are now; it must be quick and not raise."""


class Waiter:
    """One call that waits; whoever makes room decides for it and wakes it up."""

    def __init__(self, node: LedgerNode, sizing: Sizing, size: Size) -> None:
        """Belong to the event loop that runs here; `size` is what was asked for in vain."""
        self.node = node
        self.sizing = sizing
        self.size = size
        self.outcome: Reservation | Denied | None = None
        self._wake_up = WakeUp()  # any thread may make room

    def finish(self, outcome: Reservation | Denied) -> None:
        """Hand over what came of it."""
        self.outcome = outcome
        self._wake_up.call()

    async def wait(self) -> Reservation | Denied:
        """Return the outcome when there is one."""
        await self._wake_up.wait()
        assert self.outcome is not None
        return self.outcome


class WaitingQueue:
    """The calls that wait on a tree of accounts, oldest first; used under the tree's lock.

    A call that waits claims the lines that block it: later ones leave these alone until it is
    served, while calls that other lines concern pass it by.
    """

    __slots__ = ("_claims", "_waiters")

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._waiters: list[Waiter] = []
        self._claims: set[Line] = set()

    def claimed(self, lines: Mapping[Resource, Line], resources: Iterable[Resource]) -> Line | None:
        """Return the line that an earlier call waits for and these resources need, if there is one.

        What is above an account with a grant or an answer reserve of its own does not count: the
        earlier call may be waiting for that very account to end.
        """
        for resource in resources if self._claims else ():
            line: Line | None = lines[resource]
            while line is not None:
                if line in self._claims:
                    return line
                line = None if line.owner.is_keeping else line.above
        return None

    def join(self, waiter: Waiter) -> None:
        """Put a call that was denied for now at the end, with its claims."""
        self._waiters.append(waiter)
        want, least = waiter.size
        for resource, amount in want.items():
            line = waiter.node.lines[resource]
            self._claims.update(each for each, _ in blockers(line, least.get(resource, amount)))

    def leave(self, waiter: Waiter) -> None:
        """Forget a call that was cancelled while it waited; what it got meanwhile goes back."""
        if isinstance(waiter.outcome, Reservation):
            waiter.outcome.cancel()
        elif waiter in self._waiters:
            self._waiters.remove(waiter)
            self.serve()

    def serve(self) -> None:
        """Decide for each call, oldest first: it gets its room, is denied, or waits on."""
        if not self._waiters and not self._claims:
            return
        waiting, self._waiters, self._claims = self._waiters, [], set()
        for waiter in waiting:
            if self.claimed(waiter.node.lines, waiter.size.want) is not None:
                self._waiters.append(waiter)
                continue
            waiter.size = waiter.sizing()
            outcome = waiter.node.take(*waiter.size)
            if isinstance(outcome, Reservation) or not outcome.could_fit_later:
                waiter.finish(outcome)
            else:
                self.join(waiter)
