"""Waiting for room: first come, first served, over the whole tree, across threads and loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import anyio
import anyio.lowlevel

from podium.agent._ledger_amounts import Amounts, Resource
from podium.agent._ledger_line import Denied, Line, find_denial
from podium.agent._ledger_reservation import Reservation

if TYPE_CHECKING:
    from podium.agent.ledger import Account


class Size(NamedTuple):
    """How much a call asks for."""

    want: Amounts
    """The most it can use."""
    least: Amounts
    """The least it can start with; what is not named here is not elastic."""


Sizing: TypeAlias = Callable[[], Size]
"""Says how much to ask for, looking at the accounts as they are now; it must not raise."""


class Waiter:
    """One call that waits; whoever makes room decides for it and wakes it up."""

    def __init__(self, account: Account, sizing: Sizing) -> None:
        """Belong to the event loop that runs here."""
        self.account = account
        self.sizing = sizing
        self.resources = tuple(sizing().want)
        self.outcome: Reservation | Denied | None = None
        self._event = anyio.Event()
        # Any thread may make room, and an anyio event may only be set on its own loop.
        loop = anyio.lowlevel.current_token().native_token
        soon = getattr(loop, "run_sync_soon", None) or getattr(loop, "call_soon_threadsafe", None)
        assert soon is not None, f"no way to wake up a task on {loop!r}"
        self._soon: Callable[[Callable[[], None]], object] = soon

    def finish(self, outcome: Reservation | Denied) -> None:
        """Hand over what came of it."""
        self.outcome = outcome
        self._soon(self._event.set)

    async def wait(self) -> None:
        """Return when there is an outcome."""
        await self._event.wait()


class WaitingQueue:
    """The calls that wait on a tree of accounts, oldest first; used under the tree's lock.

    A call that waits claims the lines that block it: later ones leave these alone until it is
    served, while calls that other lines concern pass it by.
    """

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._waiters: list[Waiter] = []
        self._claimed: set[Line] = set()

    def __len__(self) -> int:
        """Return how many calls wait."""
        return len(self._waiters)

    def claimed(self, lines: Mapping[Resource, Line], resources: Iterable[Resource]) -> Line | None:
        """Return the claimed line that holds up a call for these resources; None if none does.

        An account with a grant or an answer reserve of its own is not held up by a claim above
        it: the claimant may be waiting for just that account to end.
        """
        if not self._claimed:
            return None
        for resource in resources:
            line: Line | None = lines[resource]
            while line is not None:
                if line in self._claimed:
                    return line
                if line.owner.is_keeping:
                    break
                line = line.above
        return None

    def attempt(self, account: Account, sizing: Sizing) -> Reservation | Denied:
        """Reserve if there is room and nobody has a claim on it."""
        want, least = sizing()
        return account.take(want, least)

    def join(self, waiter: Waiter) -> None:
        """Put a call that was denied for now at the end, with its claims."""
        self._waiters.append(waiter)
        self._claim(waiter)

    def leave(self, waiter: Waiter) -> None:
        """Forget a call that was cancelled while it waited; what it got meanwhile goes back."""
        if isinstance(waiter.outcome, Reservation):
            waiter.outcome.cancel()
        elif waiter in self._waiters:
            self._waiters.remove(waiter)
            self.serve()

    def serve(self) -> None:
        """Decide for each call, oldest first: it gets its room, is denied, or waits on."""
        if not self._waiters:
            return
        waiting, self._waiters, self._claimed = self._waiters, [], set()
        for waiter in waiting:
            if self.claimed(waiter.account.lines, waiter.resources) is None:
                outcome = self.attempt(waiter.account, waiter.sizing)
                if isinstance(outcome, Reservation) or not outcome.could_fit_later:
                    waiter.finish(outcome)
                    continue
                self._claim(waiter)
            self._waiters.append(waiter)
