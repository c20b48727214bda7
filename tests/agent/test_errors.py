"""Errors of agents: what they carry, and that they survive a journey between processes."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import cast

import pytest

from podium.agent import (
    Agent,
    AgentError,
    AgentResult,
    ChatMessage,
    DelegationError,
    ModelError,
    OutputError,
)
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import PodiumError, tool
from podium.tracing.testing import SpanRecorder


@tool
def look_up(word: str) -> str:
    """Look a word up."""
    return f"{word} is a word"


@dataclass(frozen=True)
class Frozen(Exception):
    """An error that refuses new attributes."""

    code: int


@pytest.mark.parametrize("kind", [AgentError, DelegationError, ModelError, OutputError])
def test_all_have_one_root(kind: type[Exception]) -> None:
    assert issubclass(kind, PodiumError)


def test_an_error_carries_what_the_run_had_and_says_where_it_was() -> None:
    model = ScriptedChatGenerator([calls(call("look_up", word="ox")), ModelError("down")])

    with pytest.raises(ModelError, match="down") as caught:
        Agent(chat_generator=model, tools=[look_up], name="clerk").run("go")

    partial = cast("AgentResult", caught.value.partial)
    assert (partial.exit_reason, partial["step_count"]) == ("error", 1)
    assert partial.messages[-1].tool_call_results[0].text == "ox is a word"
    assert caught.value.__notes__ == ["in step 2 of agent 'clerk'"]


def test_an_error_that_takes_no_attributes_comes_out_all_the_same() -> None:
    with pytest.raises(Frozen) as caught:
        Agent(chat_generator=ScriptedChatGenerator([Frozen(7)])).run("go")

    assert caught.value.code == 7
    assert not hasattr(caught.value, "partial")


def test_tracing_changes_nothing_about_that(span_recorder: SpanRecorder) -> None:
    with pytest.raises(Frozen):
        Agent(chat_generator=ScriptedChatGenerator([Frozen(7)])).run("go")

    assert span_recorder.open_spans == ()


def test_an_output_error_survives_pickling() -> None:
    error = OutputError("no", last_raw="{", attempts=3)

    copy = pickle.loads(pickle.dumps(error))

    assert (str(copy), copy.last_raw, copy.attempts) == ("no", "{", 3)


def test_a_model_error_survives_pickling() -> None:
    error = ModelError(
        "no", status=429, code="busy", partial_text="He", is_retryable=True, was_refused=True
    )

    copy = pickle.loads(pickle.dumps(error))

    assert str(copy) == "no"
    assert vars(copy) == vars(error)


def test_an_error_of_a_run_survives_pickling_with_its_messages() -> None:
    model = ScriptedChatGenerator([ModelError("down")])
    with pytest.raises(ModelError) as caught:
        Agent(chat_generator=model).run("go")

    copy = pickle.loads(pickle.dumps(caught.value))

    assert copy.partial.messages == [ChatMessage.from_user("go")]
    assert copy.partial.exit_reason == "error"
