"""The command `podium`, run as users run it: in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from real_collector import RealCollector
from recorded import TRACE, team

from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.orchestration import Coordinator
from podium.tracing import setup_tracing
from podium.tracing.export import encode, otlp_document

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "podium.orchestration.cli"]


def podium(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"}
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, check=check, env=environment
    )


@pytest.fixture
def record(tmp_path: Path) -> str:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(encode(otlp_document(team())))
    return str(path)


def test_a_run_is_recorded_and_shown(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 60, "completion_tokens": 20, "total_tokens": 80}
    facts = Agent(
        chat_generator=ScriptedChatGenerator(["An ox."], usage=usage),
        name="facts",
        description="Knows facts.",
    )
    lead = Coordinator(
        chat_generator=ScriptedChatGenerator([calls(call("facts", task="ox")), "Ox."], usage=usage),
        specialists=[facts],
    )
    path = tmp_path / "trace.jsonl"

    with setup_tracing(file=path):
        lead.run("What is an ox?")
    shown = podium("trace", "show", str(path))

    assert re.search(r"invoke_agent coordinator +=\s240", shown.stdout)
    assert re.search(r"└─ invoke_agent facts +=\s80", shown.stdout)
    assert shown.stderr == ""


def test_the_installed_script_is_the_same_command() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    module, _, function = settings["project"]["scripts"]["podium"].partition(":")
    entry = f"import sys; from {module} import {function}; sys.exit({function}())"

    helped = subprocess.run(
        [sys.executable, "-c", entry, "--help"], capture_output=True, text=True, check=True
    )

    assert "Usage: podium" in helped.stdout
    assert "trace" in helped.stdout


def test_a_failure_is_one_sentence_without_a_stack_trace(record: str) -> None:
    failed = podium("trace", "push", record, "http://127.0.0.1:9", check=False)

    assert failed.returncode == 1
    assert failed.stderr.startswith(
        "podium: Spans cannot be sent to 'http://127.0.0.1:9/v1/traces'"
    )
    assert "Traceback" not in failed.stderr


def test_a_reader_that_goes_away_is_no_failure(record: str) -> None:
    process = subprocess.Popen(
        [*COMMAND, "trace", "show", record], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()

    _, said = process.communicate(timeout=60)

    assert b"Traceback" not in said


HIDE = """
import sys
sys.modules[{package!r}] = None
from podium.orchestration.cli import main
main()
"""


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_the_extra_the_command_names_it(package: str) -> None:
    failed = subprocess.run(
        [sys.executable, "-c", HIDE.format(package=package)], capture_output=True, text=True
    )

    assert failed.returncode == 1
    assert "is not installed. Run `pip install 'podium[cli]'`." in failed.stderr
    assert "Traceback" not in failed.stderr


def test_another_missing_package_is_not_blamed_on_the_extra() -> None:
    failed = subprocess.run(
        [sys.executable, "-c", HIDE.format(package="opentelemetry.util.re")],
        capture_output=True,
        text=True,
    )

    assert "opentelemetry.util.re" in failed.stderr
    assert "podium[cli]" not in failed.stderr


def test_a_real_collector_takes_what_is_pushed(record: str, tmp_path: Path) -> None:
    with RealCollector(tmp_path / "collector.log") as collector:
        pushed = podium("trace", "push", record, collector.endpoint)
        told = collector.said("lead/facts#2")

    assert pushed.stdout == f"Sent 8 spans of 1 traces to {collector.endpoint}\n"
    assert told.count("Name           : ") == 8
    assert told.count(f"Trace ID       : {TRACE}") == 8
    assert f"Parent ID      : {'7'.zfill(16)}" in told
    assert "gen_ai.usage.input_tokens: Int(500)" in told
