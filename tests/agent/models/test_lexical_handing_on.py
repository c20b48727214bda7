"""What the stand-in hands on from one result to the next call and to a typed answer."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from podium.agent.messages import ChatMessage
from podium.agent.models.lexical import LexicalChatGenerator
from podium.tools import Tool, ToolCall, tool

FOUND = "[a.md § Cells] A closure keeps its variables in cells. Cells are shared by closures."


@tool
def search_notes(query: str) -> str:
    """Search the notes."""
    return query


@tool
def read_section(file: str, heading: str = "") -> str:
    """Read a section of a document."""
    return file


@tool
def summarise(text: str) -> str:
    """Write a short summary of a text."""
    return text


@tool
def writer(task: str) -> str:
    """Writes summaries."""
    return task


@tool
def order_status(order_id: str) -> str:
    """Tell the status of an order."""
    return order_id


@tool
def find_orders(query: str) -> str:
    """Find the orders of a customer."""
    return query


def after(task: str, results: dict[str, str], *tools: Tool, **options: Any) -> ChatMessage:
    """Return the reply after the tools named in `results` gave these results."""
    made = [ToolCall(name, {"query": name}, id=name) for name in results]
    messages = [
        ChatMessage.from_user(task),
        ChatMessage.from_assistant(tool_calls=made),
        *(ChatMessage.from_tool(results[call.tool_name], call) for call in made),
    ]

    async def ask() -> ChatMessage:
        generator = LexicalChatGenerator()
        return (await generator.run_async(messages, tools=tools, generation_kwargs=options))[
            "replies"
        ][0]

    return anyio.run(ask)


def test_a_writer_is_given_what_was_found() -> None:
    said = after(
        "Find closures and write a short summary.", {"search_notes": FOUND}, search_notes, summarise
    )

    assert [call.arguments for call in said.tool_calls] == [
        {
            "text": "- A closure keeps its variables in cells. [a.md § Cells]\n"
            "- Cells are shared by closures. [a.md § Cells]"
        }
    ]


def test_a_writing_specialist_is_told_the_findings_in_its_task() -> None:
    said = after(
        "Find closures and write a short summary.", {"search_notes": FOUND}, search_notes, writer
    )

    task = str(said.tool_calls[0].arguments["task"])
    assert task.startswith("write a short summary.\nFindings:\n- A closure keeps")


def test_a_value_that_json_named_fills_the_parameter_of_that_name() -> None:
    found = json.dumps({"orders": [{"order_id": "A-17", "customer": "Ada"}]})

    said = after(
        "Find the orders of Ada, and what is the status of the order?",
        {"find_orders": found},
        find_orders,
        order_status,
    )

    assert {"order_id": "A-17"} in [dict(call.arguments) for call in said.tool_calls]


def test_a_document_without_sources_is_cited_by_the_call_that_read_it() -> None:
    call = ToolCall("read_section", {"file": "b.md", "heading": "Use"}, id="c")
    text = "Closures are handy for callbacks. " + "Nothing else is said in here. " * 20
    messages = [
        ChatMessage.from_user("What are closures handy for?"),
        ChatMessage.from_assistant(tool_calls=[call]),
        ChatMessage.from_tool(text, call),
    ]

    said = anyio.run(LexicalChatGenerator().run_async, messages)["replies"][0]

    assert said.text == "Closures are handy for callbacks. [b.md § Use]"


class Verdict(StrEnum):
    """How a check ended."""

    SUPPORTED = "supported"
    REFUTED = "refuted"


class Step(BaseModel):
    """A step."""

    claim: str


class Report(BaseModel):
    """A typed answer with fields of many kinds."""

    question: str
    source: str
    verdict: Verdict
    shared_cells: str
    points: list[str]
    steps: list[Step]
    count: int
    note: str | None = None
    score: float = 0.5


def test_every_field_of_a_typed_answer_is_filled_with_what_it_names() -> None:
    result = f"{FOUND} This is supported by 3 tests."

    said = after("What does a closure keep?", {"search_notes": result}, response_format=Report)

    report = Report.model_validate_json(said.text or "")
    assert report.question == "What does a closure keep?"
    assert report.source == "[a.md § Cells]"
    assert report.shared_cells == "Cells are shared by closures."
    assert report.points[0] == "A closure keeps its variables in cells."
    assert report.verdict is Verdict.SUPPORTED
    assert (report.note, report.score) == (None, 0.5)


@pytest.mark.parametrize(
    ("system", "is_json"),
    [
        ("Be {brief}. {not json", False),
        ('{"name": "no schema"} {"type": "object", "properties": {"a": {"type": "string"}}}', True),
    ],
)
def test_only_a_schema_in_the_system_text_asks_for_json(system: str, is_json: bool) -> None:
    messages = [
        ChatMessage.from_system(system),
        ChatMessage.from_user(f"{FOUND}\n\nWhat is shared?"),
    ]

    said = anyio.run(LexicalChatGenerator().run_async, messages)["replies"][0]

    assert (said.text or "").startswith("{") is is_json
