"""A history that any provider accepts comes out, whatever went in."""

from __future__ import annotations

import pytest
from case_runner.wire import history_faults, wire_messages
from hypothesis import given
from hypothesis import strategies as st

from podium.agent import Agent, ChatMessage, ChatRole, State, hook
from podium.agent._history import is_valid, open_calls, repaired, with_unique_ids
from podium.agent.testing import ScriptedChatGenerator
from podium.tools import ToolCall

ASK = ChatMessage.from_user("go")
LOOK, ADD = ToolCall("look", {}, "c1"), ToolCall("add", {}, "c2")

NAMES = st.sampled_from(["look", "add"])
CALLS = st.builds(ToolCall, NAMES, st.just({}), st.sampled_from(["c1", "c2", "c1_3", "", None]))
MESSAGES = st.one_of(
    st.just(ASK),
    st.just(ChatMessage(ChatRole.TOOL, ())),
    st.builds(ChatMessage.from_tool, st.sampled_from(["one", "two"]), CALLS),
    st.lists(CALLS, max_size=3).map(lambda c: ChatMessage.from_assistant("ok", tool_calls=c)),
)
HISTORIES = st.lists(MESSAGES, max_size=8)


def said(*calls: ToolCall) -> ChatMessage:
    return ChatMessage.from_assistant(tool_calls=calls)


def answer(text: str, call: ToolCall) -> ChatMessage:
    return ChatMessage.from_tool(text, call)


def results(messages: list[ChatMessage]) -> list[tuple[str | None, str]]:
    return [(one.origin.id, one.text) for m in messages for one in m.tool_call_results]


@given(HISTORIES)
def test_a_repaired_history_has_no_fault_a_provider_would_find(history: list[ChatMessage]) -> None:
    assert list(history_faults(wire_messages(repaired(history)))) == []


@given(HISTORIES)
def test_repairing_twice_changes_nothing(history: list[ChatMessage]) -> None:
    once = repaired(history)

    assert repaired(once) == once


@given(HISTORIES)
def test_a_history_is_valid_when_repairing_would_change_nothing(history: list[ChatMessage]) -> None:
    assert is_valid(history) == (repaired(history) == history)


@given(HISTORIES)
def test_repairing_keeps_what_people_and_models_said(history: list[ChatMessage]) -> None:
    def words(messages: list[ChatMessage]) -> list[tuple[ChatRole, str | None]]:
        return [(one.role, one.text) for one in messages if one.role is not ChatRole.TOOL]

    assert words(repaired(history)) == words(history)


@given(st.lists(CALLS, min_size=1, max_size=6))
def test_ids_are_made_unique_and_those_that_are_stay(calls: list[ToolCall]) -> None:
    named = with_unique_ids(said(*calls)).tool_calls

    ids = [call.id for call in named]
    assert all(ids) and len(set(ids)) == len(ids)
    assert ids[0] == (calls[0].id or "call_" + calls[0].tool_name + "_1")
    assert [call.tool_name for call in named] == [call.tool_name for call in calls]


def test_a_new_id_is_none_that_stands_there_already() -> None:
    calls = [ToolCall("look", {}, identity) for identity in ("c1_3", "c1", "c1")]

    named = with_unique_ids(said(*calls)).tool_calls

    assert [call.id for call in named] == ["c1_3", "c1", "c1_4"]


def test_results_are_put_in_call_order() -> None:
    mended = repaired([ASK, said(LOOK, ADD), answer("second", ADD), answer("first", LOOK)])

    assert results(mended) == [("c1", "first"), ("c2", "second")]


def test_a_call_without_a_result_is_answered_with_the_reason() -> None:
    mended = repaired([ASK, said(LOOK, ADD), answer("first", LOOK), ASK])

    assert results(mended)[1] == (
        "c2",
        "This call was not answered: the run was interrupted before its result came.",
    )
    assert mended[3].tool_call_results[0].error
    assert mended[4] == ASK


@pytest.mark.parametrize(
    "stray",
    [answer("again", LOOK), answer("whose?", ADD), ChatMessage(ChatRole.TOOL, ())],
    ids=["a second result", "a result of no call", "no result at all"],
)
def test_what_answers_nothing_is_dropped(stray: ChatMessage) -> None:
    mended = repaired([stray, ASK, said(LOOK), answer("first", LOOK), stray])

    assert mended == [ASK, said(LOOK), answer("first", LOOK)]


def test_results_without_ids_find_their_calls_by_name() -> None:
    look, add = ToolCall("look"), ToolCall("add", id="")

    mended = repaired([said(look, add), answer("sum", add), answer("seen", look)])

    assert results(mended) == [("call_look_1", "seen"), ("call_add_2", "sum")]


def test_only_results_at_the_end_leave_no_call_open() -> None:
    assert open_calls([answer("whose?", LOOK)]) == ([], [])
    assert open_calls([said(LOOK, ADD), answer("seen", LOOK)]) == (
        [LOOK, ADD],
        [answer("seen", LOOK)],
    )


@pytest.mark.anyio
async def test_a_stored_conversation_that_broke_off_is_mended_before_it_is_sent() -> None:
    model = ScriptedChatGenerator(["done"])

    await Agent(chat_generator=model).run_async([ASK, said(LOOK), ASK])

    assert is_valid(model.requests[0].messages)
    assert [message.role for message in model.requests[0].messages] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]


@pytest.mark.anyio
async def test_what_a_hook_leaves_open_is_mended_before_the_model_is_called() -> None:
    @hook
    def drop_results(state: State) -> None:
        state.data["messages"][:] = [one for one in state.data["messages"] if one.role != "tool"]

    model = ScriptedChatGenerator([said(ToolCall("nothing", {}, "c1")), "done"])

    await Agent(chat_generator=model, hooks={"before_llm": [drop_results]}).run_async("go")

    assert is_valid(model.requests[1].messages)
    assert "interrupted" in model.requests[1].messages[2].tool_call_results[0].text
