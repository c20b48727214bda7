"""The bound of the next prompt: what the provider counted, plus an estimate of what is new."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.agent import ChatMessage
from podium.agent._measure import PIECES, STRICT_OVERHEAD
from podium.agent._prompt_bound import PromptBound
from podium.agent.models._estimate import (
    IMAGE_TOKENS,
    LOW_DETAIL_IMAGE_TOKENS,
    MESSAGE_OVERHEAD,
    estimate_tokens,
)
from podium.tools import FileContent, ImageContent, Tool, ToolCall

SEARCH = Tool("search", "Search.", {"type": "object", "properties": {}}, lambda: "")
READ = Tool("read", "Read.", {"type": "object", "properties": {}}, lambda: "")
CALL = ToolCall("search", {"query": "closures"}, id="c1")
ASKED = [ChatMessage.from_system("Be brief."), ChatMessage.from_user("What is a closure?")]
REPLY = ChatMessage.from_assistant(
    "I will look it up, and then I will tell you.", tool_calls=[CALL]
)
RESULT = ChatMessage.from_tool("A closure keeps what it names alive.", CALL)

Hook = Callable[[list[ChatMessage]], list[ChatMessage]]


def fresh(messages: Sequence[ChatMessage], tools: Sequence[Tool] = (), **options: Any) -> int:
    """What is said of a prompt about which no provider has said anything."""
    return PromptBound("m").bound(messages, tools, **options)


def after_a_call(sent: int = 70, written: int = 20, **options: Any) -> PromptBound:
    """The bound of an agent that has made one call, with `ASKED` and the tool `SEARCH`."""
    prompts = PromptBound("m", **options)
    prompts.note(ASKED, [SEARCH], sent, written, reply=REPLY)
    return prompts


def test_at_first_all_is_estimated_with_a_margin() -> None:
    pieces = [estimate_tokens("Be brief."), estimate_tokens("What is a closure?")]
    definition = {"name": "search", "description": "Search.", "parameters": SEARCH.parameters}
    schema = json.dumps({"type": "function", "function": definition})

    bound = fresh(ASKED, [SEARCH])

    text = sum(2 * [MESSAGE_OVERHEAD]) + sum(-(-12 * count // 10) for count in pieces)
    assert bound == text + -(-len(schema) // 3)


def test_after_a_call_only_what_was_added_is_estimated() -> None:
    prompts = after_a_call(sent=70, written=20)

    bound = prompts.bound([*ASKED, REPLY, RESULT], [SEARCH])

    assert bound == 70 + 20 + MESSAGE_OVERHEAD + PIECES.message(RESULT)


def test_the_history_may_be_one_list_that_grows() -> None:
    prompts, history = PromptBound("m"), list(ASKED)
    prompts.bound(history, [SEARCH])
    prompts.note(history, [SEARCH], 70, 20, reply=REPLY)

    history += [REPLY, RESULT]

    assert prompts.bound(history, [SEARCH]) == after_a_call().bound(
        [*ASKED, REPLY, RESULT], [SEARCH]
    )


def test_a_request_that_is_made_again_is_as_large_as_it_was() -> None:
    assert after_a_call(sent=70).bound(ASKED, [SEARCH]) == 70


def test_a_part_of_a_request_is_no_larger_than_the_whole() -> None:
    prompts = after_a_call(sent=20)

    assert fresh(ASKED[:1], [SEARCH]) > 20
    assert prompts.bound(ASKED[:1], [SEARCH]) == 20


def test_a_reply_that_is_not_in_the_history_is_not_counted() -> None:
    reminder = ChatMessage.from_user("Please answer.")

    bound = after_a_call(sent=70).bound([*ASKED, reminder], [SEARCH])

    assert bound == 70 + PIECES.message(reminder)


def test_a_reply_that_a_hook_made_longer_is_estimated() -> None:
    longer = ChatMessage.from_assistant("word " * 1000)

    bound = after_a_call(sent=70, written=20).bound([*ASKED, longer], [SEARCH])

    assert bound == 70 + PIECES.message(longer)


def test_a_reply_whose_length_is_not_reported_is_estimated() -> None:
    prompts = PromptBound("m")
    prompts.note(ASKED, [SEARCH], 70, None, reply=REPLY)

    assert prompts.bound([*ASKED, REPLY], [SEARCH]) == 70 + PIECES.message(REPLY)


def test_thinking_that_is_not_sent_again_does_not_count() -> None:
    prompts = after_a_call(sent=70, written=9000)

    bound = prompts.bound([*ASKED, REPLY], [SEARCH])

    assert bound == 70 + PIECES.message(REPLY)


def test_the_last_call_is_the_one_that_counts() -> None:
    prompts, history = after_a_call(), [*ASKED, REPLY, RESULT]
    prompts.note(history, [SEARCH], 90, 5, reply=(answer := ChatMessage.from_assistant("Yes.")))

    bound = prompts.bound([*history, answer], [SEARCH])

    assert bound == 90 + min(5 + MESSAGE_OVERHEAD, PIECES.message(answer))


def forget_the_first(history: list[ChatMessage]) -> list[ChatMessage]:
    return history[1:]


def put_one_in_front(history: list[ChatMessage]) -> list[ChatMessage]:
    return [ASKED[1], *history]


def change_the_system_prompt(history: list[ChatMessage]) -> list[ChatMessage]:
    return [ChatMessage.from_system("Be very brief."), *history[1:]]


def shorten_one(history: list[ChatMessage]) -> list[ChatMessage]:
    return [ASKED[0], ChatMessage.from_user("[left out]"), *history[2:]]


@pytest.mark.parametrize(
    "rewrite", [forget_the_first, put_one_in_front, change_the_system_prompt, shorten_one]
)
def test_a_history_that_a_hook_has_rewritten_is_estimated_anew(rewrite: Hook) -> None:
    prompts, history = after_a_call(sent=30), rewrite([*ASKED, REPLY, RESULT])

    assert prompts.bound(history, [SEARCH]) == fresh(history, [SEARCH])


def test_equal_copies_of_messages_are_known_all_the_same() -> None:
    prompts, history = after_a_call(), [*ASKED, REPLY, RESULT]

    copies = [ChatMessage.from_dict(message.to_dict()) for message in history]

    assert prompts.bound(copies, [SEARCH]) == prompts.bound(history, [SEARCH])


@pytest.mark.parametrize(
    "tools",
    [
        pytest.param([], id="none"),
        pytest.param([SEARCH, READ], id="one more"),
        pytest.param([READ], id="another"),
        pytest.param(
            [Tool("search", "Find.", {"type": "object"}, lambda: "")], id="described anew"
        ),
    ],
)
def test_with_other_tools_all_is_estimated_anew(tools: list[Tool]) -> None:
    history = [*ASKED, REPLY, RESULT]

    bound = after_a_call(sent=30).bound(history, tools)

    assert bound == fresh(history, tools)


def test_a_response_format_counts_and_changes_the_prompt() -> None:
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    prompts, wanted = (
        after_a_call(sent=30),
        {"type": "json_schema", "json_schema": {"schema": schema}},
    )

    bound = prompts.bound(ASKED, [SEARCH], response_format=wanted)

    assert bound == fresh(ASKED, [SEARCH], response_format=wanted)
    assert bound > fresh(ASKED, [SEARCH]) + len(json.dumps(schema)) // 3
    prompts.note(ASKED, [SEARCH], 90, 1, response_format=wanted)
    assert prompts.bound(ASKED, [SEARCH], response_format=dict(wanted)) == 90


@pytest.mark.parametrize(
    "reported",
    [
        pytest.param(None, id="none"),
        pytest.param(-5, id="negative"),
        pytest.param(0, id="nothing"),
        pytest.param(1, id="less than a token for each message"),
        pytest.param(True, id="a bool"),
        pytest.param("500", id="text"),
        pytest.param(500.0, id="a float"),
        pytest.param(float("nan"), id="no number"),
        pytest.param(10**12, id="more than there can be"),
    ],
)
def test_absurd_reports_are_ignored(reported: Any) -> None:
    prompts, history = PromptBound("m"), [*ASKED, REPLY, RESULT]

    prompts.note(ASKED, [SEARCH], reported, reported, reply=REPLY)

    assert prompts.bound(history, [SEARCH]) == fresh(history, [SEARCH])


def test_a_call_without_usage_keeps_what_is_known_of_earlier_ones() -> None:
    prompts, history = after_a_call(sent=70, written=20), [*ASKED, REPLY, RESULT]
    before = prompts.bound(history, [SEARCH])

    prompts.note(history, [SEARCH], None, None, reply=REPLY)

    assert prompts.bound([*history, REPLY], [SEARCH]) == before + PIECES.message(REPLY)


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        pytest.param(ChatMessage.from_user("word", name="abc"), 2 + 2, id="a name"),
        pytest.param(ChatMessage.from_assistant("word", reasoning="word"), 2 + 2, id="thinking"),
        pytest.param(ChatMessage.from_assistant("", meta={"refusal": "no"}), 9, id="a refusal"),
        pytest.param(
            ChatMessage.from_user(content_parts=[ImageContent.from_bytes(b"png", detail="low")]),
            LOW_DETAIL_IMAGE_TOKENS,
            id="a small image",
        ),
        pytest.param(
            ChatMessage.from_user(
                content_parts=[FileContent.from_bytes(b"x" * 300, mime_type="text/plain")]
            ),
            100,
            id="a file",
        ),
        pytest.param(
            ChatMessage.from_tool([ImageContent.from_bytes(b"png")], CALL),
            IMAGE_TOKENS + 8 * MESSAGE_OVERHEAD,
            id="an image in a result, which has to be named twice",
        ),
    ],
)
def test_all_that_is_sent_counts(message: ChatMessage, tokens: int) -> None:
    assert fresh([message]) == MESSAGE_OVERHEAD + tokens


def test_strict_bounds_count_bytes() -> None:
    message = ChatMessage.from_user("naïve", name="Zoë")

    bound = PromptBound("m", strict=True).bound([message], None)

    assert bound == STRICT_OVERHEAD + 6 + 4


texts = st.text(max_size=20)
json_values = st.dictionaries(texts, st.one_of(texts, st.integers(), st.booleans()), max_size=2)
tool_calls = st.builds(ToolCall, st.just("search"), json_values, id=st.just("call_1"))
messages = st.one_of(
    texts.map(ChatMessage.from_system),
    texts.map(ChatMessage.from_user),
    st.builds(ChatMessage.from_tool, texts, tool_calls),
    st.builds(ChatMessage.from_assistant, texts, tool_calls=st.lists(tool_calls, max_size=2)),
)
histories = st.lists(messages, max_size=8)


@given(history=histories, seen=st.integers(0, 8), sent=st.integers(8, 2000), strict=st.booleans())
def test_a_message_more_never_lowers_the_bound(
    history: list[ChatMessage], seen: int, sent: int, strict: bool
) -> None:
    prompts = PromptBound("m", strict=strict)
    prompts.note(history[:seen], [], sent, 9, reply=next(iter(history[seen:]), None))

    bounds = [prompts.bound(history[:count], []) for count in range(len(history) + 1)]

    assert bounds == sorted(bounds)


@given(history=histories, other=histories, seen=st.integers(0, 8))
def test_what_was_known_of_another_history_is_not_used(
    history: list[ChatMessage], other: list[ChatMessage], seen: int
) -> None:
    first = ChatMessage.from_user("This stands only in the first.")
    prompts = PromptBound("m")
    prompts.note([first, *history], [], len(history) + 1, 9)

    assert prompts.bound([*history[:seen], *other], []) == fresh([*history[:seen], *other])


def test_a_step_costs_what_is_new_however_long_the_history() -> None:
    assert fastest_step(history=400) < 4 * fastest_step(history=4)


def fastest_step(*, history: int) -> float:
    """The seconds of bounding and noting a call after so many messages, at best."""
    told = [ChatMessage.from_user(f"message number {number}") for number in range(history)]
    longer, prompts = [*told, REPLY, RESULT], PromptBound("m")

    def step() -> float:
        prompts.note(told, [SEARCH, READ], 9000, 20, reply=REPLY)
        started = time.perf_counter()
        prompts.bound(longer, [SEARCH, READ])
        prompts.note(longer, [SEARCH, READ], 9050, 20)
        return time.perf_counter() - started

    return min(step() for _ in range(300))


def test_asking_twice_says_the_same() -> None:
    prompts, history = after_a_call(), [*ASKED, REPLY, RESULT]

    far_ahead = prompts.bound([*history, *history], [SEARCH])
    again = prompts.bound([*history, *history], [SEARCH])
    back = prompts.bound(ASKED, [SEARCH])

    assert far_ahead == again > back == 70


def test_a_history_changed_during_the_call_does_not_count_as_sent() -> None:
    prompts, history = PromptBound("m"), list(ASKED)
    prompts.bound(history, [SEARCH])
    prompts.note(tuple(history), [SEARCH], 70, 20, reply=REPLY)
    history[0] = dataclasses.replace(history[0], name="someone")

    assert prompts.bound(history, [SEARCH]) == fresh(history, [SEARCH])
