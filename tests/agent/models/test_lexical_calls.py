"""Which tools the stand-in calls, and with which arguments."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import anyio
import pytest

from podium.agent import Agent
from podium.agent.messages import ChatMessage
from podium.agent.models.lexical import LexicalChatGenerator
from podium.tools import SearchableToolset, Tool, create_tool_from_function, tool


class Unit(StrEnum):
    """Units of temperature."""

    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


@tool
def calculator(expression: str) -> str:
    """Evaluate an arithmetic expression."""
    return expression


@tool
def get_weather(city: str, unit: Unit = Unit.CELSIUS, days: int = 1) -> str:
    """Get the weather for a city."""
    return city


@tool
def convert_currency(amount: float, from_currency: str, to_currency: str) -> str:
    """Convert an amount of money."""
    return from_currency


@tool
def search_corpus(query: Annotated[str, "words to look for"], limit: int = 4) -> str:
    """Search all documents."""
    return query


@tool
def ask_archive(query: Annotated[str, "a full question in natural language"]) -> str:
    """Look up an answer in the archive."""
    return query


@tool
def read_document(file: str, heading: str = "") -> str:
    """Read a section of a document."""
    return file


@tool
def check_claim(claim: str) -> str:
    """Check a claim against the sources."""
    return claim


@tool
def total(numbers: list[float]) -> str:
    """Add up the total of numbers."""
    return str(numbers)


@tool
def rate_film(title: str, rating: Literal["good", "bad"], verbose: bool) -> str:
    """Rate a film."""
    return title


@tool
def send_email(address: str, body: str) -> str:
    """Send an email message to a person."""
    return address


def flight_status(code: str) -> str:
    return code


def specialist(name: str, description: str) -> Tool:
    def delegate(task: str) -> str:
        return task

    return create_tool_from_function(delegate, name=name, description=description)


def calls(task: str, *tools: Tool) -> list[tuple[str, dict[str, object]]]:
    async def ask() -> ChatMessage:
        return (await LexicalChatGenerator().run_async(task, tools=tools))["replies"][0]

    return [(call.tool_name, dict(call.arguments)) for call in anyio.run(ask).tool_calls]


ALL = (calculator, get_weather, convert_currency, search_corpus, read_document, check_claim, total)


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("What is 7 * (4 + 2)?", ("calculator", {"expression": "7 * (4 + 2)"})),
        ("What is 15% of 80?", ("calculator", {"expression": "15 / 100 * 80"})),
        ("How much is 6 times 7?", ("calculator", {"expression": "6 * 7"})),
        ("What is the weather in New York?", ("get_weather", {"city": "New York"})),
        ("What is the weather in Asia/Tokyo?", ("get_weather", {"city": "Asia/Tokyo"})),
        (
            "What's the weather in Paris in fahrenheit for 3 days?",
            ("get_weather", {"city": "Paris", "unit": "fahrenheit", "days": 3}),
        ),
        (
            "Convert 10 USD to EUR",
            ("convert_currency", {"amount": 10, "from_currency": "USD", "to_currency": "EUR"}),
        ),
        ("How do closures work?", ("search_corpus", {"query": "closures"})),
        (
            "Show the top 3 passages on closures",
            ("search_corpus", {"query": "top 3 passages closures", "limit": 3}),
        ),
        ("Read notes.md and tell me about cells.", ("read_document", {"file": "notes.md"})),
        (
            "What does it say about cells?\nSources: [a.md § Cells > In use]",
            ("read_document", {"file": "a.md", "heading": "Cells > In use"}),
        ),
        (
            "Check this claim against its source: Cells are never shared. [a.md § Cells]",
            ("check_claim", {"claim": "Cells are never shared."}),
        ),
        (
            'Is it true that "a cell is never shared"?',
            ("check_claim", {"claim": "a cell is never shared"}),
        ),
        ("What is the total of the numbers 3, 4.5 and 5?", ("total", {"numbers": [3, 4.5, 5]})),
    ],
)
def test_a_task_goes_to_the_tool_that_fits(task: str, expected: tuple[str, object]) -> None:
    tools = ALL if "claim" not in str(expected) and "file" not in str(expected) else ALL[3:6]

    assert calls(task, *tools)[0] == expected


def test_the_parts_of_a_question_go_out_in_one_turn() -> None:
    made = calls("What is the weather in Rome, and how much is 2 + 2?", *ALL)

    assert made == [("get_weather", {"city": "Rome"}), ("calculator", {"expression": "2 + 2"})]


def test_a_tool_that_wants_a_question_gets_it_whole() -> None:
    assert calls("How do closures work?", ask_archive) == [
        ("ask_archive", {"query": "How do closures work?"})
    ]


def test_required_arguments_are_always_filled_and_optional_ones_never_made_up() -> None:
    made = calls('Rate the film "Alien"', rate_film, get_weather)

    assert made == [("rate_film", {"title": "Alien", "rating": "good", "verbose": False})]


@pytest.mark.parametrize("task", ["Hello!", "Who are you?", "Why is the sky blue?"])
def test_no_tool_is_called_when_none_fits(task: str) -> None:
    assert calls(task, calculator, get_weather, send_email) == []


def test_a_tool_is_not_called_when_no_value_fits_its_schema() -> None:
    schema = {
        "type": "object",
        "properties": {"code": {"type": "string", "pattern": "^[A-Z]{3}[0-9]+$"}},
        "required": ["code"],
    }
    flights = Tool("flight_status", "Tell the status of a flight.", schema, flight_status)

    assert calls("What is the status of the flight?", flights) == []


def test_a_specialist_is_asked_about_what_its_description_names() -> None:
    handbook = specialist("hr", "Answers questions about the handbook for employees.")
    physics = specialist("lab", "Knows physics.")

    made = calls("How many days off do employees have?", physics, handbook)

    assert made == [("hr", {"task": "How many days off do employees have?"})]


def test_the_only_specialist_is_asked_whatever_the_question() -> None:
    assert calls("Why is the sky blue?", specialist("lab", "Helps.")) == [
        ("lab", {"task": "Why is the sky blue?"})
    ]


def test_a_calculator_is_only_for_sums() -> None:
    assert calls("Evaluate the expression of feelings in art", calculator) == []


def test_tools_that_a_search_has_found_are_called_next() -> None:
    catalog = SearchableToolset([calculator, get_weather, convert_currency], search_threshold=1)
    agent = Agent(chat_generator=LexicalChatGenerator(), tools=[catalog])

    result = agent.run("What is the weather in Oslo?")

    assert result["tool_call_counts"] == {"search_tools": 1, "get_weather": 1}
    assert result.text == "Oslo"
