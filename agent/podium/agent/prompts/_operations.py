"""podium's own operations: the compiler puts them where a template loops, builds or compares.

They are filters under names that no template can write.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Undefined, pass_context
from jinja2.utils import Namespace

from podium.agent.prompts._context import PartMark, PromptContext
from podium.agent.prompts._limits import MAX_RANGE, PromptError
from podium.agent.prompts._values import PARTS, Record, type_name

LOOP = "<loop>"
BUILD = "<build>"
COMPARE = "<compare>"
CONCAT = "<concat>"
SLICE = "<slice>"
MESSAGE = "<message>"
FUNCTIONS = {"range": "<range>", "namespace": "<namespace>"}
"""What a template calls by name as a function, and the operation that answers."""


SLICED: tuple[Any, ...] = (str, list, tuple, range)
LOOPED: tuple[Any, ...] = (*SLICED, dict)


@pass_context
def loop_over(context: PromptContext, items: Any, turn_steps: int) -> object:
    """Return `items` after taking the steps for looping over all of them."""
    if isinstance(items, Undefined):
        return list(items)
    if not isinstance(items, LOOPED):
        raise PromptError(
            f"A loop cannot go over a value of type {type_name(items)!r}. "
            "Loop over a list, a dict, text or range()."
        )
    context.meter.step(len(items) * turn_steps)
    return items


@pass_context
def _build(context: PromptContext, container: object) -> object:
    context.meter.step()
    context.meter.weigh(container)
    return container


@pass_context
def _compare(context: PromptContext, operand: object) -> object:
    if not isinstance(operand, Undefined):
        context.meter.weigh(operand)
    return operand


@pass_context
def _concat(context: PromptContext, items: tuple[object, ...]) -> str:
    texts = [context.meter.show(item) for item in items]
    context.meter.text(sum(map(len, texts)))
    return "".join(texts)


@pass_context
def _slice(context: PromptContext, value: Any, start: Any, stop: Any, step: Any) -> object:
    if isinstance(value, Undefined):
        return value[start]
    if not isinstance(value, SLICED):
        raise PromptError(
            f"A value of type {type_name(value)!r} cannot be sliced. Slice text, a list or range()."
        )
    return context.meter.keep(value[start:stop:step])


@pass_context
def _range(context: PromptContext, _: None, *bounds: int) -> range:
    numbers = range(*bounds)
    if numbers[MAX_RANGE:]:
        shown = ", ".join(f"{bound:,}" for bound in bounds)
        raise PromptError(
            f"range({shown:.80}) has more than {MAX_RANGE:,} numbers, the most that a range may "
            "have. Use a smaller range."
        )
    return numbers


@pass_context
def _namespace(context: PromptContext, _: None, *args: Any, **values: Any) -> Namespace:
    context.meter.weigh(args)
    context.meter.items(len(values))
    return Namespace(*args, **values)


@pass_context
def _message(context: PromptContext, text: str, role: object, name: object) -> str:
    context.messages.append((role, name, text))
    return ""


@pass_context
def _templatize_part(context: PromptContext, value: object) -> PartMark:
    if isinstance(value, Record) and isinstance(value.source, PARTS):
        return context.parts.mark(value.source)
    raise PromptError(
        f"templatize_part takes an ImageContent, FileContent or TextContent, and got "
        f"{type_name(value)!r}. Print other values without it."
    )


OPERATIONS: dict[str, Any] = {
    LOOP: loop_over,
    BUILD: _build,
    COMPARE: _compare,
    CONCAT: _concat,
    SLICE: _slice,
    MESSAGE: _message,
    FUNCTIONS["range"]: _range,
    FUNCTIONS["namespace"]: _namespace,
}
PART_FILTERS: dict[str, Any] = {"templatize_part": _templatize_part}
