"""The filters and tests a prompt may use, each weighed; those that can blow up are left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sized
from decimal import Decimal
from typing import Any, cast

from jinja2 import Undefined, pass_context
from jinja2.filters import FILTERS
from jinja2.tests import TESTS
from markupsafe import escape as escape_markup

from podium.agent.prompts._context import PromptContext
from podium.agent.prompts._limits import MAX_DEPTH, MAX_INTEGER_BITS, PromptError
from podium.agent.prompts._meter import Meter
from podium.agent.prompts._values import ATOMS, Record

Function = Callable[..., Any]

_JINJA_FILTERS = cast("Mapping[str, Function]", FILTERS)
_JINJA_TESTS = cast("Mapping[str, Function]", TESTS)

_MAX_INDENT = 64
_SLOW = 8  # going through text with regular expressions
_ITEM_STEPS = 5  # going through items with functions for each

# They look at one item or none, so they cost nothing.
_FREE_FILTERS = ("count", "d", "default", "first", "last", "length")
_FREE_TESTS = (
    "boolean defined false float integer iterable mapping none number sequence string true "
    "undefined"
).split()
_WEIGHED_FILTERS = "abs capitalize float items lower reverse string trim truncate upper".split()
_ITEM_FILTERS = (
    "dictsort groupby list map max min reject rejectattr select selectattr sort unique"
).split()
_WEIGHED_TESTS = "!= < <= == > >= eq equalto ge greaterthan gt in le lessthan lower lt ne upper"


def weighed(function: Function, *, weight: int = 1, item_steps: int = 0) -> Function:
    """Return `function` as a filter or test that weighs what it is given and what it returns.

    `weight` and `item_steps` are for slow ones: how many times its arguments are counted, and how
    often each item of what it goes through.
    """
    marker = getattr(getattr(function, "jinja_pass_arg", None), "name", "")

    @pass_context
    def run(context: PromptContext, *args: Any, **kwargs: Any) -> object:
        weigh_arguments(context.meter, args, kwargs, weight)
        if item_steps and args and isinstance(args[0], Sized):
            context.meter.items(len(args[0]) * item_steps)
        return context.meter.keep(function(*_leading(marker, context), *args, **kwargs))

    return run


def weigh_arguments(
    meter: Meter, args: tuple[Any, ...], kwargs: Mapping[str, Any], weight: int = 1
) -> None:
    """Weigh a call and its arguments; a name without a value may be asked about, for nothing."""
    meter.step(1 + len(args) + len(kwargs))
    for argument in (*args, *kwargs.values()):
        if not isinstance(argument, Undefined):
            meter.weigh(argument, times=weight)


def _leading(marker: str, context: PromptContext) -> tuple[object, ...]:
    if not marker:
        return ()
    return (
        {
            "context": context,
            "eval_context": context.eval_ctx,
            "environment": context.environment,
        }[marker],
    )


@pass_context
def join(
    context: PromptContext, value: Any, d: object = "", attribute: int | str | None = None
) -> str:
    """Return the items of `value` as one text with `d` between them."""
    glue = str(d)
    context.meter.text(len(glue) * len(value))
    joined: str = _JINJA_FILTERS["join"](context.eval_ctx, value, glue, attribute)
    return joined


@pass_context
def replace(
    context: PromptContext, value: object, old: object, new: object, count: int = -1
) -> str:
    """Return the text with `old` replaced by `new`, at most `count` times."""
    text, before, after = str(value), str(old), str(new)
    found = text.count(before)
    context.meter.text(len(text) + found * len(after))
    return text.replace(before, after, count)


@pass_context
def _indent(
    context: PromptContext,
    value: object,
    width: int | str = 4,
    first: bool = False,
    blank: bool = False,
) -> str:
    text = str(value)
    size = len(width) if isinstance(width, str) else width
    if size > _MAX_INDENT:
        raise PromptError(
            f"indent got a width of {size:,}, and {_MAX_INDENT} is the most. Use a smaller width."
        )
    context.meter.text(len(text) + len(text.splitlines()) * size)
    indented: str = _JINJA_FILTERS["indent"](text, width, first, blank)
    return indented


@pass_context
def _tojson(context: PromptContext, value: object, indent: int | None = None) -> str:
    if indent is not None and not 0 <= indent <= 8:
        raise PromptError(f"tojson got indent={indent!r}. Use a whole number from 0 to 8.")
    if indent and isinstance(value, list | tuple | dict):
        context.meter.weigh(cast("object", value), times=MAX_DEPTH * indent)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=indent, default=_json_value)


def _json_value(value: object) -> object:
    if isinstance(value, Record) and value.fields:
        return value.fields
    return list(value) if isinstance(value, range) else str(value)


def _round(value: float, precision: int = 0, method: str = "common") -> object:
    if not -20 <= precision <= 20:
        raise PromptError(f"round got precision={precision!r}. Use a whole number from -20 to 20.")
    return _JINJA_FILTERS["round"](value, precision, method)


def _integer(value: object, default: int = 0, base: int = 10) -> object:
    if isinstance(value, Decimal) and abs(value) >= 2**MAX_INTEGER_BITS:
        return default  # a short one can stand for a billion digits
    return _JINJA_FILTERS["int"](value, default, base)


@pass_context
def _sum(
    context: PromptContext, value: Any, attribute: int | str | None = None, start: float = 0
) -> object:
    if type(start) not in ATOMS:
        raise PromptError(f"sum adds numbers, and got start={start!r:.40}. Leave start out.")
    return _JINJA_FILTERS["sum"](context.environment, value, attribute, start)


def _escape(value: object) -> str:
    return str.__str__(escape_markup(str(value)))


def _whole(name: str) -> Function:
    """Return jinja's test `name` for whole numbers only: `%` on a text would format it."""
    test = _JINJA_TESTS[name]

    def run(value: object, *numbers: object) -> bool:
        whole = all(isinstance(number, int) for number in (value, *numbers))
        return whole and bool(test(value, *numbers))

    return run


def allowed_filters() -> dict[str, Function]:
    """Return the filters by name."""
    own: dict[str, Function] = {
        "e": _escape,
        "escape": _escape,
        "indent": _indent,
        "int": _integer,
        "replace": replace,
        "round": _round,
        "tojson": _tojson,
    }
    return {
        **{name: _JINJA_FILTERS[name] for name in _FREE_FILTERS},
        **{name: weighed(_JINJA_FILTERS[name]) for name in _WEIGHED_FILTERS},
        **{name: weighed(function) for name, function in own.items()},
        **{name: weighed(_JINJA_FILTERS[name], item_steps=_ITEM_STEPS) for name in _ITEM_FILTERS},
        "join": weighed(join, item_steps=_ITEM_STEPS),
        "sum": weighed(_sum, item_steps=_ITEM_STEPS),
        "title": weighed(_JINJA_FILTERS["title"], weight=_SLOW),
        "wordcount": weighed(_JINJA_FILTERS["wordcount"], weight=_SLOW),
    }


def allowed_tests() -> dict[str, Any]:
    """Return the tests by name."""
    return {
        **{name: _JINJA_TESTS[name] for name in _FREE_TESTS},
        **{name: weighed(_JINJA_TESTS[name]) for name in _WEIGHED_TESTS.split()},
        **{name: _whole(name) for name in ("divisibleby", "even", "odd")},
    }
