"""The answer from the reserve: what it is written from, and how much room it has."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agent import Agent, Budget, ChatMessage
from podium.agent._findings import beginning, excerpt, findings_in
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import ToolCall, tool

pytestmark = pytest.mark.anyio

QUESTION = "What do owls hunt, and where do fish swim?"


@tool
def search(query: str) -> str:
    """Search the notes."""
    return f"[{query}.md] All there is to know about {query}. " + "More of it follows here. " * 400


async def answered(
    *turns: Any, limit: int, kept: int, given: Any = QUESTION, last: Any = "Owls hunt mice."
) -> Any:
    """Run an agent into its limit; return the result, and the request of its last call."""
    model = ScriptedChatGenerator([*turns, last])
    agent = Agent(
        chat_generator=model,
        tools=[search],
        system_prompt="Answer in plain words.",
        budget=Budget(total_tokens=limit, reserve_for_answer=kept),
    )
    result = await agent.run_async(given)
    return result, model.requests[-1]


SEARCHES = calls(call("search", query="owls"), call("search", query="fish"))


async def test_what_is_too_long_is_cut_to_the_start_of_each_finding() -> None:
    result, request = await answered(SEARCHES, limit=2_000, kept=900)

    question, notice, owls, fish = request.messages[-1].text.split("\n\n")
    assert question == QUESTION
    assert notice.startswith("[Stop here: The token budget was spent. No more")
    assert owls.startswith("Findings:\n[owls.md] All there is") and owls.endswith(" …")
    assert fish.startswith("[fish.md] All there is") and fish.endswith(" …")
    assert (result.text, result.stop.answered_after_stop) == ("Owls hunt mice.", True)


async def test_with_room_for_it_the_whole_conversation_is_sent_under_its_system_prompt() -> None:
    _, request = await answered(SEARCHES, limit=30_000, kept=29_000)

    roles = [message.role for message in request.messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user"]
    assert request.tools == ()


async def test_before_anything_was_found_the_question_and_the_notice_are_one_message() -> None:
    result, request = await answered(limit=1_000, kept=800)

    system, user = request.messages
    assert system.text == "Answer in plain words."
    assert user.text.startswith(f"{QUESTION}\n\n[Stop here:")
    assert [message.role for message in result.messages][-2:] == ["user", "assistant"]


async def test_the_answer_may_be_as_long_as_what_was_kept_for_it_allows() -> None:
    _, request = await answered(limit=2_000, kept=1_800)

    assert 1_500 <= request.generation_kwargs["max_tokens"] <= 2_000


async def test_a_third_of_what_was_kept_is_left_to_write_in() -> None:
    _, request = await answered(SEARCHES, limit=3_000, kept=1_800)

    assert request.generation_kwargs["max_tokens"] >= 600


async def test_the_last_question_of_a_longer_conversation_is_the_one_that_is_answered() -> None:
    given = [
        ChatMessage.from_user("What do cats do?"),
        ChatMessage.from_assistant("They purr."),
        ChatMessage.from_user(QUESTION),
    ]

    _, request = await answered(SEARCHES, limit=2_000, kept=900, given=given)

    assert request.messages[-1].text.startswith(QUESTION)


async def test_one_who_still_asks_for_tools_has_not_answered() -> None:
    result, _ = await answered(limit=2_000, kept=1_800, last=SEARCHES)

    assert not result.stop.answered_after_stop
    assert [one.error for m in result.messages for one in m.tool_call_results] == [True, True]


async def test_without_room_for_a_word_of_it_no_answer_is_asked_for() -> None:
    agent = Agent(
        chat_generator=ScriptedChatGenerator([]),
        budget=Budget(total_tokens=100, reserve_for_answer=50),
    )

    result = await agent.run_async(QUESTION)

    assert (result.text, result.stop.answered_after_stop) == ("", False)


def test_an_excerpt_gives_each_finding_the_same_room_and_what_short_ones_leave() -> None:
    shown = excerpt(["a" * 2_000, "short", "b" * 2_000], 1_005)

    first, second, third = shown.split("\n\n")
    assert (len(first), second, len(third)) == (502, "short", 502)


def test_an_excerpt_with_room_for_few_shows_the_newest() -> None:
    shown = excerpt([f"finding {n} " + "x" * 1_000 for n in range(10)], 600)

    assert "finding 8" in shown and "finding 9" in shown and "finding 7" not in shown


def test_a_beginning_ends_with_a_whole_word_where_one_is_near() -> None:
    assert beginning("owls hunt mice", 12) == "owls hunt …"
    assert beginning("owls hunt mice", 14) == "owls hunt mice"
    assert beginning("owls " + "x" * 100, 60) == "owls " + "x" * 55 + " …"


def test_findings_are_results_that_say_something_each_once() -> None:
    results = [("a", False), ("failed", True), (" ", False), ("a", False), ("b", False)]
    messages = [
        ChatMessage.from_tool(text, ToolCall("search", {}, str(at)), error)
        for at, (text, error) in enumerate(results)
    ]

    assert findings_in(messages) == ["a", "b"]
