"""What model calls cost: prices by model, the exact cost of a call, and the most it can cost.

    from decimal import Decimal
    from podium.agent.prices import FixedPrices, GenAIPrices, ModelPrice

    own = ModelPrice(input_per_million=Decimal("0.25"), output_per_million=Decimal(2))
    prices = FixedPrices({"our-model": own}, otherwise=GenAIPrices())

Money is exact: Decimal in US dollars, or whole billionths of one (nano-dollars) where a budget
counts it. A price that nobody knows is None, which is not zero.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from typing import Protocol

from podium.tools._extras import missing_extra
from podium.tracing import Usage

_MILLION = 1_000_000
_NANO_USD = 1_000_000_000
_KEPT_PRICES = 256
_DIGITS = 100  # enough for any sum of counts and prices to stay exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """US dollars for a million tokens."""

    input_per_million: Decimal
    """Of input."""
    output_per_million: Decimal
    """Of output, reasoning included."""
    cached_input_per_million: Decimal | None = None
    """Of input that the provider reads from its cache; None for as much as other input."""
    cache_write_per_million: Decimal | None = None
    """Of input that the provider writes to its cache; None for as much as other input."""

    def __post_init__(self) -> None:
        """Refuse what is no price."""
        for name in Rates.__slots__:
            _check_price(name, getattr(self, name))

    @property
    def dearest_input_per_million(self) -> Decimal:
        """The most that a million tokens of input can cost."""
        parts = (self.cached_input_per_million, self.cache_write_per_million)
        return max([self.input_per_million, *(part for part in parts if part is not None)])


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrice(Rates):
    """What a model costs: its rates, what they are for long prompts, and a fee for each call."""

    tiers: Mapping[int, Rates] = field(default_factory=dict[int, Rates], hash=False)
    """Rates by size: `{200_000: rates}` holds for all tokens of a call whose prompt is longer."""
    per_request: Decimal = Decimal(0)
    """US dollars for each call, beside its tokens."""

    def __post_init__(self) -> None:
        """Refuse what is no price, and tiers that start nowhere."""
        Rates.__post_init__(self)
        _check_price("per_request", self.per_request)
        for start in self.tiers:
            if type(start) is not int or start < 0:
                raise ValueError(
                    f"A tier of a ModelPrice starts at {start!r}, which is no number of tokens. "
                    "Give the tokens above which it holds, as in {200_000: Rates(...)}."
                )

    def rates_for(self, prompt_tokens: int) -> Rates:
        """Return the rates of a call with so long a prompt; they hold for all its tokens."""
        passed = [start for start in self.tiers if start < prompt_tokens]
        return self.tiers[max(passed)] if passed else self

    def rates_up_to(self, prompt_tokens: int) -> Iterator[Rates]:
        """Yield all rates that a call may have whose prompt is no longer than that."""
        yield self
        yield from (rates for start, rates in self.tiers.items() if start < prompt_tokens)


class PriceTable(Protocol):
    """Where prices come from."""

    def price(self, model: str, provider: str | None = None) -> ModelPrice | None:
        """Return the price of `model` as it is now, or None when it is not known.

        `provider` is a name, such as `openai`, or the URL of an API; None leaves it to the model's
        name.
        """
        ...


class FixedPrices:
    """Prices that you set, by model name; they hold for any provider."""

    def __init__(
        self, prices: Mapping[str, ModelPrice], *, otherwise: PriceTable | None = None
    ) -> None:
        """Keep the prices; `otherwise` is asked for models that are not among them."""
        self._prices = dict(prices)
        self._otherwise = otherwise

    def price(self, model: str, provider: str | None = None) -> ModelPrice | None:
        """Return the price set for `model`, or what the other table says, or None."""
        found = self._prices.get(model)
        if found is None and self._otherwise is not None:
            return self._otherwise.price(model, provider)
        return found


class GenAIPrices:
    """Public list prices, from the snapshot in the `genai-prices` package; nothing is downloaded.

    Prices may change with the date and the time of day. Fees for a provider's own tools, such as
    its web search, are not known here. The first look-up loads the snapshot, which takes about a
    second.
    """

    def __init__(self) -> None:
        """Check that the package is there.

        Raises:
            ImportError: it is not.
        """
        if importlib.util.find_spec("genai_prices") is None:
            raise missing_extra("looking list prices up", "genai-prices", "prices")
        self._price: Callable[[str, str | None, datetime], ModelPrice | None]
        self._price = functools.lru_cache(maxsize=_KEPT_PRICES)(_look_up)

    def price(self, model: str, provider: str | None = None) -> ModelPrice | None:
        """Return the list price of `model` in this minute, or None when it is not listed."""
        return self._price(model, provider, datetime.now(UTC).replace(second=0, microsecond=0))


def load_list_prices() -> None:
    """Load the snapshot of list prices, which takes about a second the first time.

    Raises:
        ImportError: the package that has it is not installed.
    """
    GenAIPrices().price("gpt-5-mini", "openai")


def cost_of(usage: Usage, price: ModelPrice) -> Decimal:
    """Return what one call cost, in US dollars, exactly.

    Which rates hold depends on the call's prompt, so ask for each call and add up the costs.
    """
    rates = price.rates_for(usage.input_tokens)
    written = min(usage.cache_write_tokens, usage.input_tokens)
    cached = min(usage.cached_input_tokens, usage.input_tokens - written)
    plain = usage.input_tokens - written - cached
    with localcontext(Context(prec=_DIGITS)):
        millions = (
            plain * rates.input_per_million
            + cached * _or_input(rates.cached_input_per_million, rates)
            + written * _or_input(rates.cache_write_per_million, rates)
            + usage.output_tokens * rates.output_per_million
        )
        return millions / _MILLION + usage.requests * price.per_request


def dearest(price: ModelPrice, prompt_tokens: int, output_tokens: int) -> int:
    """Return the most that a call can cost with no more than these tokens, in nano-dollars."""
    output = output_tokens * dearest_output_per_million(price, prompt_tokens)
    return dearest_prompt(price, prompt_tokens) - (-output // _MILLION)


def dearest_prompt(price: ModelPrice, prompt_tokens: int) -> int:
    """Return the most that a call can cost before it writes anything, in nano-dollars."""
    rate = max(rates.dearest_input_per_million for rates in price.rates_up_to(prompt_tokens))
    with localcontext(Context(prec=_DIGITS)):
        return _nano(prompt_tokens * rate / _MILLION + price.per_request)


def dearest_output_per_million(price: ModelPrice, prompt_tokens: int) -> int:
    """Return the most that a million tokens of output can cost after it, in nano-dollars."""
    rate = max(rates.output_per_million for rates in price.rates_up_to(prompt_tokens))
    with localcontext(Context(prec=_DIGITS)):
        return _nano(rate)


def _nano(dollars: Decimal) -> int:
    return int((dollars * _NANO_USD).to_integral_value(ROUND_CEILING))


def _or_input(rate: Decimal | None, rates: Rates) -> Decimal:
    return rates.input_per_million if rate is None else rate


def _look_up(model: str, provider: str | None, moment: datetime) -> ModelPrice | None:
    from podium.agent._list_prices import list_price  # an optional package, of a second to load

    return list_price(model, provider, moment)


def _check_price(name: str, price: object) -> None:
    if price is None and name.startswith("cache"):
        return
    if not isinstance(price, Decimal):
        raise TypeError(
            f"{name}={price!r} is a {type(price).__name__}, and prices are exact. "
            "Write it as Decimal('0.25')."
        )
    if not price.is_finite() or price < 0:
        raise ValueError(f"{name}={price!r} is no price. Give a Decimal of 0 or more US dollars.")
