"""A coordinator and its specialists: what goes down, what comes back, and what is seen of it."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from podium.agent import (
    Agent,
    AgentFinished,
    AgentStarted,
    ChatMessage,
    RunEvent,
    RunFinished,
    RunStarted,
    TextDelta,
)
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool, Coordinator
from podium.tools import tool

pytestmark = pytest.mark.anyio


def specialist(name: str, *turns: Any, **settings: Any) -> Agent:
    settings.setdefault("description", f"Knows all about {name}.")
    return Agent(chat_generator=ScriptedChatGenerator(list(turns)), name=name, **settings)


def coordinator(*turns: Any, specialists: list[Any], **settings: Any) -> Coordinator:
    return Coordinator(
        chat_generator=ScriptedChatGenerator(list(turns)), specialists=specialists, **settings
    )


async def test_a_task_goes_down_and_the_answer_comes_back() -> None:
    history = specialist("history", "It was built in 1889.")
    team = coordinator(calls(call("history", task="When?")), "In 1889.", specialists=[history])

    result = await team.run_async("When was the tower built?")

    assert result.text == "In 1889."
    assert result.messages[3].tool_call_results[0].text == "It was built in 1889."


async def test_the_specialist_sees_only_its_task() -> None:
    history = specialist("history", "It was built in 1889.", system_prompt="You are brief.")
    team = coordinator(calls(call("history", task="When?")), "In 1889.", specialists=[history])

    await team.run_async("A secret question")

    model = history.chat_generator
    assert isinstance(model, ScriptedChatGenerator)
    assert [message.text for message in model.requests[0].messages] == ["You are brief.", "When?"]


async def test_usage_is_summed_over_levels_and_owned_by_path() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    inner = Agent(
        chat_generator=ScriptedChatGenerator(["deep"], usage=usage), name="inner", description="d"
    )
    middle = Agent(
        chat_generator=ScriptedChatGenerator([calls(call("inner", task="x")), "mid"], usage=usage),
        name="middle",
        description="d",
        tools=[AgentTool(inner)],
    )
    team = Coordinator(
        chat_generator=ScriptedChatGenerator(
            [calls(call("middle", task="a"), call("middle", task="a2")), "done"], usage=usage
        ),
        specialists=[middle.clone(chat_generator=_both(usage))],
    )

    result = await team.run_async("go")

    assert result["token_usage"]["total_tokens"] == 4 * 110
    assert [node.path for node in result.usage_tree.walk()] == [
        "coordinator",
        "coordinator/middle",
        "coordinator/middle#2",
    ]
    owned = sum(node.own.total_tokens for node in result.usage_tree.walk())
    assert owned == result.usage.total_tokens == 440


def _both(usage: dict[str, int]) -> ScriptedChatGenerator:
    return ScriptedChatGenerator(["first", "second"], usage=usage)


async def test_parallel_specialists_answer_in_call_order() -> None:
    slow_may_end = anyio.Event()

    @tool
    async def wait() -> str:
        """Wait for the other one."""
        await slow_may_end.wait()
        return "waited"

    @tool
    async def release() -> str:
        """Let the other one go on."""
        slow_may_end.set()
        return "released"

    slow = specialist("slow", calls(call("wait")), "slow answer", tools=[wait])
    fast = specialist("fast", calls(call("release")), "fast answer", tools=[release])
    team = coordinator(
        calls(call("slow", task="a"), call("fast", task="b")), "both", specialists=[slow, fast]
    )

    with anyio.fail_after(5):
        result = await team.run_async("go")

    answers = [answer.text for message in result.messages for answer in message.tool_call_results]
    assert answers == ["slow answer", "fast answer"]


async def test_a_failing_specialist_is_told_and_its_siblings_are_kept() -> None:
    broken = specialist("broken", RuntimeError("no connection"))
    sound = specialist("sound", "all well")
    team = coordinator(
        calls(call("broken", task="a"), call("sound", task="b")),
        "one of two",
        specialists=[broken, sound],
    )

    result = await team.run_async("go")

    failed, good = (answer for message in result.messages for answer in message.tool_call_results)
    assert failed.error and "no connection" in failed.text and "'broken'" in failed.text
    assert good.text == "all well"


async def test_a_specialist_that_ran_out_of_steps_hands_up_what_it_found() -> None:
    @tool
    def look_up(q: str) -> str:
        """Look something up."""
        return f"facts about {q}"

    facts = specialist(
        "facts", *[calls(call("look_up", q="a"))] * 2, tools=[look_up], max_agent_steps=2
    )
    team = coordinator(calls(call("facts", task="a")), "final", specialists=[facts])

    result = await team.run_async("go")

    told = result.messages[3].tool_call_results[0].text
    assert "facts about a" in told
    assert "max_agent_steps" in told and "2 of 2" in told


async def test_an_exit_tools_result_is_the_specialists_answer() -> None:
    @tool
    def finish(answer: str) -> str:
        """Finish."""
        return answer

    facts = specialist(
        "facts", calls(call("finish", answer="42")), tools=[finish], exit_conditions=["finish"]
    )
    team = coordinator(calls(call("facts", task="a")), "final", specialists=[facts])

    result = await team.run_async("go")

    assert result.messages[3].tool_call_results[0].text == "42"


async def test_a_direct_specialist_ends_the_run_with_its_answer() -> None:
    facts = AgentTool(specialist("facts", "The answer."), return_direct=True)
    team = coordinator(calls(call("facts", task="a")), specialists=[facts])

    result = await team.run_async("go")

    assert (result["exit_reason"], result.text) == ("facts", "The answer.")


async def test_mandatory_variables_become_properties_and_state_supplies_the_rest() -> None:
    writer = specialist(
        "writer", "Bonjour.", system_prompt="Write in {{ language }} for {{ reader }}."
    )
    delegate = AgentTool(writer, inputs_from_state={"customer": "reader"})
    team = coordinator(
        calls(call("writer", task="greet", language="French")),
        "done",
        specialists=[delegate],
        state_schema={"customer": {"type": str}},
    )

    await team.run_async("go", customer="Ann")

    assert delegate.parameters["required"] == ["task", "language"]
    model = writer.chat_generator
    assert isinstance(model, ScriptedChatGenerator)
    assert model.requests[0].messages[0].text == "Write in French for Ann."


async def test_events_of_all_levels_arrive_in_one_stream_with_their_owner() -> None:
    facts = specialist("facts", "ok then")
    team = coordinator(calls(call("facts", task="a")), "final", specialists=[facts])
    events: list[RunEvent] = []

    async with team.stream("go") as run:
        async for event in run:
            events.append(event)

    assert isinstance(events[0], RunStarted) and isinstance(events[-1], RunFinished)
    assert [event.seq for event in events] == list(range(len(events)))
    started = next(event for event in events if isinstance(event, AgentStarted))
    assert (started.path, started.depth, started.task) == ("coordinator/facts", 1, "a")
    assert started.cause == run.result.messages[2].tool_calls[0].id
    written = "".join(
        event.text
        for event in events
        if isinstance(event, TextDelta) and event.path == "coordinator/facts"
    )
    assert written == "ok then"
    finished = next(event for event in events if isinstance(event, AgentFinished))
    assert finished.exit_reason == "text"


async def test_a_stuck_coordinator_still_gives_an_answer() -> None:
    facts = specialist("facts", *["the same"] * 2)
    again = calls(call("facts", task="a"))
    team = coordinator(*[again] * 4, "What I found: the same.", specialists=[facts], max_repeats=2)

    result = await team.run_async("go")

    assert (result["exit_reason"], result.text) == ("repeated_call", "What I found: the same.")
    assert result.stop.answered_after_stop


async def test_hook_context_reaches_the_agents_below() -> None:
    from podium.agent import State, hook

    seen: list[Any] = []

    @hook
    def note(state: State) -> None:
        seen.append(state.data["hook_context"])

    facts = specialist("facts", "ok", hooks={"before_run": [note]})
    team = coordinator(calls(call("facts", task="a")), "final", specialists=[facts])
    context = {"user": "u-1", "lock": anyio.Lock()}

    await team.run_async("go", hook_context=context)

    assert seen == [context]
    assert seen[0]["lock"] is context["lock"]


async def test_agents_nest_only_as_deep_as_allowed() -> None:
    deepest = specialist("deepest", "never")
    middle = specialist(
        "middle", calls(call("deepest", task="x")), "answered alone", tools=[AgentTool(deepest)]
    )
    team = coordinator(calls(call("middle", task="a")), "final", specialists=[middle], max_depth=1)

    result = await team.run_async("go")

    assert result.text == "final"
    assert deepest.chat_generator.requests == []  # type: ignore[union-attr]
    model = middle.chat_generator
    assert isinstance(model, ScriptedChatGenerator)
    refused = model.requests[1].messages[-1].tool_call_results[0]
    assert refused.error and "depth" in refused.text


async def test_a_nested_run_inside_a_sync_tool_joins_the_tree() -> None:
    helper = specialist("helper", "helped")

    @tool
    def ask() -> str:
        """Ask the helper from sync code."""
        return helper.run("please").text

    agent = specialist("lead", calls(call("ask")), "done", tools=[ask])

    result = await agent.run_async("go")

    assert [node.path for node in result.usage_tree.walk()] == ["lead", "lead/helper"]
    assert result.messages[2].tool_call_results[0].text == "helped"
    assert isinstance(result["last_message"], ChatMessage)
