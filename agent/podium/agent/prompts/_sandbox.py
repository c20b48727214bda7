"""The environment prompts run in: plain data, a few methods, and every operation weighed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from jinja2 import ChainableUndefined, StrictUndefined, Undefined, pass_context
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from podium.agent.prompts import _filters as filters
from podium.agent.prompts._arithmetic import OPERATORS, combine
from podium.agent.prompts._context import PartMark, PromptContext
from podium.agent.prompts._limits import PromptError
from podium.agent.prompts._operations import LOOPED, OPERATIONS, PART_FILTERS, loop_over
from podium.agent.prompts._values import Record, type_name

_TEXT_METHODS = (
    "capitalize casefold count endswith find index isalnum isalpha isdecimal isdigit islower "
    "isnumeric isspace istitle isupper join lower lstrip partition removeprefix removesuffix "
    "replace rfind rpartition rsplit rstrip split splitlines startswith strip swapcase title upper"
)
_METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset(_TEXT_METHODS.split()),
    dict: frozenset({"get", "items", "keys", "values"}),
    list: frozenset({"count", "index"}),
    tuple: frozenset({"count", "index"}),
    LoopContext: frozenset({"changed", "cycle"}),
}
_LOOP_FIELDS = frozenset(
    "depth depth0 first index index0 last length nextitem previtem revindex revindex0".split()
)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of plain data, not yet called."""

    owner: Any
    name: str


class Missing(ChainableUndefined):
    """An optional variable that was not given: empty, and so is whatever is looked up in it."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Show nothing, also inside a list."""
        return ""


@pass_context
def _finalize(context: PromptContext, value: object) -> str:
    if isinstance(value, PartMark):
        return value.text
    return context.meter.show(value)


class PromptEnvironment(ImmutableSandboxedEnvironment):
    """Runs prompts. It has no loader and no globals; see the module for what it allows."""

    context_class = PromptContext
    intercepted_binops = frozenset(OPERATORS)
    call_steps = 1
    """Steps that one call of a macro takes; set to the size of the template once it is known."""

    def __init__(self) -> None:
        """Build it from the allow-lists."""
        super().__init__(
            undefined=StrictUndefined, finalize=_finalize, optimized=False, cache_size=0
        )
        self.globals = {}
        self.tests = filters.allowed_tests()
        self.filters = filters.allowed_filters() | PART_FILTERS | OPERATIONS

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return what `obj.attribute` stands for: a field, a key or an allowed method."""
        if isinstance(obj, Missing):
            return obj
        if attribute.startswith("_"):
            raise PromptError(
                f"{attribute!r} is private, and templates cannot read it. Use a public field."
            )
        if attribute in _METHODS.get(_kind(obj), ()):
            return Method(obj, attribute)
        if isinstance(obj, LoopContext) and attribute in _LOOP_FIELDS:
            return getattr(obj, attribute)
        if isinstance(obj, tuple) and attribute in getattr(cast("Any", obj), "_fields", ()):
            return getattr(cast("Any", obj), attribute)
        if isinstance(obj, Namespace):
            return getattr(obj, attribute, self.undefined(name=attribute))
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return what `obj[argument]` stands for: an item, a key or a field, never a method."""
        if isinstance(obj, Undefined):
            return obj[argument]
        try:
            if isinstance(obj, Record):
                return obj.fields[argument]
            if isinstance(obj, LOOPED):
                return obj[argument]
        except (TypeError, LookupError):
            pass
        return self.undefined(f"{type_name(obj)!r} has no field or item {_shown(argument)}")

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a macro, a recursive loop or an allowed method; refuse everything else."""
        prompt = cast("PromptContext", context)
        if isinstance(obj, Method):
            kwargs.pop("_loop_vars", None)  # jinja's own, added to every call inside a loop
            return _call_method(prompt, obj, args, kwargs)
        if isinstance(obj, LoopContext):
            args = tuple(loop_over(prompt, items, self.call_steps) for items in args)
        if isinstance(obj, Macro | LoopContext):
            prompt.meter.step(self.call_steps + len(args) + len(kwargs))
            with prompt.meter.nested():
                return context.call(obj, *args, **kwargs)
        if isinstance(obj, Undefined):
            return obj()
        raise PromptError(
            f"A value of type {type_name(obj)!r} cannot be called in a template, only macros and "
            "the methods of text, lists and dicts. Call it in Python and pass the result."
        )

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return `left operator right`, within bounds."""
        return combine(cast("PromptContext", context).meter, operator, left, right)

    def call_filter(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Apply a filter by its name, as `map` does; podium's own operations have none."""
        if name in OPERATIONS:
            raise PromptError(f"There is no filter named {name!r}. Name one of jinja's filters.")
        return super().call_filter(name, *args, **kwargs)


def _shown(argument: object) -> str:
    # This text is made also where nobody reads it, so it must cost nothing.
    if isinstance(argument, str):
        return repr(argument[:60])
    short = isinstance(argument, int) and argument.bit_length() < 64
    return repr(argument) if short else f"for a {type(argument).__name__}"


def _kind(obj: object) -> type:
    return tuple if isinstance(obj, tuple) else type(obj)


def _call_method(
    context: PromptContext, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> object:
    filters.weigh_arguments(context.meter, args, kwargs)
    if isinstance(method.owner, LoopContext):
        return getattr(method.owner, method.name)(*args, **kwargs)
    context.meter.weigh(method.owner)
    if isinstance(method.owner, str) and method.name == "join":
        (items,) = args
        return context.meter.keep(filters.join(context, items, method.owner))
    if isinstance(method.owner, str) and method.name == "replace":
        return context.meter.keep(filters.replace(context, method.owner, *args, **kwargs))
    result = getattr(method.owner, method.name)(*args, **kwargs)
    is_view = isinstance(method.owner, dict) and method.name != "get"
    return context.meter.keep(list(result) if is_view else result)
