"""How the stand-in answers: in quoted sentences, each with its source."""

from __future__ import annotations

import json

import anyio
import pytest

from podium.agent import Agent
from podium.agent.messages import ChatMessage
from podium.agent.models._lexical.passages import references, sentences
from podium.agent.models.lexical import LexicalChatGenerator
from podium.tools import ToolCall, tool

CLOSURES = """\
[closures.md § Cells]
A closure is a function that keeps the variables of its enclosing function alive. Each variable
lives in a cell.

    def outer():
        ...

See also the chapter on scopes.

[scopes.md § Lookup]
A name is looked up in the innermost scope first. Closures are looked up when they run."""


def answer(question: str, *results: str) -> str:
    async def ask() -> ChatMessage:
        made = [ToolCall("search", {"query": str(n)}, id=f"c{n}") for n in range(len(results))]
        messages = [
            ChatMessage.from_user(question),
            ChatMessage.from_assistant(tool_calls=made),
            *(ChatMessage.from_tool(text, call) for text, call in zip(results, made, strict=True)),
        ]
        return (await LexicalChatGenerator().run_async(messages))["replies"][0]

    return anyio.run(ask).text or ""


def test_each_sentence_is_followed_by_its_source() -> None:
    assert answer("What is a closure?", CLOSURES) == (
        "A closure is a function that keeps the variables of its enclosing function alive. "
        "[closures.md § Cells] "
        "Closures are looked up when they run. [scopes.md § Lookup]"
    )


def test_each_part_is_answered_in_order() -> None:
    said = answer("Where is a name looked up, and where does each variable live?", CLOSURES)

    first, second = said.split("\n\n")
    assert first.startswith("A name is looked up in the innermost scope first.")
    assert second == "Each variable lives in a cell. [closures.md § Cells]"


def test_a_part_without_an_answer_is_named() -> None:
    said = answer("Where does each variable live, and what is a decorator?", CLOSURES)

    assert said.split("\n\n") == [
        "Each variable lives in a cell. [closures.md § Cells]",
        'I found nothing about "what is a decorator".',
    ]


def test_results_that_only_share_a_chance_word_are_no_answer() -> None:
    said = answer("Why is the sky blue?", "[tk.md § Images] Return the red and blue of a pixel.")

    assert said == 'I found nothing about "Why is the sky blue".'


def test_a_sentence_that_several_results_hold_is_quoted_once() -> None:
    said = answer("Where does each variable live?", CLOSURES, CLOSURES)

    assert said == "Each variable lives in a cell. [closures.md § Cells]"


def test_an_answer_stays_short() -> None:
    many = "\n".join(
        f"[n{n}.md § N] Closure number {n} differs by {'x' * n} and {'y' * n} from others."
        for n in range(40)
    )

    assert answer("What is a closure?", many).count("§") <= 8


def test_short_json_that_names_its_source_is_quoted_with_it() -> None:
    found = json.dumps([{"source": "handbook.md", "section": "Leave", "text": "You have 25 days."}])

    assert answer("How many days have I got?", found) == "You have 25 days. [handbook.md § Leave]"


def test_a_short_value_is_given_as_it_stands() -> None:
    assert answer("What is 7 * (4 + 2)?", "42") == "42"
    assert answer("How much is 1 + 1, and how much is 2 + 2?", "2", "4") == "2\n\n4"


@pytest.mark.parametrize(
    "nothing", ["No results.", "Nothing found", "", "I found nothing about it."]
)
def test_an_empty_result_is_no_answer(nothing: str) -> None:
    assert answer("What is a closure?", nothing).startswith(
        'I found nothing about "What is a closure"'
    )


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("[a.md § B]\nOne. Two.", [("One.", "[a.md § B]"), ("Two.", "[a.md § B]")]),
        ("One. [a § b] Two. [c § d]", [("One.", "[a § b]"), ("Two.", "[c § d]")]),
        ("1. [a § b] One.\n2. [c § d] Two.", [("One.", "[a § b]"), ("Two.", "[c § d]")]),
        ("- One. [a.md]\n- Two. [b.md]", [("One.", "[a.md]"), ("Two.", "[b.md]")]),
        ("A list [1, 2] of things.", [("A list [1, 2] of things.", "")]),
        (
            "Title\n=====\n\nIt was pre-\ncut, i.e. Short.",
            [("Title", ""), ("It was pre-cut, i.e. Short.", "")],
        ),
        ("[The agent stopped. Ask for less.]", []),
        (">>> code()\nresult\n\nWords.", [("Words.", "")]),
        (
            json.dumps({"hits": [{"file": "a.md", "heading": "B", "text": "One. Two."}]}),
            [("One.", "[a.md § B]"), ("Two.", "[a.md § B]")],
        ),
    ],
)
def test_sentences_keep_the_citation_nearest_to_them(
    text: str, cited: list[tuple[str, str]]
) -> None:
    assert [(found.text, found.citation) for found in sentences(text)] == cited


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Sources: [a.md § B > C]; [d.rst]", [("a.md", "B > C"), ("d.rst", "")]),
        (
            "Read notes.md and https://example.org/x.",
            [("https://example.org/x.", ""), ("notes.md", "")],
        ),
        ('[reference/with § The "with" statement]', [("reference/with", 'The "with" statement')]),
        ("values[0] and [x]", []),
    ],
)
def test_references_are_citations_or_else_files_and_addresses(
    text: str, places: list[tuple[str, str]]
) -> None:
    assert [(found.file, found.heading) for found in references(text)] == places


def test_a_sentence_that_leans_on_the_one_before_it_is_found_by_its_words() -> None:
    @tool
    def search(query: str) -> str:
        """Search the notes for passages about a subject."""
        return "[fuel.md § Fuel]\nThe fuel is uranium. It is changed every eighteen months."

    agent = Agent(chat_generator=LexicalChatGenerator(), tools=[search])

    result = agent.run("How often is the fuel changed?")

    assert result.text == "It is changed every eighteen months. [fuel.md § Fuel]"
