"""Answers of a declared type: asked for, validated, asked for again, and given up in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pydantic
import pytest

from podium.agent import Agent, ChatMessage, OutputError
from podium.agent._history import is_valid
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool

pytestmark = pytest.mark.anyio


class Ticket(pydantic.BaseModel):
    number: int
    severity: str

    @pydantic.field_validator("severity")
    @classmethod
    def known(cls, value: str) -> str:
        if value not in ("low", "high"):
            raise ValueError("severity must be low or high")
        return value


def agent_with(*turns: str | ChatMessage, **settings: Any) -> Agent:
    settings.setdefault("output_type", Ticket)
    return Agent(chat_generator=ScriptedChatGenerator(list(turns)), **settings)


async def test_a_fitting_answer_is_the_output() -> None:
    result = await agent_with('{"number": 7, "severity": "high"}').run_async("go")

    assert result.output == Ticket(number=7, severity="high")
    assert (result["exit_reason"], result.text) == ("text", '{"number": 7, "severity": "high"}')


async def test_a_code_fence_around_the_answer_is_taken_off() -> None:
    result = await agent_with('```json\n{"number": 7, "severity": "low"}\n```').run_async("go")

    assert result.output.number == 7


async def test_a_misfit_is_told_to_the_model_as_a_users_message() -> None:
    agent = agent_with('{"number": 7, "severity": "urgent"}', '{"number": 7, "severity": "high"}')

    result = await agent.run_async("go")

    assert result.output.severity == "high"
    asked_again = result.messages[-2]
    assert asked_again.is_from("user")
    assert "severity must be low or high" in str(asked_again.text)
    assert is_valid(result.messages)


async def test_the_third_misfit_ends_the_run_with_all_that_was_said() -> None:
    agent = agent_with('{"number": "x", "severity": "high"}', "not json", '{"severity": "high"}')

    with pytest.raises(OutputError, match="number") as caught:
        await agent.run_async("go")

    assert (caught.value.last_raw, caught.value.attempts) == ('{"severity": "high"}', 3)
    assert caught.value.partial is not None
    assert len(caught.value.partial.messages) >= 6
    assert is_valid(caught.value.partial.messages)


async def test_tools_may_be_used_before_the_answer() -> None:
    @tool
    def next_number() -> int:
        """Return the next ticket number."""
        return 8

    agent = agent_with(
        calls(call("next_number")), '{"number": 8, "severity": "low"}', tools=[next_number]
    )

    result = await agent.run_async("go")

    assert result.output.number == 8


async def test_a_model_without_structured_output_is_shown_the_schema() -> None:
    agent = agent_with('{"number": 7, "severity": "high"}', system_prompt="Be exact.")

    result = await agent.run_async("go")

    system = str(result.messages[0].text)
    assert system.startswith("Be exact.") and '"severity"' in system


async def test_a_model_with_structured_output_is_sent_the_schema() -> None:
    seen: list[Any] = []

    class Structured:
        supports_structured_output = True

        async def run_async(
            self, messages: Sequence[ChatMessage], *, generation_kwargs: Any = None
        ) -> dict[str, Any]:
            seen.append((len(messages), generation_kwargs))
            return {"replies": [ChatMessage.from_assistant('{"number": 1, "severity": "low"}')]}

    await Agent(chat_generator=Structured(), output_type=Ticket).run_async(
        "go", generation_kwargs={"temperature": 0}
    )

    (count, kwargs) = seen[0]
    assert count == 1
    assert kwargs["temperature"] == 0
    assert kwargs["response_format"]["json_schema"]["name"] == "Ticket"


@pytest.mark.parametrize(
    ("output_type", "answer", "output"),
    [
        (list[int], "[1, 2]", [1, 2]),
        (int, "3", 3),
        (dict[str, float], '{"a": 1.5}', {"a": 1.5}),
        (bool, "true", True),
    ],
)
async def test_any_type_that_can_be_validated_will_do(
    output_type: Any, answer: str, output: object
) -> None:
    result = await agent_with(answer, output_type=output_type).run_async("go")

    assert result.output == output


async def test_a_run_that_was_stopped_has_no_output() -> None:
    result = await agent_with(max_agent_steps=0).run_async("go")

    assert result.output is None
