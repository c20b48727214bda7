"""What a caller passes by name: prompt variables and state keys, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agent import Agent, ChatMessage
from podium.agent.testing import ScriptedChatGenerator

pytestmark = pytest.mark.anyio

PROMPT = "Write in {{ language }}{% if reader %} for {{ reader }}{% endif %}."


async def system_prompt(*, required: Any = "*", **inputs: Any) -> str | None:
    """Run an agent with the prompt and return the system message its model got."""
    model = ScriptedChatGenerator(["done"])
    agent = Agent(chat_generator=model, system_prompt=PROMPT, required_variables=required)
    await agent.run_async("go", **inputs)
    return model.requests[0].messages[0].text


async def test_every_variable_is_required_unless_said_otherwise() -> None:
    assert await system_prompt(language="French", reader="Ann") == "Write in French for Ann."
    with pytest.raises(ValueError, match="reader"):
        await system_prompt(language="French")


async def test_only_those_listed_are_required() -> None:
    assert await system_prompt(required=["language"], language="French") == "Write in French."
    with pytest.raises(ValueError, match="language"):
        await system_prompt(required=["language"], reader="Ann")


async def test_none_may_be_required() -> None:
    assert await system_prompt(required=None, reader="Ann") == "Write in  for Ann."


def test_an_agent_tells_its_variables_and_which_are_mandatory() -> None:
    agent = Agent(
        chat_generator=ScriptedChatGenerator([]),
        system_prompt=PROMPT,
        user_prompt="About {{ topic }}.",
        required_variables=["topic", "language", "unknown"],
    )

    assert agent.variables == {"language", "reader", "topic"}
    assert agent.mandatory_variables == {"language", "topic"}


async def test_a_missing_variable_names_the_agent() -> None:
    with pytest.raises(ValueError, match="language") as caught:
        await system_prompt(reader="Ann")

    assert caught.value.__notes__ == ["in the prompts of agent 'agent'"]


async def test_values_are_never_templates() -> None:
    assert await system_prompt(language="{{ reader }}", reader="{% if %}") == (
        "Write in {{ reader }} for {% if %}."
    )


async def test_a_template_may_be_a_users_message_alone() -> None:
    model = ScriptedChatGenerator(["done"])

    await Agent(chat_generator=model, user_prompt="Why {{ what }}?").run_async([], what="not")

    assert list(model.requests[0].messages) == [ChatMessage.from_user("Why not?")]


async def test_a_definition_serves_many_calls_with_their_own_inputs() -> None:
    model = ScriptedChatGenerator(["a", "b"])
    agent = Agent(chat_generator=model, user_prompt="Why {{ what }}?")

    await agent.run_async("One.", what="not")
    await agent.run_async("Two.", what="ever")

    assert [request.messages[-1].text for request in model.requests] == ["Why not?", "Why ever?"]
