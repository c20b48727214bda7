"""Checks of what a budget is given: whole numbers above zero, money, seconds."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Final

SMALLEST_USD: Final = Decimal("1e-9")
"""The least money a ledger can count."""


def check_whole(name: str, value: object, *, least: int = 1) -> None:
    """Refuse a limit that is not None or a whole number of at least `least`.

    Raises:
        TypeError: it is no int; bool and float are none.
        ValueError: it is too small.
    """
    if value is None:
        return
    if type(value) is not int:
        raise TypeError(
            f"Budget got {name}={value!r}, which is no whole number. "
            f"Give an int of at least {least}, or leave {name} out for no limit."
        )
    if value < least:
        raise ValueError(
            f"Budget got {name}={value}, which is less than {least}. "
            f"Give a larger number, or leave {name} out for no limit."
        )


def checked_usd(value: object) -> Decimal | None:
    """Return an amount of money as a Decimal; a float counts as what it is written as.

    Raises:
        TypeError: it is no Decimal, int or float.
        ValueError: it is not finite, or less than a billionth of a dollar.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Decimal | int | float):
        raise TypeError(
            f"Budget got cost_usd={value!r}, which is no amount of money. "
            "Give a Decimal, an int or a float, such as cost_usd=0.50."
        )
    usd = value if isinstance(value, Decimal) else Decimal(str(value))
    if not usd.is_finite() or usd < SMALLEST_USD:
        raise ValueError(
            f"Budget got cost_usd={value}, which is less than a billionth of a dollar or not "
            "finite. Give a larger amount, or leave cost_usd out for no limit."
        )
    return usd


def read_usd(text: str) -> Decimal:
    """Return an amount of money that data holds as text.

    Raises:
        ValueError: the text is no number.
    """
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(
            f"A budget in data has cost_usd={text!r}, which is no amount of money. "
            "Write it as digits, such as '0.50'."
        ) from None


def check_seconds(value: object) -> None:
    """Refuse seconds that are not None or a finite number above 0.

    Raises:
        TypeError: it is no int or float.
        ValueError: it is not finite, or not above 0.
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"Budget got seconds={value!r}, which is no number. "
            "Give an int or a float above 0, or leave seconds out for no limit."
        )
    if not isfinite(value) or value <= 0:
        raise ValueError(
            f"Budget got seconds={value}, which is no time that can pass. "
            "Give a finite number above 0, or leave seconds out for no limit."
        )


def check_share(value: object) -> None:
    """Refuse a share that is not a number above 0 and at most 1.

    Raises:
        TypeError: it is no int or float.
        ValueError: it lies outside.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"Budget.fraction() got {value!r}, which is no number. Give one above 0, at most 1."
        )
    if not 0 < value <= 1:
        raise ValueError(
            f"Budget.fraction() got {value}, which is no part of a whole. "
            "Give a number above 0 and at most 1, such as 0.25."
        )


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Refuse a value that is not one of the choices.

    Raises:
        ValueError: it is none of them.
    """
    if not any(type(value) is type(choice) and value == choice for choice in choices):  # 1 == True
        raise ValueError(
            f"Budget got {name}={value!r}, which it does not know. "
            f"Choose one of {', '.join(map(repr, choices))}."
        )
