"""Usage: what providers report, made comparable and summed."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.tracing import Usage
from podium.tracing._usage import MAX_COUNT, add_token_usage, complete_token_usage

CHAT = {
    "prompt_tokens": 120,
    "completion_tokens": 30,
    "total_tokens": 150,
    "prompt_tokens_details": {"cached_tokens": 100},
    "completion_tokens_details": {"reasoning_tokens": 20},
}
RESPONSES = {
    "input_tokens": 120,
    "output_tokens": 30,
    "input_tokens_details": {"cached_tokens": 100},
    "output_tokens_details": {"reasoning_tokens": 20},
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
usages = st.builds(
    Usage,
    input_tokens=st.integers(0, 1000),
    output_tokens=st.integers(0, 1000),
    requests=st.integers(0, 3),
    cost=st.none() | st.decimals(0, 10, places=4),
    complete=st.booleans(),
)


@pytest.mark.parametrize("raw", [CHAT, RESPONSES], ids=["chat completions", "responses"])
def test_both_spellings_mean_the_same(raw: dict[str, Any]) -> None:
    usage = Usage.of_call(raw)

    assert usage == Usage(
        input_tokens=120,
        output_tokens=30,
        cached_input_tokens=100,
        reasoning_tokens=20,
        requests=1,
    )
    assert usage.total_tokens == 150


@pytest.mark.parametrize("raw", [None, {}, [], "12", {"prompt_tokens": None}, {"queue_time": 0.1}])
def test_a_call_without_counts_is_a_request_that_is_not_complete(raw: object) -> None:
    assert Usage.of_call(raw) == Usage(requests=1, complete=False)
    assert complete_token_usage(raw) == {}


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        (12, 12),
        (12.0, 12),
        (-5, 0),
        (True, 0),
        ("12", 0),
        (float("nan"), 0),
        (float("inf"), MAX_COUNT),
        (10**30, MAX_COUNT),
    ],
)
def test_an_odd_count_is_clamped_or_ignored(written: object, understood: int) -> None:
    usage = Usage.of_call({"prompt_tokens": written, "completion_tokens": 1})

    assert usage.input_tokens == understood


def test_a_total_alone_is_counted_as_input_and_marked_incomplete() -> None:
    usage = Usage.of_call({"total_tokens": 90})

    assert (usage.total_tokens, usage.complete) == (90, False)


def test_details_that_are_no_dict_are_ignored() -> None:
    usage = Usage.of_call({**CHAT, "prompt_tokens_details": [1], "completion_tokens_details": None})

    assert (usage.cached_input_tokens, usage.reasoning_tokens) == (0, 0)


def test_completed_usage_has_the_three_totals_and_keeps_the_providers_keys() -> None:
    completed = complete_token_usage({"input_tokens": 5, "output_tokens": 2, "queue_time": 0.5})

    assert completed == {
        "input_tokens": 5,
        "output_tokens": 2,
        "queue_time": 0.5,
        "prompt_tokens": 5,
        "completion_tokens": 2,
        "total_tokens": 7,
    }


def test_none_bools_and_text_never_disturb_a_sum() -> None:
    total: dict[str, Any] = {"tokens": 5, "details": {"cached": 1}, "tier": "default"}

    add_token_usage(total, {"tokens": None, "details": {"cached": True}, "tier": "flex"})
    add_token_usage(total, {"tokens": float("nan"), "details": None, "tier": None})
    add_token_usage(total, {"tokens": {"odd": 1}, "details": 3})
    add_token_usage(total, {"tokens": 2, "details": {"cached": 2, "audio": 4}})

    assert total == {"tokens": 7, "details": {"cached": 3, "audio": 4}, "tier": "default"}


def test_a_placeholder_gives_way_to_the_first_number() -> None:
    total: dict[str, Any] = {}

    add_token_usage(total, {"tokens": None, "cached": True})
    add_token_usage(total, {"tokens": 2, "cached": 3})

    assert total == {"tokens": 2, "cached": 3}


def test_adding_leaves_the_added_dict_alone() -> None:
    total: dict[str, Any] = {}

    add_token_usage(total, CHAT)
    add_token_usage(total, CHAT)

    assert total["prompt_tokens_details"] == {"cached_tokens": 200}
    assert CHAT["prompt_tokens_details"] == {"cached_tokens": 100}


def test_cost_is_summed_where_known_and_unknown_where_a_paid_call_has_none() -> None:
    known = Usage(requests=1, cost=Decimal("0.10"))
    unknown = Usage(requests=1)

    assert (known + known).cost == Decimal("0.20")
    assert (known + Usage()).cost == (Usage() + known).cost == Decimal("0.10")
    assert (known + unknown).cost is (unknown + known).cost is None


@given(json_values)
def test_whatever_a_provider_sends_is_counted_without_an_error(raw: object) -> None:
    usage = Usage.of_call({"prompt_tokens": raw, "completion_tokens_details": raw, "usage": raw})

    assert 0 <= usage.total_tokens <= MAX_COUNT
    assert usage.requests == 1


@given(usages, usages, usages)
def test_sums_do_not_depend_on_grouping(one: Usage, two: Usage, three: Usage) -> None:
    assert (one + two) + three == one + (two + three)
