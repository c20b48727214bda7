"""LexicalChatGenerator as a chat model: what it says, streams, counts and honours."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from podium.agent.messages import ChatMessage
from podium.agent.models import AsyncChatGenerator
from podium.agent.models._estimate import estimate_prompt_tokens, estimate_tokens
from podium.agent.models.lexical import LexicalChatGenerator
from podium.agent.streaming import StreamingChunk
from podium.tools import Tool, ToolCall, tool

pytestmark = pytest.mark.anyio

TEXT = (
    "[closures.md § Cells] A closure keeps the variables of its enclosing function alive. "
    "Each variable lives in a cell."
)


@tool
def search(query: Annotated[str, "words to look for"]) -> str:
    """Search the documents."""
    return TEXT


async def reply(messages: list[ChatMessage] | str, *tools: Tool, **options: Any) -> ChatMessage:
    generator = LexicalChatGenerator()
    made = await generator.run_async(messages, tools=tools, generation_kwargs=options)
    return made["replies"][0]


def searched(question: str, result: str = TEXT, *, failed: bool = False) -> list[ChatMessage]:
    call = ToolCall("search", {"query": "closures"}, id="call_1")
    return [
        ChatMessage.from_user(question),
        ChatMessage.from_assistant(tool_calls=[call]),
        ChatMessage.from_tool(result, call, failed),
    ]


def test_it_is_a_chat_generator() -> None:
    assert isinstance(LexicalChatGenerator(), AsyncChatGenerator)


def test_fewer_than_no_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="max_rounds=-1"):
        LexicalChatGenerator(max_rounds=-1)


@pytest.mark.parametrize("text", ["Hello!", "Who are you?", "Are you a real language model?", ""])
async def test_it_says_what_it_is(text: str) -> None:
    said = await reply(text, search)

    assert said.text is not None
    assert said.text.startswith("I am podium's lexical stand-in, not a language model.")


async def test_without_results_it_says_that_it_knows_nothing() -> None:
    said = await reply("What is the capital of France?")

    assert said.text == (
        'I found nothing about "What is the capital of France". '
        "I am a lexical stand-in and know only what tools return."
    )


async def test_a_reply_names_its_model_and_says_that_it_is_finished() -> None:
    said = await reply(searched("What does a closure keep alive?"))

    assert said.meta["model"] == "lexical"
    assert said.meta["finish_reason"] == "stop"


async def test_usage_is_what_the_estimator_says() -> None:
    messages = searched("What does a closure keep alive?")

    said = await reply(messages, search)

    prompt, written = estimate_prompt_tokens(messages, [search]), estimate_tokens(said.text or "")
    assert said.meta["usage"] == {
        "prompt_tokens": prompt,
        "completion_tokens": written,
        "total_tokens": prompt + written,
    }


async def test_a_reply_streams_word_by_word_and_ends_with_the_reason_and_usage() -> None:
    chunks: list[StreamingChunk] = []

    made = await LexicalChatGenerator().run_async(
        searched("What does a closure keep alive?"), streaming_callback=chunks.append
    )

    said = made["replies"][0]
    assert "".join(chunk.content for chunk in chunks) == said.text
    assert [chunk.start for chunk in chunks[:2]] == [True, False]
    assert chunks[1].content == " closure"
    assert chunks[-1].finish_reason == "stop"
    assert chunks[-1].meta["usage"] == said.meta["usage"]


async def test_calls_stream_whole_and_an_async_callback_is_awaited() -> None:
    chunks: list[StreamingChunk] = []

    async def keep(chunk: StreamingChunk) -> None:
        chunks.append(chunk)

    made = await LexicalChatGenerator().run_async(
        "How do closures work?", tools=[search], streaming_callback=keep
    )

    deltas = [(each.tool_name, each.id, each.arguments) for each in chunks[0].tool_calls or ()]
    assert deltas == [("search", "call_1", '{"query": "closures"}')]
    assert chunks[-1].finish_reason == made["replies"][0].meta["finish_reason"] == "tool_calls"


async def test_text_is_cut_to_whole_words_within_max_tokens() -> None:
    said = await reply(searched("What does a closure keep alive?"), max_tokens=6)

    assert said.meta["finish_reason"] == "length"
    assert said.meta["usage"]["completion_tokens"] <= 6
    assert TEXT.partition("] ")[2].startswith(said.text or "?")


async def test_calls_beyond_max_completion_tokens_are_not_made() -> None:
    question = "How do closures work, and what is a cell?"

    some = await reply(question, search, max_completion_tokens=30)
    none = await reply(question, search, max_completion_tokens=5)

    assert len(some.tool_calls) == 1
    assert some.meta["finish_reason"] == "tool_calls"
    assert (none.text, none.tool_calls, none.meta["finish_reason"]) == ("", [], "length")


async def test_call_ids_go_on_counting_through_the_task() -> None:
    messages = searched("What is a cell, and who wrote it?", "Nothing found.")

    said = await reply(messages, search)

    assert [call.id for call in said.tool_calls] == ["call_2", "call_3"]


async def test_it_answers_when_its_rounds_are_used_up() -> None:
    generator = LexicalChatGenerator(max_rounds=0)

    made = await generator.run_async("How do closures work?", tools=[search])

    assert made["replies"][0].tool_calls == []


async def test_a_reminder_between_results_and_answer_is_not_a_new_task() -> None:
    notice = ChatMessage.from_user("Stop here: no steps are left. Write the final answer now.")

    said = await reply([*searched("What does a closure keep alive?"), notice])

    assert "keeps the variables" in (said.text or "")


async def test_a_question_after_an_answer_is_a_new_task() -> None:
    before = [
        *searched("What does a closure keep alive?"),
        ChatMessage.from_assistant("Variables."),
    ]

    said = await reply([*before, ChatMessage.from_user("How do decorators work?")], search)

    assert [call.arguments for call in said.tool_calls] == [{"query": "decorators"}]


async def test_without_tools_a_new_question_is_answered_from_what_came_before() -> None:
    before = [
        *searched("What does a closure keep alive?"),
        ChatMessage.from_assistant("Variables."),
    ]

    said = await reply([*before, ChatMessage.from_user("Where does each variable live?")])

    assert "Each variable lives in a cell. [closures.md § Cells]" in (said.text or "")


async def test_a_question_in_the_findings_that_follow_a_question_is_not_asked() -> None:
    asked = "What does a closure keep alive?"
    findings = "Why is it so?\n\nA closure keeps the variables alive. [closures.md § Cells]"

    said = await reply([ChatMessage.from_user(f"{asked}\n\nFindings:\n{findings}")])

    assert said.text == "A closure keeps the variables alive. [closures.md § Cells]"


async def test_text_that_comes_with_the_question_is_material() -> None:
    said = await reply(f"Context: {TEXT}\n\nWhat does a closure keep alive?")

    assert (said.text or "").startswith("A closure keeps the variables")


async def test_an_error_is_told_and_not_quoted_as_an_answer() -> None:
    said = await reply(
        searched("How do closures work?", "Closures: the index is broken.", failed=True)
    )

    assert said.text == (
        'I found nothing about "How do closures work". '
        "(search failed: Closures: the index is broken.)"
    )


class Finding(BaseModel):
    """A finding."""

    answer: str
    sources: list[str]
    supported: bool
    confidence: float


SCHEMA = Finding.model_json_schema()


@pytest.mark.parametrize(
    "asked", [Finding, {"type": "json_schema", "json_schema": {"schema": SCHEMA}}]
)
async def test_a_response_format_is_filled_from_what_was_found(asked: object) -> None:
    said = await reply(searched("What does a closure keep alive?"), response_format=asked)

    found = Finding.model_validate_json(said.text or "")
    assert found.answer.startswith("A closure keeps the variables")
    assert found.sources == ["[closures.md § Cells]"]


async def test_a_schema_in_the_system_text_is_filled_too() -> None:
    system = ChatMessage.from_system(f"Answer as JSON that fits: {json.dumps(SCHEMA)}")

    said = await reply([system, *searched("What does a closure keep alive?")])

    assert Finding.model_validate_json(said.text or "").sources == ["[closures.md § Cells]"]


async def test_a_complaint_about_a_misfit_is_answered_from_the_same_results() -> None:
    complaint = ChatMessage.from_user("Your answer is not a valid Finding. Answer again?")
    before = [*searched("What does a closure keep alive?"), ChatMessage.from_assistant("{}")]

    said = await reply([*before, complaint], response_format=Finding)

    assert "keeps the variables" in Finding.model_validate_json(said.text or "").answer
