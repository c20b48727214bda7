"""Budgets: what they take and refuse, how they come back from data, and what a view shows."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from decimal import Decimal
from typing import Any

import pytest
from ledger_accounts import child_of, root_with, take

from podium.agent.budget import EXIT_REASONS, LIMITS, Budget, BudgetView
from podium.agent.ledger import RESOURCES, Account, Fair, Fraction, Granted, Shared

NONE_LEFT_OUT = Budget(
    total_tokens=60_000,
    input_tokens=50_000,
    output_tokens=10_000,
    cost_usd=Decimal("0.5"),
    requests=20,
    tool_calls=30,
    agents=8,
    seconds=120,
    reserve_for_answer=1_500,
    strict=True,
    min_output_tokens=100,
    on_exceeded="raise",
)


def test_a_budget_without_limits_limits_nothing() -> None:
    assert Budget().limits() == {}


def test_limits_are_whole_numbers_of_what_a_ledger_counts() -> None:
    assert NONE_LEFT_OUT.limits() == {
        "tokens": 60_000,
        "input_tokens": 50_000,
        "output_tokens": 10_000,
        "cost_nusd": 500_000_000,
        "requests": 20,
        "tool_calls": 30,
        "agents": 8,
    }


@pytest.mark.parametrize(
    ("usd", "billionths"),
    [
        (0.1, 100_000_000),
        (3, 3_000_000_000),
        (Decimal("0.0000000019"), 1),
        (1e-9, 1),
        (Decimal("1e3"), 10**12),
    ],
)
def test_money_is_exact_and_never_rounded_up(usd: Any, billionths: int) -> None:
    budget = Budget(cost_usd=usd)

    assert budget.limits() == {"cost_nusd": billionths}
    assert isinstance(budget.cost_usd, Decimal)


WHOLE = ["total_tokens", "input_tokens", "output_tokens", "requests", "tool_calls", "agents"]


@pytest.mark.parametrize("name", [*WHOLE, "min_output_tokens"])
@pytest.mark.parametrize("value", [0, -1, True, False, 10.0, float("nan"), "10", Decimal(10)])
def test_a_limit_that_is_no_whole_number_above_zero_is_refused(name: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=rf"Budget got {name}=.*Give"):
        Budget(**{name: value})


@pytest.mark.parametrize(
    "value", [0, -0.5, 1e-10, True, float("nan"), float("inf"), Decimal("NaN"), "0.5", 1j]
)
def test_money_that_is_no_amount_above_zero_is_refused(value: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"Budget got cost_usd=.*Give"):
        Budget(cost_usd=value)


@pytest.mark.parametrize("value", [0, -1, True, float("nan"), float("inf"), "10"])
def test_seconds_that_cannot_pass_are_refused(value: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"Budget got seconds=.*Give"):
        Budget(seconds=value)


@pytest.mark.parametrize("share", [0, -0.1, 1.01, True, float("nan"), "0.5", None])
def test_a_fraction_that_is_no_part_of_a_whole_is_refused(share: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=r"Budget\.fraction\(\) got .*Give"):
        Budget.fraction(share)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"on_exceeded": "explode"}, "Choose one of 'stop', 'raise'"),
        ({"strict": "yes"}, "Choose one of True, False"),
        ({"strict": 1}, "Choose one of True, False"),
        ({"allotment": "gift"}, "Choose one of 'shared'"),
        ({"allotment": []}, "Choose one of 'shared'"),
        ({"share": 0.5}, r"Use Budget\.fraction"),
        ({"allotment": "fraction"}, r"Use Budget\.fraction"),
        ({"allotment": "fraction", "share": 2}, "no part of a whole"),
        ({"allotment": "fair", "requests": 3}, r"Use Budget\.grant"),
        ({"allotment": "fraction", "share": 0.5, "requests": 3}, r"Use Budget\.grant"),
        ({"allotment": "grant", "seconds": 3}, "Give at least one of total_tokens"),
        ({"token_counter": "gpt-4"}, "Give a function"),
        ({"reserve_for_answer": -1}, "less than 0"),
        ({"reserve_for_answer": 100, "total_tokens": 100}, "Lower the reserve"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_a_mend(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        Budget(**options)


def test_a_limit_that_does_not_exist_is_refused() -> None:
    misspelt: dict[str, Any] = {"total_token": 5}

    with pytest.raises(TypeError, match="total_token"):
        Budget(**misspelt)
    with pytest.raises(TypeError, match="total_token"):
        Budget.grant(**misspelt)


def test_no_answer_can_be_reserved_on_purpose() -> None:
    assert Budget(total_tokens=100, reserve_for_answer=0).reserve_for_answer == 0


@pytest.mark.parametrize(
    ("budget", "allotment"),
    [
        (Budget(requests=3), Shared({"requests": 3})),
        (Budget(), Shared({})),
        (Budget.grant(total_tokens=5_000, seconds=3), Granted({"tokens": 5_000})),
        (Budget.fraction(0.25), Fraction(0.25)),
        (Budget.fraction(1), Fraction(1)),
        (Budget.fair(), Fair(2, 5)),
    ],
)
def test_a_budget_says_how_a_specialist_gets_its_room(budget: Budget, allotment: object) -> None:
    assert budget.allotment_for(2, 5) == allotment


def test_budgets_are_values() -> None:
    budget = Budget(cost_usd=0.5, total_tokens=10)

    assert budget == Budget(total_tokens=10, cost_usd=Decimal("0.50"))
    assert len({budget, Budget(total_tokens=10, cost_usd=Decimal("0.5"))}) == 1
    assert pickle.loads(pickle.dumps(budget)) == copy.deepcopy(budget) == budget
    with pytest.raises(dataclasses.FrozenInstanceError):
        budget.total_tokens = 20  # type: ignore[misc]  # frozen


@pytest.mark.parametrize(
    ("budget", "shown"),
    [
        (Budget(), "Budget()"),
        (Budget(total_tokens=10, cost_usd=0.5), "Budget(total_tokens=10, cost_usd=0.5)"),
        (Budget.grant(requests=3, strict=True), "Budget.grant(requests=3, strict=True)"),
        (Budget.fraction(0.25), "Budget.fraction(0.25)"),
        (Budget.fair(), "Budget.fair()"),
    ],
)
def test_a_budget_shows_how_it_was_made(budget: Budget, shown: str) -> None:
    assert repr(budget) == shown


@pytest.mark.parametrize(
    "budget",
    [Budget(), NONE_LEFT_OUT, Budget.grant(agents=2), Budget.fraction(0.3), Budget.fair()],
)
def test_a_budget_comes_back_from_data(budget: Budget) -> None:
    data = json.loads(json.dumps(budget.to_dict()))

    assert Budget.from_dict(data) == budget
    assert Budget.from_dict(data).to_dict() == data


def test_data_holds_only_what_was_set_and_money_as_text() -> None:
    assert Budget(requests=3, cost_usd=0.1).to_dict() == {
        "type": "podium.agent.budget.Budget",
        "init_parameters": {"cost_usd": "0.1", "requests": 3},
    }


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "no budget"),
        ({"type": "os.system"}, "no budget"),
        (
            data_of := {"type": "podium.agent.budget.Budget", "init_parameters": {"tokens": 1}},
            "mean",
        ),
        ({**data_of, "init_parameters": {"token_counter": "len"}}, "token_counter"),
        ({**data_of, "init_parameters": {"cost_usd": "a lot"}}, "cost_usd"),
        ({**data_of, "init_parameters": {"cost_usd": "NaN"}}, "cost_usd"),
        ({**data_of, "init_parameters": {"requests": "3"}}, "requests"),
        ({**data_of, "init_parameters": [1]}, "init_parameters"),
    ],
)
def test_data_that_is_no_budget_is_refused(data: Any, said: str) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        Budget.from_dict(data)


def test_a_token_counter_is_not_written_to_data() -> None:
    with pytest.raises(ValueError, match="data never names code"):
        Budget(token_counter=lambda messages, tools: 1).to_dict()


def test_every_resource_has_a_limit_and_an_exit_reason() -> None:
    assert list(LIMITS) == list(EXIT_REASONS) == list(RESOURCES)


# -- the view -----------------------------------------------------------------------------------


def test_a_view_shows_what_is_spent_and_left_as_things_are_now() -> None:
    root = root_with(1_000)
    view = BudgetView(child_of(root))

    take(root, 300)
    take(root, 200).settle({"tokens": 100, "input_tokens": 90, "output_tokens": 10})

    assert (view.total_tokens_left, view.total_tokens_spent) == (600, 0)
    assert BudgetView(root).output_tokens_spent == 10


def test_a_view_shows_none_where_nothing_limits() -> None:
    view = BudgetView(Account.root("root"))

    left = {name: value for name, value in view.as_dict().items() if name.endswith("_left")}

    assert set(left.values()) == {None}
    assert repr(view) == "BudgetView()"


def test_a_view_never_shows_less_than_nothing_left() -> None:
    root = root_with(100)
    root.charge({"tokens": 150})

    assert BudgetView(root, deadline=5, clock=lambda: 9).as_dict() == {
        "total_tokens_left": 0,
        "total_tokens_spent": 150,
        "input_tokens_left": None,
        "input_tokens_spent": 0,
        "output_tokens_left": None,
        "output_tokens_spent": 0,
        "cost_usd_left": None,
        "cost_usd_spent": 0,
        "requests_left": None,
        "requests_spent": 0,
        "tool_calls_left": None,
        "tool_calls_spent": 0,
        "agents_left": None,
        "agents_spent": 0,
        "seconds_left": 0,
    }


def test_a_view_shows_money_and_time_in_dollars_and_seconds() -> None:
    root = Account.root("root", Budget(cost_usd=0.5).limits())
    root.charge({"cost_nusd": 1_250_000})

    view = BudgetView(root, deadline=12.5, clock=lambda: 10)

    assert (view.cost_usd_left, view.cost_usd_spent) == (Decimal("0.49875"), Decimal("0.00125"))
    assert view.seconds_left == 2.5
    assert repr(view) == "BudgetView(cost_usd_left=0.49875, seconds_left=2.5)"


def test_a_view_changes_nothing() -> None:
    view = BudgetView(root_with(100))

    with pytest.raises(AttributeError):
        view.total_tokens_left = 5  # type: ignore[misc]  # read-only
