"""The research assistant with tools of MCP servers: `--mcp "command"` and `--mcp URL`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from mcp_peers.http_server import scripted_http
from mcp_peers.watching import held

from podium.agent.testing import FakeOpenAIServer, RecordedRequest, call, calls
from research_assistant.cli import BAD_INPUT, main

TIME = f"{shlex.quote(sys.executable)} -m mcp_server_time"
OWLS = "Owls hunt mice at night. [birds.md § Birds]"


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what every call of the program needs."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "animals").mkdir()
    (tmp_path / "animals" / "birds.md").write_text("# Birds\n\nOwls hunt mice at night.\n")
    folders = ["--corpus", str(tmp_path / "animals"), "--out", str(tmp_path / "out")]
    return [*folders, "What do owls hunt at this hour?"]


def role(request: RecordedRequest) -> str:
    prompt = str(request.messages[0]["content"])
    return "searcher" if prompt.startswith("You find passages") else "coordinator"


def a_model_that_calls(name: str, **values: object) -> FakeOpenAIServer:
    """Return a server whose coordinator calls that tool beside its searcher."""
    server = FakeOpenAIServer(route=role)
    both = calls(call("searcher", task="What do owls hunt?"), call(name, **values))
    server.script([both, OWLS], key="coordinator")
    server.script([calls(call("search_corpus", query="owls hunt")), OWLS], key="searcher")
    return server


def results(server: FakeOpenAIServer) -> list[str]:
    last = [one for one in server.requests if role(one) == "coordinator"][-1]
    return [str(one["content"]) for one in last.messages if one["role"] == "tool"]


def test_the_time_server_is_started_used_and_ended(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = held()
    with a_model_that_calls("get_current_time", timezone="UTC") as server:
        code = main(["--base-url", server.base_url, "--mcp", TIME, *arguments])

    assert code == 0
    assert "Tools: get_current_time, convert_time of " in capsys.readouterr().out
    assert '"timezone": "UTC"' in results(server)[1]
    assert held().children == before.children
    assert held().threads == before.threads


def test_a_server_at_an_address_is_asked_with_the_token_of_the_environment(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_TOKEN", "t-1")
    with scripted_http("honest") as outside, a_model_that_calls("fetch", q="moon") as server:
        code = main(["--base-url", server.base_url, "--mcp", outside.url, *arguments])

    assert code == 0
    assert results(server)[1] == 'fetch: {"q": "moon"}'
    assert {headers.get("authorization") for _, headers in outside.requests} <= {"Bearer t-1", None}
    assert dict(outside.requests)["tools/call"]["authorization"] == "Bearer t-1"


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("no-such-program --now", "there is no program 'no-such-program'"),
        ("'unclosed", "No closing quotation"),
        ("", "cannot be started by the command ''"),
        ("http://127.0.0.1:1/mcp", "It cannot be reached"),
    ],
)
def test_a_server_that_gives_no_tools_is_bad_input(
    place: str, told: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["--mcp", place, *arguments])

    assert code == BAD_INPUT
    assert f"--mcp {place!r} gives no tools." in (said := capsys.readouterr().err)
    assert told in said
