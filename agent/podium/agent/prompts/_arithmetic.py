"""The operators + - * / // % and ** of templates, refused before they make something huge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import Undefined

from podium.agent.prompts._limits import MAX_INTEGER_BITS, PromptError
from podium.agent.prompts._meter import Meter
from podium.agent.prompts._values import ATOMS, type_name

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
    "**": lambda left, right: left**right,
}
_SEQUENCES: frozenset[type] = frozenset({str, list, tuple})


def combine(meter: Meter, operator: str, left: Any, right: Any) -> object:
    """Return `left operator right`.

    Numbers and dates take every operator, texts and lists take `+` with their own kind and `*`
    with a whole number. `%` never formats text.

    Raises:
        PromptError: other operands, or a result that would be too large.
    """
    meter.step()
    kinds: set[type] = {type(left), type(right)}
    if isinstance(left, Undefined) or isinstance(right, Undefined):
        return OPERATORS[operator](left, right)  # raises, naming what is undefined
    if kinds <= ATOMS:
        if kinds <= {int, bool}:
            _check_whole_numbers(operator, left, right)
        return meter.keep(OPERATORS[operator](left, right))
    if operator == "+" and len(kinds) == 1 and kinds <= _SEQUENCES:
        meter.weigh((left, right))
        return meter.keep(left + right)
    if operator == "*" and int in kinds and kinds & _SEQUENCES:
        return _repeat(meter, *((right, left) if type(left) is int else (left, right)))
    raise PromptError(
        f"'{operator}' cannot combine {type_name(left)} and {type_name(right)} in a "
        "template. Join texts with ~, and turn text into numbers with | int."
    )


def _repeat(meter: Meter, sequence: str | list[object] | tuple[object, ...], times: int) -> object:
    times = max(times, 0)
    if isinstance(sequence, str):
        meter.text(len(sequence) * times)
    else:
        meter.weigh(sequence, times=times)
    return sequence * times


def _check_whole_numbers(operator: str, left: int, right: int) -> None:
    sizes = left.bit_length(), right.bit_length()
    bits = {"*": sum(sizes), "**": sizes[0] * right}.get(operator, 0)
    if bits > MAX_INTEGER_BITS:
        raise PromptError(
            f"'{operator}' would make a number of about {bits:,} bits, and {MAX_INTEGER_BITS:,} "
            "is the most. Work it out in Python and pass the result."
        )
