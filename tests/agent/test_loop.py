"""The loop's contract: a test for each row of the table in agent/README.md, and a few beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from podium.agent import Agent, AgentResult, ChatMessage, State, hook
from podium.agent.hooks import HOOK_POINTS, Hook, HookPoint
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import ToolCall, tool

pytestmark = pytest.mark.anyio


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"{word} is a word"


@tool
def finish(answer: str) -> str:
    """Give the final answer."""
    if not answer:
        raise ValueError("the answer is too short")
    return answer


def reply(text: str | None = None, *, finish_reason: str, **meta: Any) -> ChatMessage:
    return ChatMessage.from_assistant(text, meta={"finish_reason": finish_reason, **meta})


def logging_hooks(log: list[str]) -> dict[HookPoint, Sequence[Hook]]:
    def logging_hook(point: str) -> Hook:
        @hook
        def note(state: State) -> None:
            log.append(point)

        return note

    return {point: [logging_hook(point)] for point in HOOK_POINTS}


def agent_with(model: ScriptedChatGenerator, **settings: Any) -> Agent:
    settings.setdefault("tools", [look_up, finish])
    return Agent(chat_generator=model, **settings)


async def test_an_answer_ends_the_run() -> None:
    log: list[str] = []
    agent = agent_with(ScriptedChatGenerator(["Yes."]), hooks=logging_hooks(log))

    result = await agent.run_async("Is it?")

    assert (result["exit_reason"], result.text, result["step_count"]) == ("text", "Yes.", 1)
    assert log == ["before_run", "before_llm", "on_exit", "after_run"]


async def test_hooks_see_a_run_with_a_tool_in_order() -> None:
    log: list[str] = []
    model = ScriptedChatGenerator([calls(call("look_up", word="ox")), "An ox."])

    result = await agent_with(model, hooks=logging_hooks(log)).run_async("What is an ox?")

    assert result["tool_call_counts"] == {"look_up": 1, "finish": 0}
    assert log == [
        "before_run",
        "before_llm",
        "before_tool",
        "after_tool",
        "before_llm",
        "on_exit",
        "after_run",
    ]


async def test_a_cut_reply_ends_the_run_and_none_of_its_calls_runs() -> None:
    ran: list[str] = []

    @tool
    def refund(order: str) -> str:
        """Refund an order."""
        ran.append(order)
        return "done"

    cut = ChatMessage.from_assistant(
        tool_calls=[ToolCall("refund", {"order": "7"}, "c1")], meta={"finish_reason": "length"}
    )

    result = await agent_with(ScriptedChatGenerator([cut]), tools=[refund]).run_async("Refund 7")

    assert (result["exit_reason"], ran) == ("length", [])
    assert "cut" in result.messages[-1].tool_call_results[0].text


async def test_a_filtered_reply_ends_the_run() -> None:
    model = ScriptedChatGenerator([reply("I am sorry, but", finish_reason="content_filter")])

    result = await agent_with(model).run_async("Tell me")

    assert (result["exit_reason"], result.text) == ("content_filter", "I am sorry, but")


async def test_a_refusal_is_an_ending_of_its_own() -> None:
    model = ScriptedChatGenerator([reply(finish_reason="stop", refusal="I can't help with that.")])

    result = await agent_with(model).run_async("Tell me")

    assert (result["exit_reason"], result.text) == ("refusal", "I can't help with that.")


async def test_an_empty_reply_is_asked_for_again_at_most_twice() -> None:
    model = ScriptedChatGenerator([reply("", finish_reason="stop")] * 3)

    result = await agent_with(model).run_async("Hello?")

    assert (result["exit_reason"], len(model.requests), result.text) == ("empty_reply", 3, "")
    assert result.messages == [ChatMessage.from_user("Hello?")]


async def test_an_answer_after_an_empty_reply_counts() -> None:
    model = ScriptedChatGenerator([reply(" \n", finish_reason="stop"), "Here."])

    result = await agent_with(model).run_async("Hello?")

    assert (result["exit_reason"], result.text, result.usage.requests) == ("text", "Here.", 2)


async def test_an_exit_tool_ends_the_run() -> None:
    model = ScriptedChatGenerator([calls(call("finish", answer="42"))])

    result = await agent_with(model, exit_conditions=["finish"]).run_async("What is it?")

    assert (result["exit_reason"], result.text, result.stop.is_natural) == ("finish", "42", True)


async def test_an_exit_tool_is_found_among_parallel_calls() -> None:
    model = ScriptedChatGenerator([calls(call("look_up", word="ox"), call("finish", answer="42"))])

    result = await agent_with(model, exit_conditions=["finish"]).run_async("What is it?")

    assert (result["exit_reason"], result.text) == ("finish", "42")


async def test_a_failing_exit_tool_ends_nothing() -> None:
    model = ScriptedChatGenerator([calls(call("finish", answer="")), "I could not finish"])

    result = await agent_with(model, exit_conditions=["finish"]).run_async("What is it?")

    assert result["exit_reason"] == "text"
    assert "too short" in result.messages[2].tool_call_results[0].text


async def test_the_step_limit_ends_the_run() -> None:
    log: list[str] = []
    model = ScriptedChatGenerator([calls(call("look_up", word="ox"))] * 2)
    agent = agent_with(model, max_agent_steps=2, hooks=logging_hooks(log))

    result = await agent.run_async("Go on")

    assert (result["exit_reason"], result["step_count"], result.stop.limit) == (
        "max_agent_steps",
        2,
        2,
    )
    assert log == ["before_run", *["before_llm", "before_tool", "after_tool"] * 2, "after_run"]


async def test_no_step_is_taken_when_none_is_allowed() -> None:
    model = ScriptedChatGenerator([])

    result = await agent_with(model, max_agent_steps=0).run_async("Hello")

    assert result["exit_reason"] == "max_agent_steps"
    assert result["last_message"] == ChatMessage.from_user("Hello")


async def test_a_hook_stops_the_run_before_the_model_is_called() -> None:
    @hook
    def refuse(state: State) -> None:
        state.set("stop_run", "closed_today")

    model = ScriptedChatGenerator([])

    result = await agent_with(model, hooks={"before_llm": [refuse]}).run_async("Hello")

    assert (result["exit_reason"], result["step_count"]) == ("closed_today", 0)
    assert result.stop.explain().startswith("The run was stopped: closed_today.")


async def test_a_stop_asked_for_after_the_tools_takes_effect_at_the_next_step() -> None:
    @hook
    async def enough(state: State) -> None:
        state.set("stop_run", "enough")

    model = ScriptedChatGenerator([calls(call("look_up", word="ox"))])

    result = await agent_with(model, hooks={"after_tool": [enough]}).run_async("Go")

    assert (result["exit_reason"], result["step_count"]) == ("enough", 1)
    assert result.messages[-1].tool_call_results[0].text == "ox is a word"


async def test_the_step_limit_goes_before_a_hooks_stop() -> None:
    @hook
    def enough(state: State) -> None:
        state.set("stop_run", "enough")

    model = ScriptedChatGenerator([calls(call("look_up", word="ox"))])
    agent = agent_with(model, hooks={"after_tool": [enough]}, max_agent_steps=1)

    result = await agent.run_async("Go")

    assert result["exit_reason"] == "max_agent_steps"


async def test_a_natural_ending_goes_before_a_hooks_stop() -> None:
    @hook
    def enough(state: State) -> None:
        state.set("stop_run", "enough")

    model = ScriptedChatGenerator(["Done."])

    result = await agent_with(model, hooks={"on_exit": [enough]}).run_async("Go")

    assert result["exit_reason"] == "text"


async def test_an_exit_hook_can_make_the_run_go_on() -> None:
    @hook
    def ask_for_more(state: State) -> None:
        if state.get("step_count") == 1:
            state.set("messages", [ChatMessage.from_user("Shorter.")])
            state.set("continue_run", True)

    model = ScriptedChatGenerator(["A long answer.", "Short."])

    result = await agent_with(model, hooks={"on_exit": [ask_for_more]}).run_async("Go")

    assert (result.text, result["step_count"], result["exit_reason"]) == ("Short.", 2, "text")


async def test_a_hook_that_always_goes_on_is_ended_by_the_step_limit() -> None:
    @hook
    def again(state: State) -> None:
        state.set("continue_run", True)

    model = ScriptedChatGenerator(["answer"] * 4)

    result = await agent_with(model, max_agent_steps=4, hooks={"on_exit": [again]}).run_async("Go")

    assert (result["exit_reason"], len(model.requests)) == ("max_agent_steps", 4)


async def test_a_hook_that_raises_leaves_a_valid_history_on_the_error() -> None:
    @hook
    def audit(state: State) -> None:
        raise RuntimeError("audit log is down")

    model = ScriptedChatGenerator([calls(call("look_up", word="ox"))])

    with pytest.raises(RuntimeError, match="audit log is down") as caught:
        await agent_with(model, hooks={"after_tool": [audit]}).run_async("Go")

    partial = cast("AgentResult", getattr(caught.value, "partial", None))
    assert partial.messages[-1].tool_call_results[0].text == "ox is a word"
    assert partial["exit_reason"] == "error"


async def test_a_restored_step_count_goes_on_counting() -> None:
    @hook
    def resume(state: State) -> None:
        state.set("step_count", 5)

    model = ScriptedChatGenerator([calls(call("look_up", word="ox"))])

    result = await agent_with(model, max_agent_steps=6, hooks={"before_run": [resume]}).run_async(
        "Go"
    )

    assert (result["exit_reason"], result["step_count"]) == ("max_agent_steps", 6)


async def test_the_prompts_stand_around_the_callers_messages() -> None:
    model = ScriptedChatGenerator(["because"])
    agent = agent_with(model, system_prompt="You answer {{ tone }}.", user_prompt="Why {{ what }}?")
    history = [ChatMessage.from_user("earlier"), ChatMessage.from_assistant("earlier answer")]

    result = await agent.run_async(history, tone="briefly", what="not")

    assert [message.role for message in result.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert [message.text for message in result.new_messages] == ["because"]
    assert len(history) == 2
