"""Hooks: how functions become hooks, and the guard against repeated calls."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agent import Agent, AgentResult, ChatMessage, State, hook
from podium.agent.hooks import FunctionHook, RepeatedCallHook
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool
from podium.tools.errors import StateError

pytestmark = pytest.mark.anyio


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"{word} is a word"


async def test_a_class_with_run_is_a_hook() -> None:
    class Note:
        def run(self, state: State) -> None:
            state.set("messages", [ChatMessage.from_user("noted")])

    result = await _run(["done"], hooks={"before_run": [Note()]})

    assert result.messages[1].text == "noted"


def yields(state: State) -> Any:
    yield state


async def yields_async(state: State) -> Any:
    yield state


@pytest.mark.parametrize("function", [yields, yields_async])
def test_a_function_that_yields_is_refused_as_a_hook(function: Any) -> None:
    with pytest.raises(ValueError, match="yields, so a call would do nothing"):
        hook(function)


async def test_an_object_with_an_async_call_is_awaited() -> None:
    class Note:
        async def __call__(self, state: State) -> None:
            state.set("messages", [ChatMessage.from_user("noted")])

    result = await _run(["done"], hooks={"before_run": [hook(Note())]})

    assert result.messages[1].text == "noted"


async def test_a_plain_hook_that_hands_out_a_coroutine_is_not_taken_for_done() -> None:
    async def note(state: State) -> None:
        raise AssertionError

    def forgotten(state: State) -> Any:
        return note(state)

    with pytest.raises(TypeError, match="returned a coroutine, so nothing was done"):
        await _run(["done"], hooks={"before_run": [hook(forgotten)]})


@pytest.mark.parametrize("reason", [5, True, ["enough"]])
async def test_a_reason_to_stop_that_is_no_text_is_refused(reason: Any) -> None:
    @hook
    def stop(state: State) -> None:
        state.set("stop_run", reason)

    with pytest.raises(StateError, match="'stop_run' takes the reason as text, and got"):
        await _run(["done"], hooks={"before_run": [stop]})


async def test_an_async_hook_is_awaited() -> None:
    @hook
    async def note(state: State) -> None:
        state.set("messages", [ChatMessage.from_user("noted")])

    result = await _run(["done"], hooks={"before_run": [note]})

    assert result.messages[1].text == "noted"


async def test_a_hook_sees_the_runs_figures_so_far() -> None:
    seen: list[Any] = []

    @hook
    def note(state: State) -> None:
        seen.append((state.get("step_count"), state.get("token_usage").get("total_tokens", 0) > 0))

    await _run([calls(call("look_up", word="ox")), "done"], hooks={"before_llm": [note]})

    assert seen == [(0, False), (1, True)]


async def test_state_cannot_be_changed_after_the_run() -> None:
    kept: list[State] = []

    @hook
    def keep(state: State) -> None:
        kept.append(state)

    await _run(["done"], hooks={"after_run": [keep]})

    with pytest.raises(StateError, match="after its run had ended"):
        kept[0].set("stop_run", "late")


def test_a_hook_takes_exactly_the_state() -> None:
    def two(state: State, other: int) -> None: ...

    def wrong(state: int) -> None: ...

    with pytest.raises(ValueError, match="takes 2 parameters"):
        hook(two)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="annotated"):
        hook(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="neither"):
        FunctionHook()


def test_functions_are_passed_by_their_kind() -> None:
    async def is_async(state: State) -> None: ...

    def is_plain(state: State) -> None: ...

    with pytest.raises(ValueError, match="async_function"):
        FunctionHook(is_async)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="function="):
        FunctionHook(async_function=is_plain)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="run_async"):
        FunctionHook(async_function=is_async).run(State({}))


def test_a_hook_is_refused_where_it_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="cannot be used at 'before_llm'"):
        Agent(chat_generator=ScriptedChatGenerator([]), hooks={"before_llm": [RepeatedCallHook()]})


async def test_equal_calls_beyond_the_limit_are_not_run_and_said_to_be_repeats() -> None:
    again = calls(call("look_up", word="ox"))

    result = await _run(
        [again] * 3 + ["done"], hooks={"before_tool": [RepeatedCallHook(max_repeats=2)]}
    )

    answers = [one for message in result.messages for one in message.tool_call_results]
    assert [one.error for one in answers] == [False, False, True]
    assert "3 times" in answers[2].text
    assert result.text == "done"


async def test_calls_with_other_arguments_are_no_repeats() -> None:
    turns = [calls(call("look_up", word=f"w{n}")) for n in range(5)]

    result = await _run([*turns, "done"], hooks={"before_tool": [RepeatedCallHook(max_repeats=1)]})

    assert result["tool_call_counts"] == {"look_up": 5}
    assert result.text == "done"


async def test_a_model_that_does_not_listen_is_stopped() -> None:
    again = calls(call("look_up", word="ox"))

    result = await _run([again] * 4, hooks={"before_tool": [RepeatedCallHook(max_repeats=2)]})

    assert result["exit_reason"] == "repeated_call"


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "3"])
def test_a_limit_that_cannot_be_is_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match="max_repeats"):
        RepeatedCallHook(max_repeats=limit)


async def _run(turns: list[Any], messages: Any = "go", **settings: Any) -> AgentResult:
    agent = Agent(chat_generator=ScriptedChatGenerator(turns), tools=[look_up], **settings)
    return await agent.run_async(messages)


async def test_a_hook_can_add_messages_and_nothing_else_to_the_conversation() -> None:
    @hook
    def note(state: State) -> None:
        state.set("messages", ChatMessage.from_user("noted"))

    @hook
    def scribble(state: State) -> None:
        state.set("messages", ["noted"])

    result = await _run(["done"], hooks={"before_run": [note]})

    assert result.messages[1].text == "noted"
    with pytest.raises(StateError, match="takes ChatMessage objects, and got 'noted'"):
        await _run(["done"], hooks={"before_run": [scribble]})


async def test_of_equal_calls_made_at_once_as_many_run_as_may() -> None:
    at_once = calls(*[call("look_up", word="ox")] * 4)

    result = await _run([at_once, "done"], hooks={"before_tool": [RepeatedCallHook(max_repeats=3)]})

    answers = [one for message in result.messages for one in message.tool_call_results]
    assert [one.error for one in answers] == [False, False, False, True]


async def test_calls_of_earlier_runs_are_no_repeats() -> None:
    """A conversation goes on over many runs, and each may look the same thing up."""
    guard = {"before_tool": [RepeatedCallHook(max_repeats=1)]}
    first = await _run([calls(call("look_up", word="ox")), "done"], hooks=guard)

    second = await _run(
        [calls(call("look_up", word="ox")), "done"], hooks=guard, messages=first.messages
    )

    answers = [one for message in second.new_messages for one in message.tool_call_results]
    assert [one.error for one in answers] == [False]
