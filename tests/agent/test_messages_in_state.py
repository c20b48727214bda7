"""Hooks and tools that reach into the conversation: no result is lost, and limits stay limits."""

from __future__ import annotations

from typing import Any, cast

import pytest

from podium.agent import Agent, AgentResult, ChatMessage, State, StreamingChunk, hook
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import ToolCallResult, replace_values, tool

pytestmark = pytest.mark.anyio

NOTE = ChatMessage.from_user("a note")


@tool
def charge(amount: int) -> str:
    """Charge a card."""
    return f"charged {amount}"


@tool
def leave_note(state: State) -> str:
    """Charge nothing, but add a message to the conversation."""
    state.set("messages", NOTE)
    return "noted"


@hook
def add_note(state: State) -> None:
    state.set("messages", [NOTE])


async def run(*turns: Any, **settings: Any) -> AgentResult:
    model = ScriptedChatGenerator([*turns, "done"])
    return await Agent(chat_generator=model, tools=[charge, leave_note], **settings).run_async("go")


def told(result: AgentResult) -> list[tuple[str, str]]:
    """Return each message as its role and its text or result."""
    return [
        (
            str(message.role),
            "".join([message.text or "", *(one.text for one in message.tool_call_results)]),
        )
        for message in result.messages
    ]


async def test_a_message_that_a_tool_adds_stands_behind_the_results_of_its_step() -> None:
    result = await run(calls(call("leave_note"), call("charge", amount=5)))

    assert told(result)[2:] == [
        ("tool", "noted"),
        ("tool", "charged 5"),
        ("user", "a note"),
        ("assistant", "done"),
    ]


@pytest.mark.parametrize("point", ["before_tool", "after_tool"])
async def test_a_note_of_a_hook_keeps_no_call_from_its_result(point: str) -> None:
    result = await run(calls(call("charge", amount=5)), hooks={point: [add_note]})

    assert told(result)[2:] == [("tool", "charged 5"), ("user", "a note"), ("assistant", "done")]


async def test_a_tool_that_forgets_the_conversation_leaves_a_valid_one() -> None:
    @tool
    def forget(state: State) -> str:
        """Start anew."""
        state.set("messages", [NOTE], handler_override=replace_values)
        return "forgotten"

    model = ScriptedChatGenerator([calls(call("forget")), "done"])

    result = await Agent(chat_generator=model, tools=[forget]).run_async("go")

    assert told(result) == [("user", "a note"), ("assistant", "done")]


async def test_a_conversation_made_unusable_still_ends_in_an_error_with_all_that_was() -> None:
    @hook
    def spoil(state: State) -> None:
        state.data["messages"] = [*state.data["messages"], None]

    with pytest.raises(AttributeError) as caught:
        await run(calls(call("charge", amount=5)), hooks={"after_tool": [spoil]})

    partial = cast("AgentResult", getattr(caught.value, "partial", None))
    assert told(partial)[1:] == [("assistant", ""), ("tool", "charged 5")]
    assert partial.exit_reason == "error"


async def test_a_hook_that_counts_steps_anew_moves_no_limit() -> None:
    @hook
    def rewind(state: State) -> None:
        state.data["step_count"] = 0

    turns = [calls(call("charge", amount=n)) for n in range(3)]
    model = ScriptedChatGenerator(turns)
    agent = Agent(
        chat_generator=model, tools=[charge], max_agent_steps=3, hooks={"after_tool": [rewind]}
    )

    result = await agent.run_async("go")

    assert (result.exit_reason, result["step_count"]) == ("max_agent_steps", 3)


async def test_a_stored_run_is_taken_up_at_its_step() -> None:
    @hook
    def restore(state: State) -> None:
        state.data["step_count"] = 2

    model = ScriptedChatGenerator([calls(call("charge", amount=5))])
    agent = Agent(
        chat_generator=model, tools=[charge], max_agent_steps=3, hooks={"before_run": [restore]}
    )

    result = await agent.run_async("go")

    assert (result.exit_reason, result["step_count"]) == ("max_agent_steps", 3)


async def test_a_callback_gets_the_results_of_the_calls_that_ran() -> None:
    """The result that a hook gave is in the conversation already, and is not one of these."""

    @hook
    def answer_second(state: State) -> None:
        asked = state.data["messages"][-1].tool_calls
        state.set("messages", ChatMessage.from_tool("by the hook", asked[1]))

    given: list[ToolCallResult] = []

    def keep(chunk: StreamingChunk) -> None:
        if chunk.tool_call_result is not None:
            given.append(chunk.tool_call_result)

    result = await run(
        calls(call("charge", amount=1), call("charge", amount=2)),
        hooks={"before_tool": [answer_second]},
        streaming_callback=keep,
    )

    assert [one.text for one in given] == ["charged 1"]
    assert told(result)[2:4] == [("tool", "charged 1"), ("tool", "by the hook")]
    assert result["tool_call_counts"]["charge"] == 2
