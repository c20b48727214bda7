"""How much room a call asks for: its share, what a reply is expected to need, or all there is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_accounts import child_of, denied, held, root_with, take

from podium.agent._sizing import CallNeeds, ReplyLengths, output_cap, size_call
from podium.agent.ledger import Account, Denied, Reservation, Shared


def needs(**changed: Any) -> CallNeeds:
    known: dict[str, Any] = {
        "prompt_tokens": 100,
        "max_output": 4_000,
        "expected_output": 800,
        "min_output": 250,
    }
    return CallNeeds(**{**known, **changed})


def output_wanted(account: Account, call: CallNeeds) -> tuple[int, int]:
    want, least = size_call(account, call)
    return want["output_tokens"], least["output_tokens"]


def test_a_lone_agent_may_have_all_the_room() -> None:
    root = root_with(3_000)

    assert output_wanted(root, needs()) == (2_900, 250)
    assert output_wanted(root, needs(max_output=None)) == (2_900, 250)


def test_no_more_is_wanted_than_the_call_can_write() -> None:
    root = root_with(30_000)

    assert output_wanted(root, needs()) == (4_000, 250)
    assert output_wanted(root, needs(max_output=100)) == (100, 100)


def test_agents_at_work_want_equal_shares() -> None:
    root = root_with(8_000)
    agents = [child_of(root, name=str(number)) for number in range(4)]

    first = held(agents[0].reserve(*size_call(agents[0], needs())))

    assert first.amounts["tokens"] == 2_000
    assert output_wanted(agents[1], needs()) == (1_900, 800)


def test_a_share_that_is_less_than_a_reply_needs_is_raised_to_that() -> None:
    root = root_with(4_000)
    agents = [child_of(root, name=str(number)) for number in range(8)]

    assert output_wanted(agents[0], needs()) == (800, 250)


def test_while_others_hold_room_a_call_waits_for_what_a_reply_needs() -> None:
    root = root_with(2_000)
    take(root, 1_500)

    want, least = size_call(child_of(root), needs())

    assert least["output_tokens"] == 800
    assert isinstance(root.reserve(want, least), Denied)


def test_a_call_waits_for_no_more_than_can_come() -> None:
    root = root_with(700)
    take(root, 300)

    assert output_wanted(child_of(root), needs()) == (600, 600)


def test_a_call_waits_for_no_more_than_its_own_limit_allows() -> None:
    root = root_with(2_000)
    take(root, 1_900)
    child = child_of(root, Shared({"tokens": 500}))

    want, least = size_call(child, needs())

    assert least["output_tokens"] == 400
    assert denied(child.reserve(want, least)).could_fit_later


def test_a_call_alone_starts_with_less_than_a_reply_needs() -> None:
    root = root_with(500)

    assert output_wanted(root, needs()) == (400, 250)


def test_without_room_for_the_least_the_call_is_denied() -> None:
    root = root_with(349)

    outcome = root.reserve(*size_call(root, needs()))

    assert isinstance(outcome, Denied)
    assert isinstance(root_with(350).reserve(*size_call(root, needs())), Reservation)


def test_money_limits_output_at_its_price() -> None:
    root = Account.root("root", {"cost_nusd": 1_000})
    priced = needs(prompt_nusd=100, output_nusd_per_million=2_000_000)

    want, _ = size_call(root, priced)

    assert (want["output_tokens"], want["cost_nusd"]) == (450, 1_000)


def test_the_tightest_of_several_limits_counts() -> None:
    root = Account.root("root", {"tokens": 9_000, "output_tokens": 600, "cost_nusd": 10_000})
    priced = needs(prompt_nusd=0, output_nusd_per_million=1_000_000)

    assert output_wanted(root, priced) == (600, 250)


def test_a_model_without_a_price_reserves_no_money() -> None:
    want, _ = size_call(root_with(1_000), needs())

    assert "cost_nusd" not in want


def test_a_price_is_rounded_up() -> None:
    priced = needs(prompt_nusd=7, output_nusd_per_million=1)

    assert priced.amounts(1)["cost_nusd"] == 8


def test_without_a_limit_on_output_the_request_is_left_alone() -> None:
    root = Account.root("root", {"requests": 5})
    call = needs(max_output=None)

    reservation = held(root.reserve(*size_call(root, call)))

    assert output_cap(root, call, reservation) is None
    assert reservation.amounts["requests"] == 1


def test_the_output_limit_to_send_is_what_was_reserved() -> None:
    root = Account.root("root")
    child = child_of(root, Shared({"tokens": 1_000}))
    reservation = held(child.reserve(*size_call(child, needs())))

    assert output_cap(child, needs(), reservation) == 900


@given(
    limit=st.integers(0, 5_000),
    spent=st.integers(0, 3_000),
    in_flight=st.integers(0, 3_000),
    prompt=st.integers(0, 2_000),
    expected=st.integers(1, 2_000),
    most=st.none() | st.integers(1, 5_000),
)
def test_what_is_asked_for_makes_sense_whatever_the_state(
    *, limit: int, spent: int, in_flight: int, prompt: int, expected: int, most: int | None
) -> None:
    root = root_with(limit)
    root.reserve({"tokens": in_flight}, {"tokens": 0})
    root.charge({"tokens": spent})
    call = needs(prompt_tokens=prompt, expected_output=expected, max_output=most)

    want, least = size_call(root, call)
    fits = least["tokens"] <= limit - root.settled("tokens") - root.held("tokens")

    assert 0 < least["output_tokens"] <= want["output_tokens"]
    assert most is None or want["output_tokens"] <= most
    assert isinstance(root.reserve(want, least), Reservation) == fits


def test_replies_are_expected_to_be_800_tokens_until_20_were_seen() -> None:
    lengths = ReplyLengths()

    add(lengths, range(1, 20))

    assert lengths.expected == 800


def test_a_reply_is_expected_to_be_as_long_as_19_in_20() -> None:
    lengths = ReplyLengths()

    add(lengths, range(1, 101))

    assert lengths.expected == 95


def test_old_replies_are_forgotten() -> None:
    lengths = ReplyLengths()

    add(lengths, [9_000] * 100)
    add(lengths, [50] * 200)

    assert lengths.expected == 50


def test_a_reply_that_was_cut_does_not_lower_what_is_expected() -> None:
    lengths = ReplyLengths()

    add(lengths, [60] * 40, was_cut=True)

    assert lengths.expected == 800


@pytest.mark.parametrize("length", [0, 1])
def test_at_least_one_token_is_expected(length: int) -> None:
    lengths = ReplyLengths()

    add(lengths, [length] * 30)

    assert lengths.expected == 1


def add(lengths: ReplyLengths, replies: Any, *, was_cut: bool = False) -> None:
    for tokens in replies:
        lengths.add(tokens, was_cut=was_cut)
