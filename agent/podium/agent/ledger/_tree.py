"""What all accounts of a ledger share: the lock, the queue, the keys and the observer."""

from __future__ import annotations

import threading

from podium.agent.ledger._amounts import Amounts
from podium.agent.ledger._events import LedgerEvent, LedgerEventKind, LedgerObserver
from podium.agent.ledger._queue import WaitingQueue


class LedgerTree:
    """The one thing that all accounts of a tree have in common."""

    __slots__ = ("last_key", "lock", "observer", "queue")

    def __init__(self, observer: LedgerObserver | None) -> None:
        """Start with no account and nobody waiting."""
        # Guards each figure of each account, the queue, and the order of events: tools in worker
        # threads reserve and settle too. Reentrant, since a sizing that runs under it looks at
        # accounts.
        self.lock = threading.RLock()
        self.queue = WaitingQueue()
        self.observer = observer
        self.last_key = 0

    def new_key(self) -> int:
        """Return a number that no account, reservation or event of the tree has."""
        self.last_key += 1
        return self.last_key

    def tell(
        self,
        kind: LedgerEventKind,
        path: str,
        key: int,
        amounts: Amounts | None = None,
        *,
        limits: Amounts | None = None,
        parent: str | None = None,
    ) -> None:
        """Tell the observer what has happened; nothing is built when there is none."""
        if self.observer is not None:
            self.observer(
                LedgerEvent(
                    kind=kind,
                    path=path,
                    key=key,
                    amounts=dict(amounts or {}),
                    limits=dict(limits or {}),
                    parent=parent,
                )
            )
