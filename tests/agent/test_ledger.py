"""Accounts of the ledger: reserving, settling, overdrafts, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from ledger_accounts import child_of, denied, granted, held, root_with, take, tokens

from podium.agent.errors import AgentError
from podium.agent.ledger import Account, Amounts, Denied, Granted, Shared


def test_a_reservation_holds_room_on_the_account_and_on_all_above() -> None:
    root = root_with(1_000)
    child = child_of(root)

    take(child, 300)

    assert tokens(child) == (0, 300, 700)
    assert tokens(root) == (0, 300, 700)


def test_settling_charges_what_was_used_and_frees_the_rest() -> None:
    root = root_with(1_000)
    child = child_of(root)

    take(child, 300).settle({"tokens": 120})

    assert tokens(child) == tokens(root) == (120, 0, 880)
    assert root.is_complete


def test_cancelling_frees_everything() -> None:
    root = root_with(1_000)

    take(root, 300).cancel()

    assert tokens(root) == (0, 0, 1_000)


def test_only_the_first_end_of_a_reservation_counts() -> None:
    root = root_with(1_000)
    reservation = take(root, 300)

    reservation.settle({"tokens": 100})
    reservation.settle({"tokens": 250})
    reservation.cancel()

    assert tokens(root) == (100, 0, 900)
    assert not reservation.is_open


def test_the_largest_amount_that_fits_is_reserved() -> None:
    root = root_with(500)

    reservation = held(root.reserve({"tokens": 800, "requests": 1}, {"tokens": 200}))

    assert reservation.amounts == {"tokens": 500, "requests": 1}


def test_what_is_not_elastic_must_be_had_as_wanted() -> None:
    root = root_with(500)

    outcome = root.reserve({"tokens": 800}, {})

    assert denied(outcome).limit == 500


@pytest.mark.parametrize("actual", [None, {}, {"tokens": -5}, {"tokens": True}, {"tokens": "9"}])
def test_unknown_usage_is_charged_in_full_and_said_to_be_unknown(actual: Any) -> None:
    root = root_with(1_000)
    child = child_of(root)

    take(child, 300).settle(actual)

    assert tokens(root) == (300, 0, 700)
    assert (child.is_complete, root.is_complete) == (False, False)


def test_usage_of_what_was_not_reserved_is_charged_too() -> None:
    root = Account.root("root", {"tokens": 1_000, "output_tokens": 50})

    take(root, 300).settle({"tokens": 100, "output_tokens": 70, "input_tokens": 30})

    assert (root.settled("output_tokens"), root.overdraft("output_tokens")) == (70, 20)
    assert (root.settled("input_tokens"), root.overdraft("input_tokens")) == (30, 0)
    assert root.is_complete


def test_an_overdraft_is_the_excess_on_every_account_above() -> None:
    root = root_with(1_000)
    child = child_of(root)

    take(child, 300).settle({"tokens": 350})

    assert (child.overdraft("tokens"), root.overdraft("tokens")) == (50, 50)
    assert root.over_limit("tokens") == 0


def test_after_a_limit_is_overdrawn_nothing_below_it_starts() -> None:
    root = root_with(1_000)
    child = child_of(root, granted(400))
    take(root, 100).settle({"tokens": 1_100})

    outcome = child.reserve({"tokens": 400}, {"tokens": 1})

    assert denied(outcome) == Denied(
        path="root", resource="tokens", limit=1_000, spent=1_100, held=400, could_fit_later=False
    )
    assert root.over_limit("tokens") == 100
    assert denied(child.reserve({"tokens": 0})).path == "root"


def test_an_overdraft_that_leaves_room_cuts_a_grant_to_that_room() -> None:
    root = root_with(1_000)
    child = child_of(root, granted(400))
    take(root, 100).settle({"tokens": 900})

    reservation = held(child.reserve({"tokens": 400}, {"tokens": 1}))

    assert reservation.amounts == {"tokens": 100}


def test_what_nothing_limits_is_never_overdrawn() -> None:
    root = Account.root("root")

    take(root, 10).settle({"tokens": 1_000})
    root.charge({"tokens": 1_000})

    assert tokens(root) == (2_000, 0, None)
    assert root.overdraft("tokens") == 0


def test_an_unreserved_charge_overdraws_only_what_does_not_fit() -> None:
    root = root_with(1_000)

    root.charge({"tokens": 900})
    root.charge({"tokens": 150})
    root.charge({"tokens": 20})

    assert tokens(root) == (1_070, 0, -70)
    assert root.overdraft("tokens") == 70


def test_limits_can_be_lowered_below_what_is_spent() -> None:
    root = root_with(1_000)
    root.charge({"tokens": 600})

    root.lower_limits({"tokens": 500, "requests": 3})

    assert tokens(root) == (600, 0, -100)
    assert root.limit("requests") == 3
    assert (root.overdraft("tokens"), root.over_limit("tokens")) == (0, 100)


def test_limits_cannot_be_raised() -> None:
    root = root_with(1_000)

    with pytest.raises(ValueError, match="only ever lowered"):
        root.lower_limits({"tokens": 1_001})

    assert root.limit("tokens") == 1_000


WRONG = [
    ({"tokens": -1}, ValueError, "below zero"),
    ({"tokens": True}, TypeError, "whole numbers"),
    ({"tokens": 1.0}, TypeError, "whole numbers"),
    ({"token": 1}, ValueError, "Did you mean 'tokens'"),
]


@pytest.mark.parametrize(("amounts", "error", "said"), WRONG)
@pytest.mark.parametrize("does", ["root", "grant", "share", "reserve", "charge", "set_aside"])
def test_wrong_amounts_are_refused(
    does: str, amounts: Any, error: type[Exception], said: str
) -> None:
    account = Account.root("root")
    ways: dict[str, Callable[[Amounts], object]] = {
        "root": lambda wrong: Account.root("root", wrong),
        "grant": lambda wrong: account.open_child("root/child", Granted(wrong)),
        "share": lambda wrong: account.open_child("root/child", Shared(wrong)),
        "reserve": account.reserve,
        "charge": account.charge,
        "set_aside": account.set_aside,
    }

    with pytest.raises(error, match=said):
        ways[does](amounts)


def test_a_closed_account_starts_nothing_but_takes_late_usage() -> None:
    root = root_with(1_000)
    root.close()

    root.charge({"tokens": 100})

    assert root.is_closed
    assert root.settled("tokens") == 100
    with pytest.raises(AgentError, match="'root' is closed"):
        root.reserve({"tokens": 1})
    with pytest.raises(AgentError, match="'root' is closed"):
        root.open_child("root/child")
    with pytest.raises(AgentError, match="'root' is closed"):
        root.set_aside({"tokens": 1})


def test_accounts_reservations_and_denials_show_what_they_are() -> None:
    root = root_with(1_000)
    reservation = take(root, 300)

    assert repr(root) == "<Account 'root', tokens 0+300 of 1000>"
    assert repr(reservation) == "<Reservation of 'root': {'tokens': 300}, held>"
    reservation.cancel()
    assert repr(reservation).endswith("over>")
    blocking = root.blocking({"tokens": 2_000})
    assert pickle.loads(pickle.dumps(blocking)) == blocking
