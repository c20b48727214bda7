"""Which tools the model is offered in a run: found, picked by name, or given at run time."""

from __future__ import annotations

import anyio
import pytest

from podium.agent import Agent, AgentResult, Budget, ChatMessage
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import SearchableToolset, Tool, Toolset, tool

pytestmark = pytest.mark.anyio


@tool
def get_weather(city: str) -> str:
    """Weather of a city."""
    return f"sun in {city}"


@tool
def get_stock_price(symbol: str) -> str:
    """Price of a stock."""
    return f"{symbol} 12"


@tool
def search_news(query: str) -> str:
    """News headlines."""
    return f"news on {query}"


@tool
def book_hotel(city: str) -> str:
    """Book a hotel room."""
    return f"hotel in {city}"


CATALOG = [get_weather, get_stock_price, search_news, book_hotel]


def catalog() -> SearchableToolset:
    return SearchableToolset(CATALOG, search_threshold=2)


def offered(model: ScriptedChatGenerator) -> list[list[str]]:
    return [[one.name for one in request.tools] for request in model.requests]


def told(result: AgentResult) -> list[tuple[str, bool]]:
    """The texts of the tool results, and which of them are errors."""
    answers = [one for message in result.messages for one in message.tool_call_results]
    return [(one.text, one.error) for one in answers]


async def test_a_tool_is_offered_in_the_step_after_it_was_found() -> None:
    model = ScriptedChatGenerator(
        [
            calls(call("search_tools", query="weather")),
            calls(call("get_weather", city="Oslo")),
            "Sun.",
        ]
    )

    result = await Agent(chat_generator=model, tools=[catalog()]).run_async("Weather in Oslo?")

    assert offered(model) == [["search_tools"], *[["search_tools", "get_weather"]] * 2]
    assert told(result)[1] == ("sun in Oslo", False)
    assert result["tool_call_counts"] == {"search_tools": 1, "get_weather": 1}


async def test_a_tool_found_in_one_run_is_not_offered_in_another() -> None:
    model = ScriptedChatGenerator([])
    agent = Agent(chat_generator=model, tools=[catalog()])
    has_found = anyio.Event()

    async def wait_and_answer(messages: object, tools: object) -> str:
        has_found.set()
        await second_is_over.wait()
        return "done"

    second_is_over = anyio.Event()
    searching = ScriptedChatGenerator([calls(call("search_tools", query="hotel")), wait_and_answer])
    other = ScriptedChatGenerator(["done"])

    async with anyio.create_task_group() as group:
        group.start_soon(agent.clone(chat_generator=searching).run_async, "one run")
        await has_found.wait()
        await agent.clone(chat_generator=other).run_async("other run")
        second_is_over.set()

    assert offered(searching)[1] == ["search_tools", "book_hotel"]
    assert offered(other) == [["search_tools"]]


async def test_a_run_limited_to_two_tools_of_a_catalog_can_neither_find_nor_call_the_others() -> (
    None
):
    model = ScriptedChatGenerator(
        [
            calls(call("search_tools", query="book hotel room stock price weather")),
            calls(call("book_hotel", city="Oslo"), call("get_weather", city="Oslo")),
            "done",
        ]
    )
    agent = Agent(chat_generator=model, tools=[catalog()])

    result = await agent.run_async("go", tools=["get_weather", "search_news"])

    assert offered(model)[1] == ["search_tools", "get_weather"]
    assert [error for _, error in told(result)] == [False, True, False]
    assert "There is no tool named 'book_hotel'" in told(result)[1][0]
    assert told(result)[2][0] == "sun in Oslo"


async def test_a_tool_that_was_not_found_yet_is_answered_not_run() -> None:
    model = ScriptedChatGenerator([calls(call("book_hotel", city="Oslo")), "done"])

    result = await Agent(chat_generator=model, tools=[catalog()]).run_async("go")

    assert told(result) == [
        (
            "There is no tool named 'book_hotel'. There are: search_tools. Call one of them, or "
            "answer without a tool.",
            True,
        )
    ]


async def test_a_tool_that_is_found_may_end_the_run() -> None:
    model = ScriptedChatGenerator(
        [calls(call("search_tools", query="hotel")), calls(call("book_hotel", city="Oslo"))]
    )
    agent = Agent(chat_generator=model, tools=[catalog()], exit_conditions=["book_hotel"])

    result = await agent.run_async("go")

    assert (result["exit_reason"], result.text) == ("book_hotel", "hotel in Oslo")


async def test_a_toolset_given_at_run_time_finds_for_that_run_only() -> None:
    tools = catalog()
    model = ScriptedChatGenerator([calls(call("search_tools", query="news")), "done", "done again"])
    agent = Agent(chat_generator=model)

    await agent.run_async("one", tools=[tools])
    await agent.run_async("two", tools=[tools])

    assert offered(model) == [["search_tools"], ["search_tools", "search_news"], ["search_tools"]]


async def test_tools_are_picked_by_name_in_the_agents_order() -> None:
    model = ScriptedChatGenerator(["done", "done"])
    agent = Agent(
        chat_generator=model, tools=[search_news, Toolset([get_weather, get_stock_price])]
    )

    await agent.run_async("go", tools=["get_stock_price", "search_news"])
    await agent.run_async("go", tools=[])

    assert offered(model) == [["search_news", "get_stock_price"], []]


async def test_a_name_that_no_tool_has_is_refused_before_the_model_is_asked() -> None:
    model = ScriptedChatGenerator([])
    agent = Agent(chat_generator=model, tools=[catalog()])

    with pytest.raises(ValueError, match=r"no tool 'book_hostel'. Did you mean 'book_hotel'"):
        await agent.run_async("go", tools=["book_hostel"])

    assert model.requests == []


async def test_a_budget_counts_the_tools_that_are_offered_not_the_catalog() -> None:
    many = [Tool(f"tool_{n}", "Do one of many things. " * 20, {}, lambda: None) for n in range(99)]
    model = ScriptedChatGenerator(["done"])
    agent = Agent(
        chat_generator=model,
        tools=[SearchableToolset(many)],
        budget=Budget(total_tokens=1_500, strict=True),
    )

    result = await agent.run_async([ChatMessage.from_user("go")])

    assert result["exit_reason"] == "text"


async def test_a_tool_that_can_be_found_may_not_have_the_name_of_another_one() -> None:
    model = ScriptedChatGenerator([calls(call("search_tools", query="weather")), "Sun."])
    own = Tool("get_weather", "Look outside.", {}, lambda: "sun")
    agent = Agent(chat_generator=model, tools=[own, catalog()])

    with pytest.raises(ValueError, match="Two tools are named 'get_weather'"):
        await agent.run_async("Weather in Oslo?")
    with pytest.raises(ValueError, match="Two tools are named 'get_weather'"):
        await agent.warm_up_async()

    assert model.requests == []


async def test_a_model_that_has_no_tools_is_told_to_do_without() -> None:
    model = ScriptedChatGenerator([calls(call("book_hotel", city="Oslo")), "Sorry."])

    result = await Agent(chat_generator=model).run_async("Book it.")

    said = "There is no tool named 'book_hotel'. There are none. Answer without a tool."
    assert told(result) == [(said, True)]
