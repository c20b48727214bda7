"""ScriptedChatGenerator: says what the script says, in order, and fails on any other use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import anyio
import anyio.lowlevel
import pytest

from podium.agent import ChatMessage, StreamingChunk
from podium.agent.models import AsyncChatGenerator
from podium.agent.models._estimate import estimate_prompt_tokens
from podium.agent.testing import ScriptedChatGenerator, ScriptError, call, calls
from podium.agent.testing.scripted import ScriptedTurn
from podium.tools import PodiumError, Tool

pytestmark = pytest.mark.anyio

LENGTH = {"finish_reason": "length"}
HELLO = [ChatMessage.from_user("Hello?")]


async def say(model: ScriptedChatGenerator, **kwargs: Any) -> ChatMessage:
    return (await model.run_async(HELLO, **kwargs))["replies"][0]


async def test_turns_are_said_in_order() -> None:
    model = ScriptedChatGenerator(["one", calls(call("add", a=1), text="two"), "three"])

    first, second, third = await say(model), await say(model), await say(model)

    assert (first.text, second.text, third.text) == ("one", "two", "three")
    assert second.tool_calls[0].tool_name == "add"
    assert second.tool_calls[0].arguments == {"a": 1}


async def test_it_is_a_chat_generator_that_needs_no_structured_output() -> None:
    model = ScriptedChatGenerator([])

    assert isinstance(model, AsyncChatGenerator)
    assert model.supports_structured_output is False


async def test_a_call_may_have_a_parameter_of_any_name() -> None:
    tool_call = call("send", tool_name="x", self="y")

    assert tool_call.arguments == {"tool_name": "x", "self": "y"}


async def test_the_reason_follows_from_what_was_said() -> None:
    model = ScriptedChatGenerator(
        ["text", calls(call("add")), ChatMessage.from_assistant("cut", meta=LENGTH)]
    )

    reasons = [(await say(model)).meta["finish_reason"] for _ in range(3)]

    assert reasons == ["stop", "tool_calls", "length"]


async def test_calls_get_ids_unless_they_have_one() -> None:
    model = ScriptedChatGenerator([calls(call("a"), call("b")), calls(call("a"))])

    first, second = await say(model), await say(model)

    ids = [tool_call.id for reply in (first, second) for tool_call in reply.tool_calls]
    assert ids == ["call_1_0", "call_1_1", "call_2_0"]


async def test_usage_is_estimated_from_what_was_sent_and_said() -> None:
    tools = [Tool("add", "Add.", {"type": "object", "properties": {}}, print)]
    model = ScriptedChatGenerator(["a word"])

    reply = await say(model, tools=tools)

    sent = estimate_prompt_tokens(HELLO, tools)
    assert reply.meta["usage"] == {
        "prompt_tokens": sent,
        "completion_tokens": 2,
        "total_tokens": sent + 2,
    }


async def test_usage_can_be_given_for_all_turns_or_for_one() -> None:
    own = {"prompt_tokens": 7, "completion_tokens": 1}
    model = ScriptedChatGenerator(
        ["one", ChatMessage.from_assistant("two", meta={"usage": own})],
        usage={"prompt_tokens": 100, "completion_tokens": 10},
        name="small",
    )

    first, second = await say(model), await say(model)

    assert first.meta["usage"] == {"prompt_tokens": 100, "completion_tokens": 10}
    assert second.meta["usage"] == own
    assert first.meta["model"] == second.meta["model"] == "small"


async def test_an_error_is_raised_as_it_is() -> None:
    error = TimeoutError("the provider slept")
    model = ScriptedChatGenerator([error, "and woke"])

    with pytest.raises(TimeoutError) as caught:
        await say(model)

    assert caught.value is error
    assert (await say(model)).text == "and woke"


async def test_a_function_sees_what_was_sent() -> None:
    def echo(messages: Sequence[ChatMessage], tools: Sequence[Tool] | None) -> str:
        return f"{messages[-1].text} {tools}"

    async def wait(messages: Sequence[ChatMessage], tools: Sequence[Tool] | None) -> ChatMessage:
        await anyio.lowlevel.checkpoint()
        return calls(call("echo", text=messages[-1].text))

    model = ScriptedChatGenerator([echo, wait])

    first, second = await say(model), await say(model)

    assert first.text == "Hello? None"
    assert second.tool_calls[0].arguments == {"text": "Hello?"}


async def test_what_was_sent_is_kept() -> None:
    tools = [Tool("add", "Add.", {"type": "object", "properties": {}}, print)]
    history = list(HELLO)
    model = ScriptedChatGenerator(["one", "two"])

    await model.run_async(history, tools=tools, generation_kwargs={"temperature": 0})
    history.append(ChatMessage.from_user("More?"))
    await model.run_async(history)

    first, second = model.requests
    assert first.messages == tuple(HELLO)
    assert first.tools == tuple(tools)
    assert first.generation_kwargs == {"temperature": 0}
    assert [message.text for message in second.messages] == ["Hello?", "More?"]
    assert (second.tools, second.generation_kwargs) == ((), {})


async def test_a_call_too_many_says_which_and_what_was_asked() -> None:
    model = ScriptedChatGenerator(["one"])
    await say(model)

    with pytest.raises(ScriptError) as caught:
        await say(model)

    assert str(caught.value) == (
        "ScriptedChatGenerator 'scripted' got call 2, and its script has 1 turn. "
        "The last message was user: 'Hello?'. Add a turn for this call, or end the run before it."
    )
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, PodiumError)


def test_a_text_is_no_list_of_turns() -> None:
    with pytest.raises(TypeError, match=r"got the text 'Paris.' for its turns. Put it in a list"):
        ScriptedChatGenerator("Paris.")


async def test_a_call_too_many_shows_the_last_tool_result() -> None:
    result = ChatMessage.from_tool("5", call("add"))
    model = ScriptedChatGenerator([])

    with pytest.raises(ScriptError, match="The last message was tool: '5'"):
        await model.run_async([*HELLO, result])
    with pytest.raises(ScriptError, match="The last message was none"):
        await model.run_async([])


async def test_turns_left_over_are_named() -> None:
    script: list[ScriptedTurn] = [
        "one",
        calls(call("add"), call("mul")),
        ValueError("no"),
        "four",
        "five",
        "six",
    ]

    with pytest.raises(ScriptError) as caught, ScriptedChatGenerator(script) as model:
        await say(model)

    assert str(caught.value) == (
        "ScriptedChatGenerator 'scripted' got 1 of 6 calls. Not used: 'calls of add, mul', "
        "ValueError('no'), 'four', 'five' and 1 more. "
        "Remove these turns, or find out why the model was not asked."
    )


async def test_a_used_up_script_passes() -> None:
    with ScriptedChatGenerator(["one"]) as model:
        await say(model)

    model.assert_exhausted()


async def test_an_error_in_the_block_is_not_hidden_by_turns_left_over() -> None:
    with pytest.raises(ZeroDivisionError), ScriptedChatGenerator(["one"]):
        raise ZeroDivisionError


@pytest.mark.parametrize("turn", [call("add"), 5, None, ValueError])
async def test_what_is_no_turn_is_refused_at_once(turn: Any) -> None:
    with pytest.raises(TypeError, match="is no turn of a ScriptedChatGenerator"):
        ScriptedChatGenerator(["one", turn])


async def test_a_function_that_cannot_be_called_with_messages_and_tools_is_refused() -> None:
    def forgetful(messages: object) -> str:
        return "hello"

    with pytest.raises(TypeError, match=r"Give it two parameters, \(messages, tools\)"):
        ScriptedChatGenerator([cast(Any, forgetful)])


async def test_a_function_must_return_a_reply() -> None:
    def forgetful(*_: object) -> Any:
        return None

    with pytest.raises(TypeError, match=r"forgetful.* returned a NoneType"):
        await say(ScriptedChatGenerator([forgetful]))


async def test_text_is_streamed_word_by_word() -> None:
    chunks: list[StreamingChunk] = []
    model = ScriptedChatGenerator(["Paris, of course."], name="small")

    reply = await say(model, streaming_callback=chunks.append)

    assert [chunk.content for chunk in chunks] == ["Paris,", " of", " course.", ""]
    assert [chunk.start for chunk in chunks] == [True, False, False, False]
    assert chunks[0].component_info is not None
    assert chunks[0].component_info.type == "ScriptedChatGenerator"
    assert chunks[0].meta == {"model": "small"}
    assert chunks[-1].finish_reason == "stop"
    assert chunks[-1].meta["usage"] == reply.meta["usage"]


async def test_reasoning_and_calls_are_streamed_in_pieces() -> None:
    chunks: list[StreamingChunk] = []

    async def listen(chunk: StreamingChunk) -> None:
        await anyio.lowlevel.checkpoint()
        chunks.append(chunk)

    turn = ChatMessage.from_assistant(
        "Hm.", reasoning="Look first.", tool_calls=[call("search", query="closures in Python")]
    )
    await say(ScriptedChatGenerator([turn]), streaming_callback=listen)

    reasoning, text, named, *pieces, last = chunks
    deltas = [chunk.tool_calls[0] for chunk in (named, *pieces) if chunk.tool_calls]
    assert reasoning.reasoning is not None
    assert reasoning.reasoning.reasoning_text == "Look first."
    assert text.content == "Hm."
    assert (deltas[0].tool_name, deltas[0].id, deltas[0].arguments) == ("search", "call_1_2", None)
    assert "".join(delta.arguments or "" for delta in deltas) == '{"query": "closures in Python"}'
    assert len(pieces) > 1
    assert [chunk.index for chunk in (reasoning, text, named)] == [0, 1, 2]
    assert last.finish_reason == "tool_calls"


async def test_calls_at_once_get_one_turn_each() -> None:
    model = ScriptedChatGenerator([str(number) for number in range(50)])
    said: list[str | None] = []

    async def one() -> None:
        said.append((await say(model)).text)

    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(one)

    assert sorted(said, key=lambda text: int(text or "")) == [str(number) for number in range(50)]
    model.assert_exhausted()
