"""Prices: exact costs, the most a call can cost, and list prices that need no network."""

from __future__ import annotations

import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import genai_prices
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.agent.prices import (
    FixedPrices,
    GenAIPrices,
    ModelPrice,
    Rates,
    cost_of,
    dearest,
    dearest_output_per_million,
    dearest_prompt,
)
from podium.tracing import Usage

SONNET = ModelPrice(
    input_per_million=Decimal(3),
    output_per_million=Decimal(15),
    cached_input_per_million=Decimal("0.3"),
    cache_write_per_million=Decimal("3.75"),
)
PRO = ModelPrice(
    input_per_million=Decimal("1.25"),
    output_per_million=Decimal(10),
    tiers={200_000: Rates(input_per_million=Decimal("2.5"), output_per_million=Decimal(15))},
)
CALL = Usage(input_tokens=1000, output_tokens=100, requests=1)


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        pytest.param(CALL, "0.0045", id="plain"),
        pytest.param(replace(CALL, cached_input_tokens=900), "0.00207", id="read from a cache"),
        pytest.param(replace(CALL, cache_write_tokens=900), "0.005175", id="written to a cache"),
        pytest.param(
            replace(CALL, cached_input_tokens=500, cache_write_tokens=400), "0.00345", id="both"
        ),
        pytest.param(replace(CALL, reasoning_tokens=80), "0.0045", id="reasoning is output"),
        pytest.param(Usage(requests=1), "0", id="nothing"),
        pytest.param(
            replace(CALL, cached_input_tokens=5000, cache_write_tokens=5000),
            "0.00525",
            id="more of the cache than there was input",
        ),
    ],
)
def test_a_call_costs_its_tokens_by_kind(usage: Usage, cost: str) -> None:
    assert cost_of(usage, SONNET) == Decimal(cost)


@pytest.mark.parametrize(
    ("tokens", "cost"),
    [
        pytest.param(150_000, "0.1875", id="below"),
        pytest.param(200_000, "0.25", id="on the border"),
        pytest.param(200_001, "0.5000025", id="above, for all tokens"),
        pytest.param(300_000, "0.75", id="far above"),
    ],
)
def test_long_prompts_have_rates_of_their_own(tokens: int, cost: str) -> None:
    assert cost_of(Usage(input_tokens=tokens), PRO) == Decimal(cost)


def test_a_fee_for_each_call_is_added() -> None:
    price = replace(SONNET, per_request=Decimal("0.012"))

    assert cost_of(CALL, price) == Decimal("0.0165")
    assert dearest(price, 0, 0) == 12_000_000


def test_costs_are_exact_however_large_the_counts_and_fine_the_prices() -> None:
    price = ModelPrice(
        input_per_million=Decimal("0.041666666666666664"), output_per_million=Decimal(1)
    )

    cost = cost_of(Usage(input_tokens=10**12 - 1), price)

    assert Fraction(cost) == (10**12 - 1) * Fraction("0.041666666666666664") / 10**6


def test_the_dearest_a_call_can_be_is_rounded_up_to_nano_dollars() -> None:
    price = ModelPrice(input_per_million=Decimal("0.0375"), output_per_million=Decimal("0.0001"))

    assert dearest_prompt(price, 1) == 38
    assert dearest_output_per_million(price, 1) == 100_000
    assert dearest(price, 1, 1) == 38 + 1


def test_the_dearest_prompt_is_one_that_is_written_to_a_cache() -> None:
    assert dearest_prompt(SONNET, 1000) == 3_750_000
    assert dearest(SONNET, 1000, 100) == 3_750_000 + 1_500_000


prices = st.decimals(0, 100, places=6, allow_nan=False)
rates: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "input_per_million": prices,
        "output_per_million": prices,
        "cached_input_per_million": st.one_of(st.none(), prices),
        "cache_write_per_million": st.one_of(st.none(), prices),
    }
)
counts = st.integers(0, 10**6)


@given(
    base=rates,
    tiers=st.dictionaries(counts, rates.map(lambda each: Rates(**each)), max_size=3),
    fee=prices,
    most=st.tuples(counts, counts),
    parts=st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
)
def test_no_call_costs_more_than_the_dearest(
    base: dict[str, Any],
    tiers: dict[int, Rates],
    fee: Decimal,
    most: tuple[int, int],
    parts: tuple[float, float, float, float],
) -> None:
    price = ModelPrice(**base, tiers=tiers, per_request=fee)
    sent = int(most[0] * parts[0])
    usage = Usage(
        input_tokens=sent,
        output_tokens=int(most[1] * parts[1]),
        cached_input_tokens=int(sent * parts[2]),
        cache_write_tokens=int(sent * parts[3]),
        requests=1,
    )

    assert cost_of(usage, price) * 10**9 <= dearest(price, *most)


@pytest.mark.parametrize(
    ("wrong", "error", "says"),
    [
        pytest.param(0.25, TypeError, r"input_per_million=0.25 is a float", id="a float"),
        pytest.param("0.25", TypeError, r"is a str.*Write it as Decimal\('0.25'\)", id="text"),
        pytest.param(None, TypeError, r"is a NoneType", id="none"),
        pytest.param(Decimal(-1), ValueError, r"Give a Decimal of 0 or more", id="negative"),
        pytest.param(Decimal("NaN"), ValueError, r"is no price", id="no number"),
        pytest.param(Decimal("Infinity"), ValueError, r"is no price", id="endless"),
    ],
)
def test_what_is_no_price_is_refused(wrong: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ModelPrice(input_per_million=wrong, output_per_million=Decimal(1))


@pytest.mark.parametrize("start", [-1, True, "200k", 1.5])
def test_a_tier_that_starts_nowhere_is_refused(start: Any) -> None:
    with pytest.raises(ValueError, match=r"Give the tokens above which it holds"):
        replace(SONNET, tiers={start: SONNET})


def test_prices_you_set_go_before_those_of_another_table() -> None:
    others = FixedPrices({"sonnet": PRO, "pro": PRO})

    table = FixedPrices({"sonnet": SONNET}, otherwise=others)

    assert table.price("sonnet") is SONNET
    assert table.price("pro", "somewhere") is PRO
    assert table.price("unknown") is None
    assert FixedPrices({}).price("sonnet") is None


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        pytest.param("gpt-5-mini", "openai", id="by provider"),
        pytest.param("gpt-5-mini", None, id="by the name of the model"),
        pytest.param("gpt-5-mini", "https://api.openai.com/v1", id="by the address of an API"),
        pytest.param("claude-sonnet-4-5", "anthropic", id="with cache writes and tiers"),
        pytest.param("gemini-2.5-pro", "google", id="with tiers"),
        pytest.param("sonar-pro", "perplexity", id="with a fee for each call"),
    ],
)
@pytest.mark.parametrize("sent", [1000, 300_000])
def test_list_prices_give_the_cost_that_their_package_gives(
    model: str, provider: str | None, sent: int
) -> None:
    usage = Usage(input_tokens=sent, output_tokens=900, cached_input_tokens=400, requests=1)
    theirs = genai_prices.calc_price(
        genai_prices.Usage(input_tokens=sent, output_tokens=900, cache_read_tokens=400),
        model,
        provider_id=None if provider is None or "://" in provider else provider,
    )

    price = GenAIPrices().price(model, provider)

    assert price is not None
    assert cost_of(usage, price) == theirs.total_price


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        pytest.param("no-such-model", None, id="an unknown model"),
        pytest.param("no-such-model", "openai", id="of a known provider"),
        pytest.param("gpt-5-mini", "no-such-provider", id="an unknown provider"),
        pytest.param("gpt-5-mini", "http://localhost:8000/v1", id="an unknown address"),
        pytest.param("text-embedding-3-small", "openai", id="one that writes nothing"),
        pytest.param("", None, id="no name"),
    ],
)
def test_what_is_not_listed_has_no_price(model: str, provider: str | None) -> None:
    assert GenAIPrices().price(model, provider) is None


def test_list_prices_are_looked_up_once_a_minute() -> None:
    table = GenAIPrices()

    assert table.price("gpt-5-mini", "openai") is table.price("gpt-5-mini", "openai")


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)

    with pytest.raises(ImportError, match=r"Run `pip install 'podium\[prices\]'`"):
        GenAIPrices()
