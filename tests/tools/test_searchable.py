"""SearchableToolset: what the model sees before and after a search, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from podium.tools import SearchableToolset, Tool, ToolArgumentsError, Toolset, tool
from podium.tools import _searchable as searchable_module
from podium.tools._bm25 import Bm25Index
from podium.tools._toolset import selectable_tools

pytestmark = pytest.mark.anyio


@tool
def get_weather(city: str) -> str:
    """Weather of a city."""
    return f"sun in {city}"


@tool
def get_stock_price(symbol: str) -> str:
    """Price of a share.

    Args:
        symbol: the ticker, as at the exchange
    """
    return f"{symbol} 12"


@tool
def book_hotel(city: str) -> str:
    """Book a hotel room."""
    return f"hotel in {city}"


CATALOG = [get_weather, get_stock_price, book_hotel]


def make(name: str, description: str = "Do it.") -> Tool:
    return Tool(name, description, {}, lambda: None)


def over(catalog: Any = CATALOG, **options: Any) -> SearchableToolset:
    return SearchableToolset(catalog, search_threshold=1, **options)


def names(tools: Any) -> list[str]:
    return [one.name for one in tools]


async def search(tools: Toolset, **arguments: Any) -> str:
    return str(await tools[0].invoke_async(**arguments))


class Growing(Toolset):
    """A toolset that knows its tools when it has been warmed up."""

    warm = 0

    def warm_up(self) -> None:
        self.warm += 1

    async def warm_up_async(self) -> None:
        self.warm += 1

    def __iter__(self) -> Iterator[Tool]:
        return iter(CATALOG[: 2 * self.warm])


async def test_only_the_search_tool_is_seen_until_something_is_found() -> None:
    tools = over().spawn()

    before = names(tools)
    told = await search(tools, query="what is the weather like?")

    assert before == ["search_tools"]
    assert told == "From now on you can call:\n- get_weather: Weather of a city."
    assert names(tools) == ["search_tools", "get_weather"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("get_stock_price", "get_stock_price"),
        ("shares", "get_stock_price"),
        ("ticker at an exchange", "get_stock_price"),
        ("symbol", "get_stock_price"),
        ("hotels", "book_hotel"),
    ],
)
async def test_a_tool_is_found_by_its_name_its_description_and_its_parameters(
    query: str, found: str
) -> None:
    tools = over(top_k=1)

    await search(tools, query=query)

    assert names(tools) == ["search_tools", found]


async def test_what_is_found_is_kept_when_more_is_found() -> None:
    tools = over()

    await search(tools, query="weather")
    await search(tools, query="hotel")
    await search(tools, query="weather")

    assert names(tools) == ["search_tools", "get_weather", "book_hotel"]


async def test_the_model_says_how_many_tools_it_wants() -> None:
    many = [make(f"mail_{number}") for number in range(30)]
    few, most, odd = over(many), over(many), over(many)

    await search(few, query="mail", k=2)
    await search(most, query="mail", k=20)

    assert names(few) == ["search_tools", "mail_0", "mail_1"]
    assert len(most) == 21
    with pytest.raises(ToolArgumentsError, match="'k'"):
        await search(odd, query="mail", k=21)


async def test_nothing_found_is_said_with_what_to_do() -> None:
    tools = over()

    told = await search(tools, query="teleport")

    assert told.startswith("No tool matches 'teleport'. Search again with other words")
    assert names(tools) == ["search_tools"]


async def test_a_query_is_understood_under_the_names_other_frameworks_give_it() -> None:
    tools = over()

    await search(tools, tool_keywords="city", limit=1)

    assert names(tools) == ["search_tools", "get_weather"]


async def test_two_runs_never_share_what_one_of_them_found() -> None:
    shared = over()
    first, second = shared.spawn(), shared.spawn()

    await search(first, query="weather")

    assert names(first) == ["search_tools", "get_weather"]
    assert names(second) == names(shared) == names(first.spawn()) == ["search_tools"]


async def test_a_run_kept_to_some_tools_can_find_no_others() -> None:
    tools = over().spawn({"get_weather"})

    told = await search(tools, query="book a hotel in a city, or get a share price", k=20)

    assert "book_hotel" not in told
    assert names(tools) == ["search_tools", "get_weather"]


async def test_the_search_tools_name_alone_stands_for_the_whole_catalog() -> None:
    tools = over().spawn({"search_tools"})

    await search(tools, query="hotel")

    assert names(tools) == ["search_tools", "book_hotel"]


def test_a_small_catalog_is_offered_as_it_is() -> None:
    seven = [make(f"tool_{number}") for number in range(7)]
    eighth = make("tool_7")

    assert names(SearchableToolset(seven)) == names(seven)
    assert names(SearchableToolset([*seven, eighth])) == ["search_tools"]
    assert names(SearchableToolset([*seven, eighth]).spawn({"tool_7"})) == ["tool_7"]
    assert list(SearchableToolset([])) == []


def test_every_tool_of_the_catalog_can_be_picked_by_name() -> None:
    assert names(selectable_tools([over()])) == ["search_tools", *names(CATALOG)]


def test_the_search_tool_can_be_described_anew() -> None:
    (search_tool,) = over(
        search_tool_name="find",
        search_tool_description="Find a tool.",
        search_tool_parameters_description={"query": "Words."},
    )

    assert (search_tool.name, search_tool.description) == ("find", "Find a tool.")
    assert search_tool.parameters["properties"]["query"]["description"] == "Words."
    assert search_tool.parameters["properties"]["k"]["default"] == 3


@pytest.mark.parametrize("catalog", [[get_weather, make("get_weather")], Toolset(CATALOG)])
def test_two_tools_of_one_name_are_refused_when_the_set_is_made(catalog: Any) -> None:
    with pytest.raises(ValueError, match="Two tools are named 'get_weather'"):
        over([*catalog, get_weather])


def test_a_tool_named_as_the_search_tool_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'search_tools', as the search tool is. Rename it"):
        over([make("search_tools")])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"top_k": 0}, "top_k=0. Give 1 or more"),
        ({"search_threshold": 0}, "search_threshold=0"),
        ({"search_tool_parameters_description": {"quary": ""}}, "Did you mean 'query'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SearchableToolset(CATALOG, **options)


def test_what_is_no_catalog_is_refused() -> None:
    with pytest.raises(TypeError, match="Put it in a list"):
        SearchableToolset(cast("Any", get_weather))
    with pytest.raises(TypeError, match="'get_weather' cannot be added to a SearchableToolset"):
        over().add(get_weather)


async def test_a_toolset_in_the_catalog_may_grow() -> None:
    growing = Growing()
    tools = over(growing)

    await tools.warm_up_async()
    await search(tools, query="hotel")
    nothing_yet = names(tools)
    tools.warm_up()
    await search(tools, query="hotel")

    assert nothing_yet == ["search_tools"]
    assert names(tools) == ["search_tools", "book_hotel"]


async def test_the_index_is_built_once_for_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    built = list[object]()

    def build(texts: Any) -> object:
        built.append(texts)
        return Bm25Index(texts)

    monkeypatch.setattr(searchable_module, "Bm25Index", build)
    tools = over()

    await tools.warm_up_async()
    await tools.spawn().warm_up_async()
    await search(tools.spawn(), query="hotel")

    assert len(built) == 1


def test_the_catalogs_tools_are_closed_with_the_set() -> None:
    closed = list[str]()

    class Held(Tool):
        def close(self) -> None:
            closed.append(self.name)

    tools = over([Held("held", "Hold.", {}, lambda: None), get_weather])

    tools.close()

    assert closed == ["held"]


def test_a_long_description_is_summed_up_by_its_first_line() -> None:
    long = make("long", "x" * 200 + "\nmore")

    assert searchable_module._summary(long) == "x" * 160 + "…"
    assert searchable_module._summary(get_stock_price) == "Price of a share."


async def test_of_a_searchable_toolset_in_the_catalog_the_tools_are_found_for_one_run_only() -> (
    None
):
    inner = over([get_weather], search_tool_name="inner_search")
    outer = over([Toolset([book_hotel]), inner + get_stock_price])
    first, second = outer.spawn(), outer.spawn()

    await search(first, query="weather of a city", k=1)

    assert names(first) == ["search_tools", "get_weather"]
    assert names(second) == ["search_tools"]
    assert names(outer.selectable())[1:] == ["book_hotel", "get_weather", "get_stock_price"]


def test_all_that_can_be_found_can_be_reached() -> None:
    seen = over([get_weather, book_hotel]) + get_stock_price
    small = SearchableToolset([get_weather])

    assert names(seen.reachable()) == [
        *("search_tools", "get_weather", "book_hotel", "get_stock_price"),
    ]
    assert names(small.reachable()) == ["get_weather"]
