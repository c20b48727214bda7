"""Figures and names as short text, for the cells of tables and trees."""

from __future__ import annotations

from decimal import Decimal

from podium.tracing._text import printable
from podium.tracing._usage import Usage


def one_line(text: str, limit: int = 200) -> str:
    """Return what a trace says as one line that cannot steer a terminal."""
    return printable(" ".join(text[: limit + 1].split()), limit=limit)


def duration(nanoseconds: float) -> str:
    """Return a time with three digits that matter.

    >>> duration(1_234_000), duration(12_345_678_900), duration(600e9)
    ('1.23 ms', '12.3 s', '10m 00s')
    """
    seconds = nanoseconds / 1e9
    if seconds >= 100:
        return f"{int(seconds // 60)}m {int(seconds % 60):02}s"
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} us"


def tokens(usage: Usage | None) -> str:
    """Return input and output tokens; a `+` says "at least", nothing that nothing was used."""
    if usage is None or not (usage.total_tokens or usage.requests):
        return ""
    if not usage.total_tokens:
        return "?"
    more = "" if usage.complete else "+"
    return f"{usage.input_tokens:,}>{usage.output_tokens:,}{more}"


def cost(amount: Decimal | None) -> str:
    """Return US dollars; nothing where they are not known."""
    return "" if amount is None else f"${amount:,.4f}"
