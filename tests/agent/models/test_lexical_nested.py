"""A coordinator and three specialists, all stand-ins, delegating by hand over a small corpus."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import anyio

from podium.agent.messages import ChatMessage
from podium.agent.models.lexical import LexicalChatGenerator
from podium.tools import Tool, ToolCall, tool

CORPUS = {
    ("with.md", "Guarantees"): (
        "The with statement guarantees that __exit__ is called. It is called when the body raises "
        "an exception, too. If __exit__ returns a true value, the exception is suppressed."
    ),
    ("scopes.md", "Nested functions"): (
        "A nested function can read the variables of the enclosing function. The nonlocal "
        "statement lets a nested function rebind variables of the enclosing function."
    ),
    ("lists.md", "Sorting"): "A list is sorted in place by its sort method.",
}
QUESTION = (
    "How can a nested function rebind variables, and what does the with statement guarantee "
    "when the body raises an exception?"
)


def passages(words: str) -> str:
    wanted = set(re.findall(r"\w+", words.lower())) - {"the", "a", "is", "of", "it"}
    counted = {
        place: len(wanted.intersection(re.findall(r"\w+", text.lower())))
        for place, text in CORPUS.items()
    }
    best = sorted((place for place in CORPUS if counted[place] > 1), key=lambda p: -counted[p])
    return "\n\n".join(f"[{p[0]} § {p[1]}]\n{CORPUS[p]}" for p in best[:2]) or "No passage fits."


@tool
def search_corpus(query: str, limit: int = 4) -> str:
    """Search all documents and return the passages that match best, each with its source."""
    return passages(query)


@tool
def read_document(file: str, heading: str = "") -> str:
    """Read a section of a document in full."""
    return f"[{file} § {heading}]\n{CORPUS[file, heading]}"


@tool
def check_claim(claim: str) -> str:
    """Check a claim: find the sentences that support or contradict it, with sources."""
    return passages(claim)


def specialist(name: str, description: str, own: Tool, log: list[str]) -> Tool:
    """Return the tool that delegates a task to a stand-in of its own."""

    async def delegate(task: str) -> str:
        return await run(task, [own], log, name)

    schema = {
        "type": "object",
        "properties": {"task": {"type": "string", "description": "what to do"}},
        "required": ["task"],
    }
    return Tool(name, description, schema, async_function=delegate)


def team(log: list[str]) -> list[Tool]:
    return [
        specialist(
            "searcher", "Searches all documents and quotes what it finds.", search_corpus, log
        ),
        specialist(
            "reader",
            "Reads sections of documents closely, given their sources.",
            read_document,
            log,
        ),
        specialist("checker", "Checks claims against the documents.", check_claim, log),
    ]


async def run(task: str, tools: Sequence[Tool], log: list[str], name: str) -> str:
    """Drive one stand-in to its answer, noting every turn of calls."""
    by_name = {each.name: each for each in tools}
    messages = [ChatMessage.from_user(task)]
    while True:
        said = (await LexicalChatGenerator().run_async(messages, tools=tools))["replies"][0]
        messages.append(said)
        if not said.tool_calls:
            return said.text or ""
        log.append(f"{name}: {', '.join(call.tool_name for call in said.tool_calls)}")
        for call in said.tool_calls:
            result = await by_name[call.tool_name].invoke_async(**call.arguments)
            messages.append(ChatMessage.from_tool(result, call))


def asked(question: str) -> tuple[str, list[str]]:
    log: list[str] = []
    return anyio.run(run, question, team(log), log, "coordinator"), log


def test_both_parts_are_answered_with_sources() -> None:
    said, _ = asked(QUESTION)

    first, second = said.split("\n\n")
    assert "rebind variables of the enclosing function. [scopes.md § Nested functions]" in first
    assert "The with statement guarantees that __exit__ is called. [with.md § Guarantees]" in second
    assert "lists.md" not in said


def test_each_specialist_works_on_what_the_one_before_found() -> None:
    _, log = asked(QUESTION)

    assert [entry for entry in log if entry.startswith("coordinator")] == [
        "coordinator: searcher, searcher",
        "coordinator: reader, reader",
        "coordinator: checker, checker",
    ]
    assert log.count("searcher: search_corpus") == 2
    assert log.count("reader: read_document") == 2
    assert log.count("checker: check_claim") == 2


def test_what_no_specialist_finds_is_said_not_to_be_found() -> None:
    said, log = asked("What is the airspeed of a swallow?")

    assert said.startswith('I found nothing about "What is the airspeed of a swallow".')
    assert log == ["coordinator: searcher", "searcher: search_corpus"]


def test_tasks_hand_on_the_sources_and_the_claims() -> None:
    turns: list[list[ToolCall]] = []

    anyio.run(collect, turns.append)

    reading, checking = turns[1][0].arguments["task"], turns[2][0].arguments["task"]
    assert (
        reading == "How do nested functions see variables?\nSources: [scopes.md § Nested functions]"
    )
    assert checking == (
        "Check this claim against its source: A nested function can read the variables of the "
        "enclosing function. [scopes.md § Nested functions]"
    )


async def collect(note: Callable[[list[ToolCall]], None]) -> None:
    """Run the coordinator on one question, handing each turn of calls to `note`."""
    tools = team([])
    by_name = {each.name: each for each in tools}
    messages = [ChatMessage.from_user("How do nested functions see variables?")]
    while calls := (said := await next_turn(messages, tools)).tool_calls:
        note(calls)
        messages.append(said)
        for call in calls:
            result = await by_name[call.tool_name].invoke_async(**call.arguments)
            messages.append(ChatMessage.from_tool(result, call))


async def next_turn(messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> ChatMessage:
    return (await LexicalChatGenerator().run_async(messages, tools=tools))["replies"][0]
