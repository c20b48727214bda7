"""The fixtures that podium gives to pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from podium.agent import ChatMessage
from podium.agent.testing import FakeOpenAIServer, ScriptedChatGenerator
from podium.tracing.testing import SpanRecorder

UNUSED = """
def test_model(scripted_model):
    scripted_model(["left over"])

def test_server(openai_server):
    openai_server.script(["left over"])
"""


@pytest.mark.anyio
async def test_a_scripted_model_is_made_with_its_turns(
    scripted_model: Callable[..., ScriptedChatGenerator],
) -> None:
    model = scripted_model(["Hello."], name="small")

    replies = await model.run_async([ChatMessage.from_user("Hello?")])

    assert replies["replies"][0].text == "Hello."
    assert model.model == "small"


def test_a_server_is_running(openai_server: FakeOpenAIServer, ask: Any) -> None:
    openai_server.script(["Hello."])

    heard = ask(openai_server)

    assert heard.message["content"] == "Hello."


def test_spans_are_recorded(span_recorder: SpanRecorder) -> None:
    assert span_recorder.spans == ()


def test_turns_left_over_fail_the_test_that_wrote_them(tmp_path: Path) -> None:
    tests = tmp_path / "test_unused.py"
    tests.write_text(UNUSED)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "podium.agent.testing.pytest_plugin", tests],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )

    assert "2 passed, 2 errors" in done.stdout
    assert "ScriptedChatGenerator 'scripted' got 0 of 1 calls" in done.stdout
    assert "FakeOpenAIServer has turns left" in done.stdout
