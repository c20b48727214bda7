"""What a run gives back: a dict with the documented keys, and typed attributes beside them."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest

from podium.agent import Agent, AgentResult, ChatMessage
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import State, tool

pytestmark = pytest.mark.anyio


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"all about {word}"


async def run(*turns: Any, messages: Any = "go", **settings: Any) -> AgentResult:
    inputs = settings.pop("inputs", {})
    agent = Agent(chat_generator=ScriptedChatGenerator(list(turns)), tools=[look_up], **settings)
    return await agent.run_async(messages, **inputs)


async def test_its_keys_are_the_documented_ones_and_the_states() -> None:
    result = await run(
        "done", state_schema={"seen": {"type": list}, "empty": {"type": str}}, inputs={"seen": [1]}
    )

    assert set(result) == {
        "messages",
        "last_message",
        "step_count",
        "token_usage",
        "tool_call_counts",
        "exit_reason",
        "seen",
    }
    assert (result["last_message"].text, result["seen"]) == ("done", [1])


async def test_attributes_say_the_same() -> None:
    result = await run(calls(call("look_up", word="ox")), "done")

    assert result.messages is result["messages"]
    assert (result.exit_reason, result.stop.reason) == (result["exit_reason"], "text")
    assert result.usage.total_tokens == result["token_usage"]["total_tokens"]
    assert (result.usage.tool_calls, result["tool_call_counts"]) == (1, {"look_up": 1})
    assert result.usage == result.usage_tree.total


async def test_a_cost_nobody_knows_is_none_not_zero() -> None:
    result = await run("done")

    assert result.cost is None


async def test_new_messages_are_those_the_run_produced() -> None:
    given = [ChatMessage.from_user("go"), ChatMessage.from_assistant("done")]

    result = await run("done", messages=[*given, ChatMessage.from_user("go")], system_prompt="Do.")

    assert result.new_messages == [
        ChatMessage.from_assistant("done", meta=result.messages[-1].meta)
    ]
    assert len(result.messages) == 5


async def test_the_text_is_the_last_that_was_written_when_the_run_was_stopped() -> None:
    turn = calls(call("look_up", word="ox"), text="I will look.")

    result = await run(turn, calls(call("look_up", word="cow")), max_agent_steps=2)

    assert (result.exit_reason, result.text) == ("max_agent_steps", "I will look.")


async def test_without_any_words_the_text_is_empty() -> None:
    result = await run(calls(call("look_up", word="ox")), max_agent_steps=1)

    assert result.text == ""


async def test_without_any_message_there_is_no_last_one() -> None:
    result = await run(messages=[], max_agent_steps=0)

    assert "last_message" not in result
    assert result.text == ""


async def test_it_shows_itself_in_one_short_line() -> None:
    result = await run("word " * 100)

    shown = repr(result)
    assert shown.startswith("AgentResult(exit_reason='text', text='word word")
    assert len(shown) < 160 and "…" in shown


async def test_inputs_are_copied_and_what_has_no_copy_is_shared() -> None:
    lock, notes = threading.Lock(), ["mine"]

    @tool
    def note_down(state: State) -> str:
        """Change the notes in place."""
        state.data["notes"].append("the run's")
        return "noted"

    model = ScriptedChatGenerator([calls(call("note_down")), "done"])
    agent = Agent(
        chat_generator=model,
        tools=[note_down],
        state_schema={"lock": {"type": object}, "notes": {"type": list}},
    )

    result = await agent.run_async("go", lock=lock, notes=notes)

    assert result["lock"] is lock
    assert (notes, result["notes"]) == (["mine"], ["mine", "the run's"])


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
async def test_a_copy_tells_the_same_messages_apart(copied: Callable[[Any], Any]) -> None:
    result = await run(calls(call("look_up", word="ox")), "done")

    twin = copied(result)

    assert twin.new_messages == result.new_messages
    assert len(twin.new_messages) == 3
    assert (twin.text, twin.usage, twin.stop) == (result.text, result.usage, result.stop)


async def test_a_key_that_is_not_there_is_named_with_those_that_are() -> None:
    result = await run("done")

    with pytest.raises(KeyError, match=r"no key 'last_mesage'\. Did you mean 'last_message'\?"):
        result["last_mesage"]
    assert result.get("last_mesage") is None
