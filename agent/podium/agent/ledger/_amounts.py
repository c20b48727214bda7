"""What a ledger counts: its resources, and amounts of them as whole numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

from podium.tools.errors import nearest

Resource = Literal[
    "tokens", "input_tokens", "output_tokens", "cost_nusd", "requests", "tool_calls", "agents"
]
"""`tokens` is input and output together; `cost_nusd` is money in billionths of a US dollar."""

RESOURCES: Final[tuple[Resource, ...]] = get_args(Resource)
"""All resources, in the order in which they are looked at."""

Amounts: TypeAlias = Mapping[Resource, int]
"""How much of which resource; one that is not named is none, or no limit."""


def checked_amounts(amounts: Mapping[Resource, int]) -> dict[Resource, int]:
    """Return a copy of amounts that are whole numbers of known resources.

    Raises:
        ValueError: an unknown resource, or an amount below zero.
        TypeError: an amount that is not an int; bool and float are none.
    """
    for resource, amount in amounts.items():
        if resource not in RESOURCES:
            raise ValueError(
                f"A ledger does not count {resource!r}.{nearest(str(resource), RESOURCES)} "
                "Name one of them."
            )
        if type(amount) is not int:
            raise TypeError(
                f"An account was given {resource}={amount!r}, but a ledger counts in whole "
                "numbers. Pass an int; money is in billionths of a US dollar."
            )
        if amount < 0:
            raise ValueError(
                f"An account was given {resource}={amount}, which is below zero. "
                "Give 0 or more; what was held too much comes back by settle or cancel."
            )
    return dict(amounts)


def measured(reported: Mapping[Resource, object] | None) -> dict[Resource, int]:
    """Return the counts that make sense in what a provider reported; the rest is unknown."""
    return {
        resource: count
        for resource, count in (reported or {}).items()
        if type(count) is int and count >= 0 and resource in RESOURCES
    }
