"""Accounts below accounts: what they get, who blocks them, what is kept for the answer."""

from __future__ import annotations

from ledger_accounts import child_of, denied, granted, held, room_of, root_with, take, tokens

from podium.agent.ledger import (
    Account,
    Denied,
    Fair,
    Fraction,
    Shared,
)


def test_a_grant_is_held_above_and_spent_without_the_others() -> None:
    root = root_with(1_000)
    child = child_of(root, granted(400))

    take(root, 600)
    take(child, 300).settle({"tokens": 250})

    assert tokens(root) == (250, 750, 0)
    assert tokens(child) == (250, 0, 150)


def test_closing_gives_back_what_of_a_grant_is_unused() -> None:
    root = root_with(1_000)
    child = child_of(root, granted(400))
    take(child, 300).settle({"tokens": 250})

    child.close()
    child.close()

    assert tokens(root) == (250, 0, 750)


def test_a_call_under_way_keeps_its_room_when_its_account_is_closed() -> None:
    root = root_with(1_000)
    child = child_of(root, granted(400))
    reservation = take(child, 300)

    child.close()

    assert tokens(root) == (0, 300, 700)
    assert room_of(root) == (700, 300, 1)
    reservation.settle({"tokens": 100})
    assert tokens(root) == (100, 0, 900)
    assert room_of(root) == (900, 0, 1)


def test_a_grant_that_does_not_fit_is_denied_and_changes_nothing() -> None:
    root = Account.root("root", {"tokens": 1_000, "agents": 5})

    outcome = root.open_child("root/child", granted(1_001))

    assert denied(outcome).resource == "tokens"
    assert root.settled("agents") == 0


def test_agents_are_counted_and_denied_at_their_limit() -> None:
    root = Account.root("root", {"agents": 2})
    child = child_of(root)

    child_of(child)
    outcome = root.open_child("root/third")

    assert denied(outcome) == Denied(
        path="root", resource="agents", limit=2, spent=2, held=0, could_fit_later=False
    )


def test_a_fraction_is_a_part_of_what_is_left_of_each_limit() -> None:
    root = Account.root("root", {"tokens": 1_000, "requests": 3})
    take(root, 200)

    child = child_of(root, Fraction(0.25))

    assert (child.limit("tokens"), child.limit("requests")) == (200, 1)
    assert child.limit("cost_nusd") is None


def test_fair_parts_are_equal_and_use_up_what_is_left() -> None:
    root = root_with(1_000)

    parts = [child_of(root, Fair(index, 3)).limit("tokens") for index in range(3)]

    assert parts == [333, 333, 334]
    assert root.available("tokens") == 0


def test_a_part_of_nothing_is_nothing() -> None:
    root = root_with(1_000)
    root.charge({"tokens": 1_000})

    child = child_of(root, Fraction(0.5))

    assert child.limit("tokens") == 0


def test_an_overdrawn_account_has_not_even_that() -> None:
    root = root_with(1_000)
    root.charge({"tokens": 1_001})

    outcome = root.open_child("root/child", Fraction(0.5))

    assert denied(outcome).path == "root"


def test_a_shared_child_has_limits_of_its_own_and_those_above() -> None:
    root = root_with(1_000)
    child = child_of(root, Shared({"tokens": 300}))

    take(root, 900)

    assert child.available("tokens") == 100
    assert child.limit("tokens") == 300


def test_of_several_accounts_that_block_the_one_nearest_the_root_is_named() -> None:
    root = root_with(100)
    child = child_of(root, Shared({"tokens": 50}))
    root.charge({"tokens": 90})

    outcome = child.reserve({"tokens": 60})

    assert denied(outcome).path == "root"


def test_what_blocks_for_good_is_named_before_what_blocks_for_now() -> None:
    root = root_with(100)
    child = child_of(root, Shared({"tokens": 50}))
    take(root, 90)

    outcome = child.reserve({"tokens": 60})

    assert denied(outcome).path == "root/child"
    assert not denied(outcome).could_fit_later


def test_a_spent_grant_is_named_and_not_the_account_that_gave_it() -> None:
    root = root_with(1_000)
    child = child_of(root, granted(1_000))
    take(child, 900).settle({"tokens": 900})

    blocking = child.blocking({"tokens": 200})

    assert blocking is not None
    assert (blocking.path, blocking.limit, blocking.spent) == ("root/child", 1_000, 900)
    assert child.blocking({"tokens": 100}) is None


def test_room_that_calls_under_way_hold_could_come_back() -> None:
    root = root_with(1_000)
    take(root, 900)

    outcome = denied(root.reserve({"tokens": 200}))

    assert (outcome.spent, outcome.held, outcome.could_fit_later) == (0, 900, True)


def test_what_is_set_aside_is_left_for_the_last_call_only() -> None:
    root = root_with(1_000)
    child = child_of(root)

    kept = root.set_aside({"tokens": 300})

    assert kept == {"tokens": 300}
    assert (root.available("tokens"), child.available("tokens")) == (700, 700)
    assert not denied(root.reserve({"tokens": 701})).could_fit_later
    assert held(root.reserve({"tokens": 1_000}, from_reserve=True)).amounts == {"tokens": 1_000}


def test_a_last_call_that_is_denied_leaves_the_reserve_as_it_is() -> None:
    root = root_with(1_000)
    root.set_aside({"tokens": 300})

    outcome = root.reserve({"tokens": 1_001}, from_reserve=True)

    assert denied(outcome).held == 0
    assert root.available("tokens") == 700


def test_no_more_is_set_aside_than_there_is() -> None:
    root = root_with(1_000)
    take(root, 800)

    kept = root.set_aside({"tokens": 300, "requests": 1})

    assert kept == {"tokens": 200, "requests": 1}


def test_setting_aside_again_replaces_what_was() -> None:
    root = root_with(1_000)
    root.set_aside({"tokens": 300})

    root.set_aside({"tokens": 100})

    assert tokens(root) == (0, 100, 900)


def test_closing_releases_what_was_set_aside() -> None:
    root = root_with(1_000)
    child = child_of(root)
    child.set_aside({"tokens": 300})

    child.close()

    assert tokens(root) == (0, 0, 1_000)


def test_agents_at_work_are_those_that_wait_for_no_agent_below() -> None:
    root = root_with(1_000)

    first = child_of(root, name="first")
    assert room_of(root) == (1_000, 0, 1)
    second = child_of(root, name="second")
    child_of(second)
    assert room_of(root) == (1_000, 0, 2)

    first.close()
    assert room_of(first) == (1_000, 0, 1)


def test_the_room_is_that_of_the_tightest_limit() -> None:
    root = root_with(1_000)
    team = child_of(root, Shared({"tokens": 500}))
    take(team, 100)

    assert room_of(child_of(team)) == (400, 100, 1)
    assert team.room("requests") is None
