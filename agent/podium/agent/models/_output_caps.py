"""How long replies may be: what a chat generator says of it, and the limits in its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

LIMIT_KEYS = ("max_completion_tokens", "max_tokens")
"""The parameters that limit a reply, newest first."""


@dataclass(frozen=True, slots=True)
class OutputCaps:
    """What can be known and done about the length of a generator's replies."""

    generator: Any
    """The chat generator."""
    can_cap: bool
    """Whether a call can be given an output limit."""
    is_hard: bool
    """Whether replies surely keep to that limit, with all that was thought on the way."""
    maximum: int | None
    """Tokens that no reply exceeds, by the generator's own word; None when it gives none."""

    def limit(self, generation_kwargs: Mapping[str, Any] | None) -> int | None:
        """Return how many tokens a call with these parameters writes at most, None for unknown."""
        ask = getattr(self.generator, "output_limit", None)
        stated = ask(generation_kwargs) if callable(ask) else None
        known = [limit for limit in (stated, self.maximum) if is_limit(limit)]
        return min(known, default=None)

    def capped(
        self, generation_kwargs: Mapping[str, Any] | None, max_tokens: int
    ) -> Mapping[str, Any] | None:
        """Return the parameters with an output limit, or as they are where there can be none."""
        if not self.can_cap:
            return generation_kwargs
        capped: Mapping[str, Any] = self.generator.with_output_cap(generation_kwargs, max_tokens)
        return capped


def output_caps(generator: object) -> OutputCaps:
    """Return what can be done about the length of any generator's replies.

    One that has nothing of `CapsOutput` cannot be capped, and its replies may have any length.
    """
    can_cap = callable(getattr(generator, "with_output_cap", None))
    maximum = getattr(generator, "max_output_tokens", None)
    return OutputCaps(
        generator=generator,
        can_cap=can_cap,
        is_hard=can_cap and getattr(generator, "output_cap_is_hard", False) is True,
        maximum=maximum if is_limit(maximum) else None,
    )


def is_limit(value: object) -> TypeGuard[int]:
    """Return whether a parameter limits anything; some servers take -1 for no limit."""
    return type(value) is int and value >= 0


def stated_limit(parameters: Mapping[str, Any]) -> int | None:
    """Return the lowest limit among a call's parameters, or None."""
    return min(filter(is_limit, map(parameters.get, LIMIT_KEYS)), default=None)


def lowered(parameters: Mapping[str, Any], max_tokens: int, default_key: str) -> dict[str, int]:
    """Return the limits to set so that a reply has at most `max_tokens`.

    Each limit that is there is lowered where it is higher; with none there is one of that key.
    """
    keys = [key for key in LIMIT_KEYS if parameters.get(key) is not None] or [default_key]
    given = {key: parameters.get(key) for key in keys}
    return {
        key: min(value, max_tokens) if is_limit(value) else max_tokens
        for key, value in given.items()
    }
