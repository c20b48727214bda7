"""The meter of one rendering: it weighs every value an operation takes or makes."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, cast

from jinja2 import Undefined

from podium.agent.prompts._limits import (
    MAX_DEPTH,
    MAX_INTEGER_BITS,
    Allowance,
    PromptError,
)
from podium.agent.prompts._values import ATOMS, Record

_CONTAINERS: tuple[Any, ...] = (list, tuple, dict)


class Meter(Allowance):
    """Counts what one rendering does, and lets only plain data through."""

    __slots__ = ("_depth",)

    def __init__(self) -> None:
        """Start a rendering."""
        super().__init__()
        self._depth = 0

    def weigh(self, value: object, *, times: int = 1) -> None:
        """Take the work of going through `value`, all it holds included, `times` over.

        Containers are shared, not copied, so a few of them can stand for a tree of any size: what
        counts is the size of the tree.

        Raises:
            PromptError: it is too much, too deep, or not plain data.
        """
        waiting = [(value, 0)]
        while waiting:
            item, depth = waiting.pop()
            if isinstance(item, str):
                self.read(len(item) * times)
            elif isinstance(item, _CONTAINERS):
                waiting += self._opened(item, depth, times)
            elif type(item) not in ATOMS:
                self._weigh_object(item, times)

    def keep(self, result: object) -> object:
        """Return the result of an operation, weighed; what comes item by item becomes a list."""
        if type(result) is str:
            self.text(len(result))
            return result
        if isinstance(result, Iterator):
            result = self._collected(cast("Iterator[object]", result))
        if type(result) is int and result.bit_length() > MAX_INTEGER_BITS:
            raise PromptError(
                f"An operation makes a number of {result.bit_length():,} bits, and "
                f"{MAX_INTEGER_BITS:,} is the most. Work it out in Python and pass the result."
            )
        self.weigh(result)
        return result

    def show(self, value: object) -> str:
        """Return the text of `value` as it stands in the message."""
        if type(value) is str:
            text = value
        elif isinstance(value, Undefined):
            text = str(value)
        else:
            self.weigh(value)
            text = str(value)
        self.text(len(text))
        return text

    @contextmanager
    def nested(self) -> Generator[None]:
        """Hold one level of macro calls or recursive loops.

        Raises:
            PromptError: too many are held.
        """
        if self._depth >= MAX_DEPTH:
            raise PromptError(
                f"Macros or recursive loops call each other more than {MAX_DEPTH} levels deep. "
                "End the recursion, or prepare the text in Python."
            )
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _opened(self, container: Any, depth: int, times: int) -> list[tuple[object, int]]:
        """Weigh what stands in the container itself; return what has to be opened, with depths."""
        if depth >= MAX_DEPTH:
            raise PromptError(
                f"Lists or dicts nest more than {MAX_DEPTH} levels deep. Make the data flatter."
            )
        self.items(len(container) * times)
        chars = 0
        closed: list[tuple[object, int]] = []
        inner: Any = [*container, *container.values()] if type(container) is dict else container
        for item in inner:
            if type(item) is str:
                chars += len(item)
            elif type(item) not in ATOMS:
                closed.append((item, depth + 1))
        self.read(chars * times)
        return closed

    def _weigh_object(self, item: object, times: int) -> None:
        if isinstance(item, Record):
            self.read(len(str(item)) * times if item.has_text else 0)
        elif isinstance(item, range):
            self.items(len(item) * times)
        elif isinstance(item, Undefined):
            str(item)  # raises for a name that does not exist; a missing optional value is empty
        else:
            raise PromptError(
                f"A value of type {type(item).__name__!r} is not data that a prompt can hold or "
                "print. Call it if it is a macro or a method, and use the result."
            )

    def _collected(self, results: Iterator[object]) -> list[object]:
        items: list[object] = []
        for item in results:
            self.step()
            items.append(item)
        return items
