"""Usage: what model calls cost, as an immutable sum, and the raw dicts it is made from.

`Usage` is the typed form; the `token_usage` dict that the reference documents is summed here too,
so there is one place that knows how providers spell their counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any, TypeGuard, cast

MAX_COUNT = 10**12
"""No call uses this many tokens; a provider that says so is wrong and is clamped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was used: tokens, requests, tool calls and money.

    Sums with `+`. `input_tokens` includes cached ones, `output_tokens` includes reasoning.
    """

    input_tokens: int = 0
    """Tokens sent to models, cached ones included."""
    output_tokens: int = 0
    """Tokens written by models, reasoning included."""
    cached_input_tokens: int = 0
    """The part of `input_tokens` that the provider read from its cache."""
    cache_write_tokens: int = 0
    """The part of `input_tokens` that the provider wrote to its cache, where it says so."""
    reasoning_tokens: int = 0
    """The part of `output_tokens` that was reasoning."""
    requests: int = 0
    """Model calls."""
    tool_calls: int = 0
    """Tool calls that were answered, failed ones included."""
    cost: Decimal | None = None
    """US dollars; None when it is not known, which is not zero."""
    complete: bool = True
    """False when a call reported no usage: the totals are then lower bounds."""

    @property
    def total_tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; unknown cost plus known cost is unknown unless one side used nothing."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            requests=self.requests + other.requests,
            tool_calls=self.tool_calls + other.tool_calls,
            cost=_add_cost(self, other),
            complete=self.complete and other.complete,
        )

    @classmethod
    def of_call(cls, raw: object) -> Usage:
        """Return the usage of one model call from the dict its provider sent.

        Reads the names of chat completions (`prompt_tokens`) and of responses (`input_tokens`).
        A count that is missing, negative, a bool or no number counts as zero; without any count
        the call is marked not `complete`.
        """
        if not isinstance(raw, Mapping):
            return cls(requests=1, complete=False)
        counts = cast("Mapping[str, object]", raw)
        sent = _count(counts, "prompt_tokens", "input_tokens")
        written = _count(counts, "completion_tokens", "output_tokens")
        if sent is None and written is None:
            # A gateway that reports only a total: better counted as input than lost.
            return cls(input_tokens=_count(counts, "total_tokens") or 0, requests=1, complete=False)
        return cls(
            input_tokens=sent or 0,
            output_tokens=written or 0,
            cached_input_tokens=_detail(
                counts, "prompt_tokens_details", "input_tokens_details", "cached_tokens"
            ),
            cache_write_tokens=_detail(
                counts, "prompt_tokens_details", "input_tokens_details", "cache_write_tokens"
            ),
            reasoning_tokens=_detail(
                counts, "completion_tokens_details", "output_tokens_details", "reasoning_tokens"
            ),
            requests=1,
            complete=sent is not None and written is not None,
        )


def complete_token_usage(raw: object, usage: Usage | None = None) -> dict[str, Any]:
    """Return a provider's usage dict with prompt, completion and total tokens filled in.

    The provider's other keys stay as they are; a dict without any count comes back empty. Pass
    `usage` where `Usage.of_call(raw)` is known already.
    """
    usage = usage or Usage.of_call(raw)
    if not isinstance(raw, Mapping) or not (usage.total_tokens or usage.complete):
        return {}
    return {
        **cast("Mapping[str, Any]", raw),
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
    }


def add_token_usage(total: dict[str, Any], extra: Mapping[str, Any]) -> None:
    """Add `extra` into `total`, key by key and nested dict by nested dict.

    Numbers are summed; None, bools, text and numbers that are not finite never disturb a sum, they
    only fill a free place. Where one side has a number and the other a dict, the first one stays.
    """
    for key, value in extra.items():
        current = total.get(key)
        if type(value) is int and (current is None or type(current) is int):  # nearly always
            total[key] = value + (current or 0)
        elif _is_number(value):
            if not isinstance(current, dict):
                total[key] = current + value if _is_number(current) else value
        elif isinstance(value, Mapping):
            if current is None or isinstance(current, dict):
                nested = cast("dict[str, Any]", current or {})
                add_token_usage(nested, cast("Mapping[str, Any]", value))
                total[key] = nested
        elif current is None:
            total[key] = value


def _is_number(value: object) -> TypeGuard[int | float]:
    return type(value) is int or (type(value) is float and isfinite(value))


def _count(raw: Mapping[str, object], *keys: str) -> int | None:
    """Return the count under the first of `keys` that has one, within what a call can use."""
    for key in keys:
        value = raw.get(key)
        if type(value) is int:
            return min(max(value, 0), MAX_COUNT)
        if type(value) is float and value == value:  # not NaN
            return int(min(max(value, 0), MAX_COUNT))
    return None


def _detail(raw: Mapping[str, object], chat: str, responses: str, key: str) -> int:
    for group in (raw.get(chat), raw.get(responses)):
        if isinstance(group, Mapping):
            return _count(cast("Mapping[str, object]", group), key) or 0
    return 0


def _add_cost(one: Usage, other: Usage) -> Decimal | None:
    if one.cost is not None and other.cost is not None:
        return one.cost + other.cost
    if one.cost is None and one.requests == 0:
        return other.cost
    if other.cost is None and other.requests == 0:
        return one.cost
    return None
