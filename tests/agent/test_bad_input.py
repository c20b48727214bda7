"""Bad input gets an error that says what, why and mend, before anything has happened."""

from __future__ import annotations

from typing import Any, cast

import pytest

from podium.agent import Agent, ChatMessage, State, hook
from podium.agent.testing import ScriptedChatGenerator
from podium.tools import Tool, tool

MODEL = ScriptedChatGenerator([])


@tool
def echo(n: int) -> str:
    """Return the number."""
    return str(n)


class NoTools:
    """A generator that cannot take tools."""

    async def run_async(self, messages: list[ChatMessage]) -> dict[str, Any]:
        return {"replies": []}


def plain(state: State) -> None:
    """A function that was not made a hook."""


@hook
def sound(state: State) -> None:
    """A proper hook."""


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"chat_generator": object()}, TypeError, "neither run_async nor run"),
        ({"chat_generator": NoTools(), "tools": [echo]}, TypeError, "takes no tools"),
        ({"name": "two words"}, ValueError, "cannot be named 'two words'"),
        ({"name": ""}, ValueError, "cannot be named ''"),
        ({"tools": [echo, echo]}, ValueError, "echo"),
        ({"tools": echo}, TypeError, "not a list"),
        ({"tools": [plain]}, TypeError, "Decorate the function with @tool"),
        ({"tools": [3]}, TypeError, "no Tool"),
        ({"tool_concurrency_limit": 0}, ValueError, "tool_concurrency_limit=0"),
        ({"tool_concurrency_limit": True}, ValueError, "tool_concurrency_limit=True"),
        ({"max_agent_steps": -1}, ValueError, "max_agent_steps=-1"),
        ({"max_agent_steps": 1.5}, ValueError, "max_agent_steps=1.5"),
        ({"exit_conditions": "finish"}, TypeError, r"exit_conditions=\['finish'\]"),
        ({"output_type": "no type"}, TypeError, "output_type='no type' cannot be validated"),
        ({"hooks": [sound]}, TypeError, "Give a dict of lists"),
        ({"hooks": {"before_lunch": [sound]}}, ValueError, "before_lunch.*before_llm"),
        ({"hooks": {"before_llm": [plain]}}, TypeError, "Decorate it with @hook"),
        ({"hooks": {"before_llm": sound}}, TypeError, "Give a list"),
        ({"hooks": {"before_llm": [object()]}}, TypeError, "not a hook"),
        ({"state_schema": {"token_usage": {"type": dict}}}, ValueError, "token_usage"),
        ({"state_schema": {"docs": {}}}, ValueError, "docs.*no type"),
        ({"state_schema": {"docs": {"type": "list"}}}, ValueError, "not a type"),
        ({"state_schema": {"docs": {"type": list, "handler": 3}}}, ValueError, "cannot be called"),
        ({"state_schema": {"messages": {"type": list[str]}}}, ValueError, "ChatMessage"),
        ({"system_prompt": "{% if %}"}, ValueError, "template"),
        ({"system_prompt": 3}, TypeError, "system_prompt"),
        ({"system_prompt": "{{ messages }}"}, ValueError, "messages"),
        (
            {"user_prompt": "{{ docs }}", "state_schema": {"docs": {"type": str}}},
            ValueError,
            "docs",
        ),
        ({"required_variables": "name"}, TypeError, "required_variables"),
        ({"budget": 3}, TypeError, "no Budget"),
        ({"output_type": object()}, TypeError, "output_type"),
        ({"streaming_callback": "print"}, TypeError, "'print', which cannot be called"),
        ({"state_schema": {"docs": int}}, ValueError, r"Write it as \{'type': int\}"),
    ],
)
def test_a_wrong_definition_is_refused(
    settings: dict[str, Any], kind: type[Exception], words: str
) -> None:
    wanted: dict[str, Any] = {"chat_generator": MODEL, **settings}

    with pytest.raises(kind, match=f"(?s){words}"):
        Agent(**wanted)


@pytest.mark.parametrize(
    ("messages", "options", "kind", "words"),
    [
        (None, {}, TypeError, "messages is None"),
        ([3], {}, TypeError, "with 3 in it"),
        (ChatMessage.from_user("x"), {}, TypeError, "messages is one ChatMessage and not a list"),
        ("x", {"name": "Ann", "streaming_callback": 3}, TypeError, "streaming_callback=3"),
        ("x", {"tools": echo}, TypeError, "tools"),
        ("x", {"tools": ["ehco"]}, ValueError, "Did you mean 'echo'"),
        ("x", {"tools": ["echo", echo]}, TypeError, "mixes"),
        ("x", {"nmae": "Ann"}, TypeError, "takes no input 'nmae'. Did you mean 'name'"),
        ("x", {"name": "Ann", "stop_run": "now"}, TypeError, "stop_run"),
        ("x", {}, ValueError, "name"),
        ("x", {"name": "Ann", "budget": 3}, TypeError, "no Budget"),
    ],
)
def test_a_wrong_call_is_refused_before_the_model_is_asked(
    messages: Any, options: dict[str, Any], kind: type[Exception], words: str
) -> None:
    model = ScriptedChatGenerator([])
    agent = Agent(chat_generator=model, tools=[echo], system_prompt="You are {{ name }}.")

    with pytest.raises(kind, match=words):
        agent.run(messages, **options)

    assert model.requests == []


def test_what_pydantic_says_of_an_output_type_is_told_in_one_line() -> None:
    with pytest.raises(TypeError) as caught:
        Agent(chat_generator=MODEL, output_type=object())

    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_an_agent_without_tools_has_none_to_pick_from() -> None:
    with pytest.raises(ValueError, match=r"There are none\. Pass the tool itself"):
        Agent(chat_generator=MODEL).run("x", tools=["echo"])


def test_a_generator_that_returns_nonsense_is_named() -> None:
    class Nonsense:
        async def run_async(self, messages: list[ChatMessage]) -> Any:
            return {"replies": "hello"}

    with pytest.raises(Exception, match=r"Nonsense.*replies"):
        Agent(chat_generator=Nonsense()).run("hi")


def test_a_definition_cannot_be_changed_but_cloned() -> None:
    agent = Agent(chat_generator=MODEL, name="one")

    with pytest.raises(AttributeError):
        agent.name = "two"  # type: ignore[misc]
    with pytest.raises(TypeError, match="Did you mean 'name'"):
        agent.clone(nmae="two")

    assert (agent.clone(name="two").name, agent.name) == ("two", "one")


def test_a_tool_class_is_no_tool() -> None:
    with pytest.raises(TypeError):
        Agent(chat_generator=MODEL, tools=[cast("Tool", Tool)])


def test_agents_and_hooks_show_their_names_and_nothing_else() -> None:
    agent = Agent(chat_generator=MODEL, name="clerk", system_prompt="A secret.")

    assert (repr(agent), repr(sound)) == ("Agent(name='clerk')", "FunctionHook(sound)")
