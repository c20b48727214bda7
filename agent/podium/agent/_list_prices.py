"""List prices from the genai-prices package, as podium states prices. Needs the extra `prices`."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from genai_prices import Usage, calc_price
from genai_prices.types import ModelPrice as Listed
from genai_prices.types import TieredPrices

from podium.agent.prices import ModelPrice, Rates

_NO_USE = Usage()


def list_price(model: str, provider: str | None, moment: datetime) -> ModelPrice | None:
    """Return the price of `model` at `moment`, or None when it is not listed by the token."""
    try:
        if provider is not None and "://" in provider:
            found = calc_price(
                _NO_USE, model, provider_api_url=provider, genai_request_timestamp=moment
            )
        else:
            found = calc_price(_NO_USE, model, provider_id=provider, genai_request_timestamp=moment)
    except LookupError:
        return None
    listed = found.model_price
    base = _rates(listed, 0)
    if base is None:
        return None
    tiers = {start: _rates(listed, start + 1) or base for start in _starts(listed)}
    return ModelPrice(
        input_per_million=base.input_per_million,
        output_per_million=base.output_per_million,
        cached_input_per_million=base.cached_input_per_million,
        cache_write_per_million=base.cache_write_per_million,
        tiers=tiers,
        per_request=(_at(listed.requests_kcount, 0) or Decimal(0)) / 1000,
    )


def _rates(listed: Listed, prompt_tokens: int) -> Rates | None:
    """Return the rates for so long a prompt; None when input or output has no price by the token.

    Usage does not tell text from images or answers from reasoning, so the dearest of them counts.
    Sound and films are left out: podium sends and takes none.
    """
    sent = _dearest(prompt_tokens, listed.input_mtok, listed.input_image_mtok)
    written = _dearest(
        prompt_tokens, listed.output_mtok, listed.output_reasoning_mtok, listed.output_image_mtok
    )
    if sent is None or written is None:
        return None
    return Rates(
        input_per_million=sent,
        output_per_million=written,
        cached_input_per_million=_at(listed.cache_read_mtok, prompt_tokens),
        cache_write_per_million=_at(listed.cache_write_mtok, prompt_tokens),
    )


def _dearest(
    prompt_tokens: int, main: Decimal | TieredPrices | None, *others: Decimal | TieredPrices | None
) -> Decimal | None:
    if main is None:
        return None
    prices = [_at(each, prompt_tokens) for each in (main, *others)]
    return max(price for price in prices if price is not None)


def _at(price: Decimal | TieredPrices | None, prompt_tokens: int) -> Decimal | None:
    if not isinstance(price, TieredPrices):
        return price
    passed = [tier.price for tier in price.tiers if tier.start < prompt_tokens]
    return passed[-1] if passed else price.base


def _starts(listed: Listed) -> list[int]:
    tiered = [price for price in vars(listed).values() if isinstance(price, TieredPrices)]
    return sorted({tier.start for price in tiered for tier in price.tiers})
