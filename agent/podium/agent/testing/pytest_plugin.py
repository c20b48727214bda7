"""Fixtures for pytest, there wherever podium is installed.

    def test_it_adds(scripted_model):
        model = scripted_model([calls(call("add", a=2, b=3)), "It is 5."])

        result = Agent(chat_generator=model, tools=[add]).run("What is 2 + 3?")

        assert result.text == "It is 5."

Imports stand inside the fixtures: pytest loads this module in each of its runs, and what is
imported then is neither measured by coverage nor free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from podium.agent.testing import FakeOpenAIServer, ScriptedChatGenerator
    from podium.agent.testing.scripted import ScriptedTurn
    from podium.tracing.testing import SpanRecorder


@pytest.fixture
def scripted_model() -> Iterator[Callable[..., ScriptedChatGenerator]]:
    """Make scripted models, as `scripted_model(turns, ...)`; each must use up its turns."""
    from podium.agent.testing import ScriptedChatGenerator

    made: list[ScriptedChatGenerator] = []

    def make(
        turns: Iterable[ScriptedTurn],
        *,
        usage: Mapping[str, Any] | None = None,
        name: str = "scripted",
    ) -> ScriptedChatGenerator:
        made.append(ScriptedChatGenerator(turns, usage=usage, name=name))
        return made[-1]

    yield make
    for model in made:
        model.assert_exhausted()


@pytest.fixture
def openai_server() -> Iterator[FakeOpenAIServer]:
    """Return a running `FakeOpenAIServer`; give it turns with `openai_server.script([...])`."""
    from podium.agent.testing import FakeOpenAIServer

    with FakeOpenAIServer() as server:
        yield server


@pytest.fixture
def span_recorder() -> Iterator[SpanRecorder]:
    """Record the spans of the test, as `podium.tracing.testing.SpanRecorder` does."""
    from podium.tracing.testing import SpanRecorder

    with SpanRecorder() as recorder:
        yield recorder
