"""Tools that return or raise odd things: the model gets words, the run goes on, nothing is lost."""

from __future__ import annotations

import itertools
import math
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

pytestmark = pytest.mark.anyio


class Shy:
    """Cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class Endless:
    """Holds itself, in a dict that grows when it is looked at."""

    def model_dump(self) -> dict[str, Any]:
        return {"more": Endless()}


class Liar(dict[str, Any]):
    """A dict whose items cannot be had."""

    def items(self) -> Any:
        raise KeyError("gone")


async def answer_of(function: Callable[..., Any]) -> tuple[str, bool]:
    """What the model is told when its one call runs `function`, and whether it is an error."""
    odd = tool(name="odd", description="Do something odd.")(function)
    model = ScriptedChatGenerator([calls(call("odd")), "done"])
    result = await Agent(chat_generator=model, tools=[odd]).run_async("go")
    (answer,) = result.messages[2].tool_call_results
    assert result.text == "done"
    answer.text.encode()
    return answer.text, answer.error


async def test_a_generator_is_read_to_its_end() -> None:
    def pages() -> Iterator[dict[str, int]]:
        yield {"page": 0}
        yield {"page": 1}

    async def more_pages() -> AsyncIterator[int]:
        yield 0
        yield 1

    assert await answer_of(pages) == ('[{"page": 0}, {"page": 1}]', False)
    assert await answer_of(more_pages) == ("[0, 1]", False)


async def test_a_generator_that_never_ends_is_cut_and_says_so() -> None:
    text, error = await answer_of(lambda: itertools.count())

    assert text.endswith('999, "[cut here: only the first 1,000 items were read]"]')
    assert not error


async def test_a_generator_that_fails_in_the_middle_is_a_failed_call() -> None:
    def pages() -> Iterator[int]:
        yield 0
        raise LookupError("page 1 is torn")

    assert await answer_of(pages) == ("Tool 'odd' failed: LookupError: page 1 is torn", True)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        ("", ""),
        (b"\xff\xfe", "<2 bytes>"),
        (bytearray(b"%PDF-1.7"), "<8 bytes, application/pdf>"),
        (math.nan, "nan"),
        ([math.inf, -math.inf], '["inf", "-inf"]'),
        pytest.param(10**5_000, "<integer of 16,610 bits>", id="a huge integer"),
        pytest.param(Shy(), "<Shy>", id="shy"),
        pytest.param([Shy(), 1], '["<Shy>", 1]', id="shy in a list"),
        ("a\ud800b", "a\ufffdb"),
        ({"a": {1, 2}, None: 3}, '{"a": [1, 2], "null": 3}'),
        (Path("/tmp"), "/tmp"),
        (Liar(a=1), "{'a': 1}"),
        (ValueError("returned, not raised"), "returned, not raised"),
    ],
)
async def test_any_value_becomes_text(value: object, text: str) -> None:
    assert await answer_of(lambda: value) == (text, False)


async def test_a_value_without_end_is_cut() -> None:
    text, error = await answer_of(Endless)

    assert "<left out: the result is too large>" in text
    assert not error


async def test_a_huge_text_is_cut_at_a_mebibyte() -> None:
    text, _ = await answer_of(lambda: "x" * 50_000_000)

    assert len(text) == 1024 * 1024
    assert text.endswith("[cut here: the whole result has 50,000,000 bytes]")


async def test_what_cannot_be_copied_or_shown_is_named() -> None:
    text, error = await answer_of(lambda: threading.Lock())

    assert (text, error) == ("<unlocked _thread.lock object>", False)


async def test_a_module_that_raises_when_it_is_imported_fails_that_call_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_plugin.py").write_text("raise RuntimeError('no licence')")
    (tmp_path / "leaving_plugin.py").write_text("raise SystemExit(3)")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def use(name: str) -> Callable[[], object]:
        return lambda: __import__(name)

    assert await answer_of(use("broken_plugin")) == (
        "Tool 'odd' failed: RuntimeError: no licence",
        True,
    )
    assert await answer_of(use("leaving_plugin")) == ("Tool 'odd' failed: SystemExit: 3", True)
    text, error = await answer_of(use("no_such_plugin"))
    assert ("No module named 'no_such_plugin'" in text, error) == (True, True)


async def test_what_an_async_function_forgot_to_await_is_awaited() -> None:
    async def inner() -> str:
        return "found"

    async def outer() -> object:
        return inner()

    assert await answer_of(outer) == ("found", False)


async def test_a_function_that_raises_what_closes_coroutines_is_a_failed_call() -> None:
    def leave() -> object:
        raise GeneratorExit

    text, error = await answer_of(leave)

    assert "raised GeneratorExit, which only generators may" in text
    assert error


async def test_a_tool_that_nests_too_deep_is_a_failed_call() -> None:
    def down() -> object:
        return down()

    text, error = await answer_of(down)

    assert text.startswith("Tool 'odd' failed: RecursionError")
    assert error
    assert sys.getrecursionlimit() >= 1_000
