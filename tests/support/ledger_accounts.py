"""Short ways to say what tests do with accounts."""

from __future__ import annotations

from podium.agent.ledger import Account, Allotment, Denied, Granted, Reservation


def held(outcome: Reservation | Denied) -> Reservation:
    assert isinstance(outcome, Reservation), outcome
    return outcome


def denied(outcome: Reservation | Account | Denied) -> Denied:
    assert isinstance(outcome, Denied), outcome
    return outcome


def child_of(parent: Account, allotment: Allotment | None = None, name: str = "child") -> Account:
    child = parent.open_child(f"{parent.path}/{name}", allotment)
    assert isinstance(child, Account), child
    return child


def granted(tokens: int) -> Granted:
    return Granted({"tokens": tokens})


def take(account: Account, tokens: int) -> Reservation:
    return held(account.reserve({"tokens": tokens}))


def tokens(account: Account) -> tuple[int, int, int | None]:
    return account.settled("tokens"), account.held("tokens"), account.available("tokens")


def root_with(limit: int) -> Account:
    return Account.root("root", {"tokens": limit})


def room_of(account: Account) -> tuple[int, int, int]:
    room = account.room("tokens")
    assert room is not None
    return room.left, room.returning, room.live
