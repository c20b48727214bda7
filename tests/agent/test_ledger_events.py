"""Threads share a ledger, and its events are enough to rebuild it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ledger_accounts import child_of, granted, held, root_with, take, tokens

from podium.agent.ledger import (
    Account,
    Amounts,
    LedgerEvent,
    Reservation,
    fold,
)


def test_threads_never_take_the_same_room() -> None:
    root = root_with(100_000)
    peaks = list[int]()

    with ThreadPoolExecutor(8) as threads:
        done = [threads.submit(spend_all, root, name, peaks) for name in "abcdefgh"]

    assert [each.result() for each in done] == [None] * 8

    assert tokens(root) == (100_000, 0, 0)
    assert max(peaks) <= 100_000


def spend_all(root: Account, name: str, peaks: list[int]) -> None:
    child = child_of(root, name=name)
    for _ in range(200):
        outcome = child.reserve({"tokens": 700}, {"tokens": 1})
        peaks.append(root.settled("tokens"))
        if isinstance(outcome, Reservation):
            outcome.settle({"tokens": outcome.amounts["tokens"]})
    child.close()


def test_every_change_is_an_event_with_what_it_takes_to_repeat_it() -> None:
    events = list[LedgerEvent]()
    root = Account.root("root", {"tokens": 1_000}, observer=events.append)

    child = child_of(root, granted(400))
    child.set_aside({"tokens": 50})
    take(child, 300).settle({"tokens": 100})
    held(child.reserve({"tokens": 100}, from_reserve=True)).cancel()
    child.charge({"requests": 1})
    root.lower_limits({"tokens": 900})
    child.close()
    child.close()

    assert [(each.kind, each.path, each.key) for each in events] == [
        ("open", "root", 1),
        ("open", "root/child", 2),
        ("set_aside", "root/child", 3),
        ("reserve", "root/child", 4),
        ("settle", "root/child", 4),
        ("cancel", "root/child", 3),
        ("reserve", "root/child", 5),
        ("cancel", "root/child", 5),
        ("charge", "root/child", 6),
        ("limit", "root", 7),
        ("close", "root/child", 2),
    ]
    assert (events[1].parent, events[1].amounts) == ("root", {"tokens": 400})
    assert events[0].limits == {"tokens": 1_000}


def test_a_ledger_rebuilt_from_its_events_holds_what_was_in_doubt_and_goes_on() -> None:
    events = list[LedgerEvent]()
    child = child_of(Account.root("root", {"tokens": 1_000}, observer=events.append))
    take(child, 300)

    accounts = fold(events)
    later = take(accounts["root/child"], 100)

    assert tokens(accounts["root"]) == (0, 400, 600)
    assert later.key > max(each.key for each in events)


def test_amounts_of_an_event_stay_as_they_were() -> None:
    events = list[LedgerEvent]()
    amounts: dict[Any, int] = {"tokens": 100}
    root = Account.root("root", observer=events.append)

    root.charge(amounts)
    amounts["tokens"] = 0
    charged: Amounts = events[-1].amounts

    assert charged == {"tokens": 100}
