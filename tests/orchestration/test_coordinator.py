"""Coordinator: its team, its prompt, and the limits that hold when nobody sets any."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from podium.agent import Agent, AgentResult, ModelError, State, hook
from podium.agent._history import is_valid
from podium.agent.hooks import RepeatedCallHook
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import AgentTool, Coordinator
from podium.tools import Toolset, tool

pytestmark = pytest.mark.anyio


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def specialist(name: str, *turns: Any, **settings: Any) -> Agent:
    settings.setdefault("description", f"Knows all about {name}.")
    return Agent(chat_generator=ScriptedChatGenerator(list(turns)), name=name, **settings)


def coordinator(*turns: Any, **settings: Any) -> Coordinator:
    settings.setdefault("specialists", [specialist("ships", *["A ship."] * 3)])
    return Coordinator(chat_generator=ScriptedChatGenerator(list(turns)), **settings)


def answers(result: AgentResult) -> list[tuple[str, bool]]:
    return [(one.text, one.error) for m in result.messages for one in m.tool_call_results]


@pytest.mark.parametrize(
    ("settings", "kind", "words"),
    [
        ({"specialists": []}, ValueError, "at least one agent"),
        ({"specialists": [add]}, TypeError, "got the specialist"),
        ({"specialists": specialist("a")}, TypeError, r"as in specialists=\[agent\]"),
        (
            {"specialists": [specialist("a"), specialist("a")]},
            ValueError,
            "Two specialists of coordinator 'coordinator' are named 'a'",
        ),
        ({"specialists": [specialist("add")], "tools": [add]}, ValueError, "'add'"),
        ({"tools": add}, TypeError, "not a list"),
        ({"max_depth": 0}, ValueError, "max_depth=0"),
        ({"max_depth": True}, ValueError, "max_depth=True"),
        ({"max_calls_per_specialist": 0}, ValueError, "max_calls_per_specialist=0"),
        ({"max_repeats": 0}, ValueError, "max_repeats=0"),
    ],
)
def test_a_team_that_cannot_work_is_refused(
    settings: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        coordinator(**settings)


async def test_the_prompt_names_the_team_and_then_says_what_the_user_wants() -> None:
    team = coordinator(
        "done",
        specialists=[
            specialist("ships", description="Knows\nships."),
            AgentTool(specialist("trains"), name="rail", description="Knows trains."),
        ],
        system_prompt="Answer in {{ language }}.",
    )

    result = await team.run_async("go", language="French")

    system = str(result.messages[0].text)
    assert system.endswith(
        "Your specialists:\n- ships: Knows ships.\n- rail: Knows trains.\n\nAnswer in French."
    )


async def test_descriptions_are_never_templates() -> None:
    team = coordinator("done", specialists=[specialist("ships", description="Says {{ ahoy }}.")])

    result = await team.run_async("go")

    assert "- ships: Says {{ ahoy }}." in str(result.messages[0].text)


@pytest.mark.parametrize("own", [[add], Toolset([add])], ids=["a list", "a toolset"])
async def test_its_own_tools_stand_beside_the_specialists(own: Any) -> None:
    team = coordinator(calls(call("add", a=1, b=2), call("ships", task="x")), "done", tools=own)

    result = await team.run_async("go")

    assert answers(result) == [("3", False), ("A ship.", False)]


async def test_each_specialist_may_be_called_so_often() -> None:
    ships = [specialist(name, *["A ship."] * 3) for name in ("ships", "boats")]
    team = coordinator(
        calls(
            *(call("ships", task=f"{n}") for n in range(3)),
            *(call("boats", task=f"{n}") for n in range(3)),
        ),
        "done",
        specialists=[ships[0], AgentTool(ships[1], max_calls=1)],
        max_calls_per_specialist=2,
    )

    result = await team.run_async("go")

    assert [error for _, error in answers(result)] == [False, False, True, False, True, True]
    assert "may be called 2 times" in answers(result)[2][0]


def test_a_tools_own_limit_goes_before_the_coordinators() -> None:
    mine, open_end = AgentTool(specialist("ships"), max_calls=100), AgentTool(specialist("boats"))

    team = coordinator(specialists=[mine, open_end])

    limits = [one.max_calls for one in team.toolbox() if isinstance(one, AgentTool)]
    assert limits == [100, 64]
    assert open_end.max_calls is None


def test_the_guard_against_repeats_comes_after_the_users_hooks() -> None:
    @hook
    def mine(state: State) -> None: ...

    team = coordinator(hooks={"before_tool": [mine], "after_run": [mine]})

    first, last = team.hooks_at("before_tool")
    assert first is mine and isinstance(last, RepeatedCallHook)
    assert list(team.hooks_at("after_run")) == [mine]


async def test_a_run_that_ends_at_the_step_limit_still_gives_an_answer() -> None:
    team = coordinator(calls(call("ships", task="x")), "A ship, I think.", max_agent_steps=1)

    result = await team.run_async("go")

    assert (result.exit_reason, result.text) == ("max_agent_steps", "A ship, I think.")
    assert result.stop.answered_after_stop
    model = team.chat_generator
    assert isinstance(model, ScriptedChatGenerator)
    assert model.requests[1].tools == ()


async def test_a_last_answer_that_fails_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    team = coordinator(calls(call("ships", task="x")), ModelError("down"), max_agent_steps=1)

    with caplog.at_level(logging.WARNING):
        result = await team.run_async("go")

    assert (result.exit_reason, result.stop.answered_after_stop) == ("max_agent_steps", False)
    assert answers(result) == [("A ship.", False)]
    assert "could not write a final answer: ModelError" in caplog.text


async def test_a_last_answer_that_asks_for_tools_is_none_and_leaves_no_call_open() -> None:
    again = calls(call("ships", task="y"), text="Let me look again.")
    team = coordinator(calls(call("ships", task="x")), again, max_agent_steps=1)

    result = await team.run_async("go")

    assert not result.stop.answered_after_stop
    assert answers(result)[1] == ("Not run: no more tools can be called.", True)
    assert is_valid(result.messages)


async def test_a_coordinator_can_lead_coordinators() -> None:
    inner = coordinator(calls(call("ships", task="x")), "A ship.", name="fleet", description="d")
    team = coordinator(calls(call("fleet", task="x")), "Ships.", specialists=[inner])

    result = await team.run_async("go")

    assert [node.path for node in result.usage_tree.walk()] == [
        "coordinator",
        "coordinator/fleet",
        "coordinator/fleet/ships",
    ]
