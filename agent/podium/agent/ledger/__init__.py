"""The ledger: a tree of accounts, one per agent run, in which room is reserved before it is used.

    root = Account.root("coordinator", {"tokens": 2_000})
    held = root.reserve({"tokens": 1_500, "requests": 1})
    ...                                          # make the call
    held.settle({"tokens": 420, "requests": 1})  # charges 420, frees the rest

It knows nothing of agents or models. An account counts itself and everything below it; a
reservation holds room on its account and on all above, up to one that was granted its room. All
of it happens under one lock per tree and without waiting inside, so no two calls can take the
same room. As long as no call uses more than it reserved, `settled + held <= limit` on every
account at every time.
"""

from __future__ import annotations

from podium.agent.ledger._account import Account
from podium.agent.ledger._allotments import Allotment, Fair, Fraction, Granted, Shared
from podium.agent.ledger._amounts import RESOURCES, Amounts, Resource
from podium.agent.ledger._events import LedgerEvent, LedgerEventKind, LedgerObserver
from podium.agent.ledger._fold import fold
from podium.agent.ledger._line import Denied, Room
from podium.agent.ledger._queue import Size, Sizing
from podium.agent.ledger._reservation import Reservation

__all__ = [
    "RESOURCES",
    "Account",
    "Allotment",
    "Amounts",
    "Denied",
    "Fair",
    "Fraction",
    "Granted",
    "LedgerEvent",
    "LedgerEventKind",
    "LedgerObserver",
    "Reservation",
    "Resource",
    "Room",
    "Shared",
    "Size",
    "Sizing",
    "fold",
]
