"""AgentTool: what it takes, how a specialist's result becomes its caller's, and other runnables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from podium.agent import Agent, AgentResult, Budget, ChatMessage
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool, SpecialistError
from podium.tools import Tool, tool

pytestmark = pytest.mark.anyio


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"all about {word}"


@tool
def no_luck(word: str) -> str:
    """Find nothing."""
    raise LookupError(word)


class Archive:
    """Not an agent, but it runs like one."""

    name = "archive"
    description = "Knows the past."

    def __init__(self, **result: Any) -> None:
        self.result, self.asked = result, list[tuple[str | None, dict[str, Any]]]()

    async def run_async(self, messages: Sequence[ChatMessage], **inputs: Any) -> Mapping[str, Any]:
        self.asked.append((messages[-1].text, inputs))
        return self.result


def specialist(*turns: Any, **settings: Any) -> Agent:
    settings.setdefault("name", "facts")
    settings.setdefault("description", "Knows facts.")
    return Agent(chat_generator=ScriptedChatGenerator(list(turns)), **settings)


async def asked(delegate: AgentTool, **settings: Any) -> AgentResult:
    """Run an agent that hands one task to the specialist and then says "done"."""
    inputs = settings.pop("inputs", {})
    model = ScriptedChatGenerator([calls(call(delegate.name, task="Find out")), "done"])
    return await Agent(chat_generator=model, tools=[delegate], **settings).run_async("go", **inputs)


def told(result: AgentResult) -> str:
    return result.messages[2].tool_call_results[0].text


@pytest.mark.parametrize(
    ("agent", "settings", "kind", "words"),
    [
        (object(), {}, TypeError, "cannot be run like an agent"),
        (look_up, {}, TypeError, "cannot be run like an agent"),
        (specialist(description=""), {}, ValueError, "'facts' has no description"),
        (specialist(), {"name": "two words"}, ValueError, "two words"),
        (specialist(), {"max_calls": 0}, ValueError, "max_calls"),
    ],
)
def test_what_cannot_delegate_is_refused(
    agent: Any, settings: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        AgentTool(agent, **settings)


def test_name_and_description_are_the_agents_unless_given() -> None:
    agent = specialist()

    plain, renamed = AgentTool(agent), AgentTool(agent, name="ask", description="Ask away.")

    assert (plain.name, plain.description) == ("facts", "Knows facts.")
    assert (renamed.name, renamed.description) == ("ask", "Ask away.")
    assert renamed.target_name == "facts"


def test_the_model_fills_one_string() -> None:
    schema = AgentTool(specialist()).parameters

    assert list(schema["properties"]) == ["task"]
    assert schema["required"] == ["task"]


def test_a_copy_with_another_limit_shares_the_agent() -> None:
    first = AgentTool(specialist(), max_calls=3)

    second = first.with_max_calls(1)

    assert (first.max_calls, second.max_calls) == (3, 1)
    assert second.agent is first.agent


async def test_something_that_runs_like_an_agent_is_asked_the_same_way() -> None:
    archive = Archive(last_message=ChatMessage.from_assistant("In 1889."))
    delegate = AgentTool(archive, inputs_from_state={"year": "since"})

    result = await asked(delegate, state_schema={"year": {"type": int}}, inputs={"year": 1800})

    assert told(result) == "In 1889."
    assert archive.asked == [("Find out", {"since": 1800})]


async def test_a_result_without_a_last_message_is_told_as_data() -> None:
    result = await asked(AgentTool(Archive(found=["a", "b"])))

    assert told(result) == '{"found": ["a", "b"]}'


async def test_another_part_of_the_result_can_be_told() -> None:
    delegate = AgentTool(specialist("It is."), outputs_to_string={"source": "exit_reason"})

    assert told(await asked(delegate)) == "text"


async def test_a_part_of_the_result_can_go_to_the_callers_state() -> None:
    delegate = AgentTool(
        specialist("It is.", state_schema={"found": {"type": list[str]}}),
        inputs_from_state={"seen": "found"},
        outputs_to_state={"kept": {"source": "found"}},
    )
    schema = {"seen": {"type": list[str]}, "kept": {"type": list[str]}}

    result = await asked(delegate, state_schema=schema, inputs={"seen": ["a"]})

    assert result["kept"] == ["a"]


async def test_a_specialist_that_was_stopped_with_nothing_says_only_why() -> None:
    result = await asked(AgentTool(specialist(max_agent_steps=0)))

    assert told(result) == (
        "[Incomplete, the specialist stopped early (max_agent_steps): "
        "The step limit was reached before the model answered. "
        "'agent/facts' had used 0 of 0. 'agent/facts' completed 0 steps.]"
    )


async def test_of_what_a_stopped_specialist_found_failures_and_repeats_are_left_out() -> None:
    turn = calls(call("look_up", word="ox"), call("no_luck", word="ox"), call("look_up", word="ox"))
    delegate = AgentTool(specialist(turn, tools=[look_up, no_luck], max_agent_steps=1))

    assert told(await asked(delegate)).startswith("all about ox\n[Incomplete")


async def test_of_much_that_was_found_the_start_of_each_result_is_handed_up() -> None:
    long, short = "x " * 5_000, "ox"
    turn = calls(call("look_up", word=long), call("look_up", word=short))
    delegate = AgentTool(specialist(turn, tools=[look_up], max_agent_steps=1))

    found, _, _ = told(await asked(delegate)).partition("\n[Incomplete")

    assert found.startswith("all about x x x") and found.endswith("x …\n\nall about ox")
    assert 3_900 < len(found) < 4_010


async def test_a_failing_specialists_words_are_handed_up_with_the_error() -> None:
    thinking = calls(call("look_up", word="ox"), text="An ox is cattle; let me make sure.")
    delegate = AgentTool(specialist(thinking, RuntimeError("no connection"), tools=[look_up]))

    result = await asked(delegate)

    assert told(result) == (
        "Specialist 'facts' failed: RuntimeError: no connection "
        "Before that it had written: An ox is cattle; let me make sure."
    )
    assert result.text == "done"


async def test_raising_on_failure_gives_the_specialists_error_as_the_cause() -> None:
    delegate = AgentTool(specialist(RuntimeError("no connection")))

    with pytest.raises(SpecialistError, match="'facts' failed") as caught:
        await asked(delegate, raise_on_tool_invocation_failure=True)

    assert caught.value.tool_name == "facts"
    assert isinstance(caught.value.__cause__, RuntimeError | SpecialistError)


async def test_it_can_be_called_outside_an_agent() -> None:
    delegate: Tool = AgentTool(specialist("It is."))

    result = await delegate.invoke_async(task="Is it?")

    assert result.text == "It is."


async def test_the_agents_prompt_may_call_a_variable_context() -> None:
    agent = specialist("42.", user_prompt="Use this: {{ context }}")
    model = ScriptedChatGenerator([calls(call("facts", task="?", context="an ox")), "done"])

    await Agent(chat_generator=model, tools=[AgentTool(agent)]).run_async("go")

    assert [one.text for one in sent_to(agent)] == ["?", "Use this: an ox"]


async def test_the_task_fills_a_prompt_variable_of_its_name() -> None:
    agent = specialist("42.", system_prompt="You do one thing: {{ task }}")
    delegate = AgentTool(agent)

    await asked(delegate)

    assert delegate.parameters["required"] == ["task"]
    assert sent_to(agent)[0].text == "You do one thing: Find out"


def sent_to(agent: Agent) -> Sequence[ChatMessage]:
    """Return the messages that the agent's scripted model got first."""
    model = agent.chat_generator
    assert isinstance(model, ScriptedChatGenerator)
    return model.requests[0].messages


def test_its_time_limit_is_one_of_the_specialists_budget() -> None:
    agent = specialist()

    timed = AgentTool(agent, timeout_seconds=2)
    tighter = AgentTool(agent, timeout_seconds=2, budget=Budget(seconds=5, requests=3))
    looser = AgentTool(agent, timeout_seconds=9, budget=Budget(seconds=5))

    assert timed.budget == Budget(seconds=2)
    assert tighter.budget == Budget(seconds=2, requests=3)
    assert looser.budget == Budget(seconds=5)
