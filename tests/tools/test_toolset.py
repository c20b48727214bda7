"""Toolsets, and the one flat list of tools an agent works with."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from podium.tools import Tool, Toolset
from podium.tools._toolset import flatten_tools

anyio_test = pytest.mark.anyio


class Logged(Tool):
    """A tool that notes what is done to it."""

    def __init__(self, name: str, log: list[str], *, breaks: bool = False) -> None:
        super().__init__(name, "Log.", {}, lambda: None)
        self.log, self.breaks = log, breaks

    def note(self, what: str) -> None:
        self.log.append(f"{what} {self.name}")
        assert not self.breaks, f"{self.name} broke"

    def warm_up(self) -> None:
        self.note("warm")

    async def warm_up_async(self) -> None:
        self.note("warm")

    def close(self) -> None:
        self.note("close")

    async def close_async(self) -> None:
        self.note("close")


def make(name: str) -> Tool:
    return Tool(name, "Do it.", {}, lambda: None)


def names(tools: Any) -> list[str]:
    return [one.name for one in tools]


def test_a_toolset_is_a_collection_of_tools() -> None:
    first, second = make("first"), make("second")
    both = Toolset([first, second])

    assert (len(both), both[0], list(both)) == (2, first, [first, second])
    assert ("first" in both, second in both, "third" in both, make("first") in both) == (
        *(True, True, False, False),
    )
    assert (len(Toolset()), repr(both)) == (0, "<Toolset first, second>")


def test_tools_are_added_at_the_end() -> None:
    growing = Toolset([make("first")])

    growing.add(make("second"))

    assert names(growing) == ["first", "second"]


def test_a_run_gets_the_whole_set_or_what_was_selected() -> None:
    both = Toolset([make("first"), make("second")])

    assert both.spawn() is both
    assert names(both.spawn({"second", "unknown"})) == ["second"]


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Two tools are named 'first'.* Rename one"):
        Toolset([make("first"), make("first")])
    with pytest.raises(ValueError, match="Two tools are named 'first'"):
        flatten_tools([Toolset([make("first")]), make("first")])


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        (make("first"), r"not a list. Put it in a list, as in tools=\[first\]"),
        (make, "not a list. Decorate the function with @tool, and put it in a list"),
        ("first", "'first', not a list. Pass a list of tools, or a Toolset"),
        ({"first": 1}, "not a list. Pass a list"),
        ([make], "is no Tool. Decorate the function with @tool"),
        (["first"], "'first' is among the tools, but is no Tool. Make a tool of it"),
        ([SimpleNamespace(chat_generator=None)], r"orchestration.AgentTool\(agent\)"),
        ([None], "is no Tool"),
    ],
)
def test_what_is_no_tool_is_refused_with_a_mend(tools: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        flatten_tools(tools)
    with pytest.raises(TypeError, match=words):
        Toolset(tools)


def test_a_toolset_holds_tools_not_toolsets() -> None:
    with pytest.raises(TypeError, match="is no Tool"):
        Toolset(cast("Any", [Toolset()]))


def test_toolsets_are_opened_in_their_place() -> None:
    inner = Toolset([make("b"), make("c")])

    assert flatten_tools(None) == []
    assert names(flatten_tools(inner)) == ["b", "c"]
    assert names(flatten_tools([make("a"), inner, make("d")])) == ["a", "b", "c", "d"]


def test_all_tools_are_warmed_up_and_closed_the_last_first() -> None:
    log = list[str]()
    both = Toolset([Logged("a", log), Logged("b", log)])

    both.warm_up()
    both.close()

    assert log == ["warm a", "warm b", "close b", "close a"]


class Growing(Toolset):
    """A toolset with one more tool each time it is warmed up."""

    size = 0

    def warm_up(self) -> None:
        self.size += 1

    def __iter__(self) -> Iterator[Tool]:
        return iter([make(f"grown_{number}") for number in range(self.size)])


def test_toolsets_add_up_with_tools_and_lists_and_each_other() -> None:
    both = Toolset([make("a")]) + Toolset([make("b")])
    more = both + make("c") + [make("d"), Toolset([make("e")])]

    more.add(make("f"))

    assert (names(both), names(more)) == (["a", "b"], ["a", "b", "c", "d", "e", "f"])
    assert (len(more), more[2].name, "e" in more) == (6, "c", True)


def test_a_sum_of_toolsets_follows_those_that_grow() -> None:
    growing = Growing()
    both = Toolset([make("a")]) + growing

    both.warm_up()
    both.warm_up()

    assert names(both) == ["a", "grown_0", "grown_1"]
    assert names(both.spawn({"a", "grown_1"})) == ["a", "grown_1"]


def test_a_selection_follows_its_toolset_and_takes_in_what_is_added() -> None:
    growing, plain = Growing(), Toolset([make("a")])
    grown, picked = growing.spawn({"grown_1"}), plain.spawn({"a"})

    before = names(grown)
    grown.warm_up()
    grown.warm_up()
    picked.add(make("b"))

    assert (before, names(grown), names(picked)) == ([], ["grown_1"], ["a", "b"])


def test_a_sum_refuses_two_tools_of_one_name_and_what_is_no_tool() -> None:
    both = Toolset([make("a")]) + make("b")

    with pytest.raises(ValueError, match="Two tools are named 'a'"):
        _ = both + Toolset([make("a")])
    with pytest.raises(ValueError, match="Two tools are named 'a'"):
        both.add(make("a"))
    with pytest.raises(TypeError, match="Decorate the function with @tool"):
        _ = both + cast("Any", make)
    with pytest.raises(TypeError, match="is no Tool"):
        _ = both + cast("Any", ["c"])


def test_a_sum_warms_up_and_closes_all_there_is() -> None:
    log = list[str]()
    both = Toolset([Logged("a", log)]) + Logged("b", log)

    both.warm_up()
    both.close()

    assert log == ["warm a", "warm b", "close b", "close a"]


@anyio_test
async def test_async_lifecycle_reaches_every_tool() -> None:
    log = list[str]()
    both = Toolset([Logged("a", log), Logged("b", log)])

    await both.warm_up_async()
    await both.close_async()

    assert log == ["warm a", "warm b", "close b", "close a"]


@anyio_test
async def test_one_tool_that_fails_to_close_keeps_none_open() -> None:
    log = list[str]()
    both = Toolset([Logged("a", log), Logged("b", log, breaks=True)])

    with pytest.raises(AssertionError, match="b broke"):
        both.close()
    with pytest.raises(AssertionError, match="b broke"):
        await both.close_async()

    assert log == ["close b", "close a"] * 2
