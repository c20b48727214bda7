"""The fake server as a program: canned answers by the model's name."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

import pytest

from podium.agent.testing import RecordedRequest, Reply
from podium.agent.testing._canned import ANSWER, canned_reply
from podium.tools import ToolCall

SEARCH: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "search",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "limit": {"type": "integer"},
                "order": {"enum": ["newest", "oldest"]},
                "filters": {"anyOf": []},
                "page": {"type": "integer"},
            },
            "required": ["query", "limit", "order", "filters"],
        },
    },
}
STOP = {"type": "function", "function": {"name": "stop"}}
SAID = {"role": "assistant", "content": "so far"}


def request(model: str, *, said: int = 0, tools: Any = (SEARCH, STOP)) -> RecordedRequest:
    messages = [{"role": "user", "content": "task"}, *[SAID] * said]
    return RecordedRequest(7, {"model": model, "messages": messages, "tools": tools}, b"", {}, 0.0)


def test_steps_calls_the_first_tool_until_the_last_step() -> None:
    first = canned_reply(request("steps-3"))
    second = canned_reply(request("steps-3", said=1))
    third = canned_reply(request("steps-3", said=2))

    arguments = {"query": "part 0", "limit": 1, "order": "newest", "filters": "part 0"}
    assert first == second == Reply(tool_calls=[ToolCall("search", arguments, "call_7_0")])
    assert third == Reply(ANSWER)


def test_team_calls_its_tools_in_turn_then_answers() -> None:
    first = canned_reply(request("team-3"))
    second = canned_reply(request("team-3", said=1))

    assert [tool_call.tool_name for tool_call in first.tool_calls] == ["search", "stop", "search"]
    assert [tool_call.arguments.get("query") for tool_call in first.tool_calls] == [
        "part 0",
        None,
        "part 2",
    ]
    assert second == Reply(ANSWER)


@pytest.mark.parametrize("model", ["steps-3", "team-3"])
def test_without_tools_there_is_only_an_answer(model: str) -> None:
    assert canned_reply(request(model, tools=None)) == Reply(ANSWER)


def test_words_says_as_many_words() -> None:
    assert canned_reply(request("words-3")) == Reply("word word word ")


def test_any_other_model_answers_at_once() -> None:
    assert canned_reply(request("gpt"), delay_seconds=0.5) == Reply(ANSWER, delay_seconds=0.5)


def test_the_program_serves_until_it_is_told_to_stop() -> None:
    command = [sys.executable, "-W", "error", "-m", "podium.agent.testing.fake_openai"]
    program: subprocess.Popen[str] = subprocess.Popen(
        [*command, "--think-ms", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    line: str = program.stdout.readline()
    address = urlsplit(line.removeprefix("listening on ").strip())
    connection = http.client.HTTPConnection(address.netloc, timeout=10)
    body = {"model": "words-2", "messages": [{"role": "user", "content": "hi"}]}

    connection.request("POST", "/v1/chat/completions", json.dumps(body))
    answer = json.load(connection.getresponse())
    connection.close()
    program.send_signal(signal.SIGTERM)
    _, errors = program.communicate(timeout=10)

    assert answer["choices"][0]["message"]["content"] == "word word "
    assert program.returncode == 0
    assert "Traceback" not in errors
