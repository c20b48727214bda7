"""What happens on a ledger, as data: enough to keep a journal and to rebuild the tree from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from podium.agent.ledger._amounts import Amounts, Resource

LedgerEventKind = Literal[
    "open", "limit", "set_aside", "reserve", "settle", "cancel", "charge", "close"
]
"""`open` starts an account, with its grant; `cancel` also ends what was set aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEvent:
    """One change of a ledger. Kind and key together name it: a repeated one is the same event."""

    kind: LedgerEventKind
    """What happened."""
    path: str
    """The account it happened to."""
    key: int
    """Shared by the events of one reservation; unique in the tree otherwise."""
    amounts: Amounts = field(default_factory=dict[Resource, int])
    """What was granted, reserved, set aside or charged; for `settle`, what was measured."""
    limits: Amounts = field(default_factory=dict[Resource, int])
    """Limits that were set, by `open` and `limit`."""
    parent: str | None = None
    """The account above, for `open`; None for the root."""


LedgerObserver: TypeAlias = Callable[[LedgerEvent], None]
"""Called with each change while the ledger is locked: it must be quick, and must not raise."""
