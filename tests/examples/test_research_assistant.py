"""The research assistant from the command line to the report."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest
from otlp_receiver import OtlpReceiver

from podium.agent import Agent, RunEvent, ToolCallFinished
from podium.agent.testing import (
    FakeOpenAIServer,
    Fault,
    RecordedRequest,
    Reply,
    ScriptedChatGenerator,
    call,
    calls,
)
from podium.agent.testing.scripted import ScriptedTurn
from podium.orchestration import Coordinator
from research_assistant.cli import BAD_INPUT, FAILED, INTERRUPTED, main
from research_assistant.research import Outcome, research

PROGRAM = Path(__file__).parents[2] / "examples" / "research_assistant"
OWLS = "Owls hunt mice at night. [birds.md § Birds > Owls]"
FISH = "Fish swim in the sea. [fish.html § Fish]"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the key of whoever runs the tests."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of mixed files, one of which cannot be read."""
    folder = tmp_path / "animals"
    folder.mkdir()
    (folder / "birds.md").write_text("# Birds\n\n## Owls\n\nOwls hunt mice at night.\n")
    (folder / "fish.html").write_text("<h1>Fish</h1><p>Fish swim in the sea.</p>")
    (folder / "cats.txt").write_text("Cats\n====\n\nCats purr when they are content.\n")
    (folder / "broken.pdf").write_bytes(b"no pdf at all")
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return where the assistant is to write."""
    return tmp_path / "out"


def role(request: RecordedRequest) -> str:
    """Name who asks, by what the system prompt begins with."""
    prompt = str(request.messages[0]["content"])
    return "searcher" if prompt.startswith("You find passages") else "coordinator"


def server_of_a_good_model() -> FakeOpenAIServer:
    """Return a server whose model searches once and answers with the source."""
    server = FakeOpenAIServer(route=role)
    server.script([calls(call("searcher", task="What do owls hunt?")), OWLS], key="coordinator")
    server.script([calls(call("search_corpus", query="owls hunt")), OWLS], key="searcher")
    return server


def test_the_default_question_is_answered_from_python_itself(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.process_time()

    code = main(["--out", str(out)])

    assert code == 0
    assert time.process_time() - started < 30
    report = (out / "report.md").read_text()
    assert '"__exit__()" will always be called. [reference/with § The "with" statement]' in report
    assert "Free variables used in the nested function can access the local variables" in report
    assert "no source" not in report
    assert "not in the corpus" not in report
    printed = capsys.readouterr().out
    assert "not a language model" in printed
    assert (out / "trace.jsonl").stat().st_size > 1_000
    assert f"podium trace show {out / 'trace.jsonl'}" in printed
    assert f"podium trace html {out / 'trace.jsonl'}" in printed


def test_a_folder_of_mixed_files_is_answered_from_with_what_was_skipped(
    folder: Path, out: Path
) -> None:
    question = "What do owls hunt at night, and where do fish swim?"

    code = main(["--corpus", str(folder), "--out", str(out), question])

    report = (out / "report.md").read_text()
    assert code == 0
    assert report.startswith(f"# {question}\n")
    assert OWLS in report
    assert FISH in report
    assert "- `broken.pdf`: it is not a PDF that can be read" in report
    assert "coordinator/searcher" not in report.split("## Who used how much")[0]
    assert "  searcher#2 " in report


def test_the_trace_is_sent_live_where_a_collector_is_named(folder: Path, out: Path) -> None:
    with OtlpReceiver() as collector:
        code = main(
            ["--corpus", str(folder), "--out", str(out), "--otlp", collector.endpoint, "Owls hunt?"]
        )

    sent = {span.name for span in collector.spans}
    assert code == 0
    assert "invoke_agent coordinator" in sent
    assert "execute_tool search_corpus" in sent


def test_a_collector_that_is_none_is_bad_input(
    folder: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["--corpus", str(folder), "--out", str(out), "--otlp", "localhost", "Owls hunt?"])

    assert code == 2
    assert "--otlp: otlp_endpoint='localhost' is no URL" in capsys.readouterr().err


def test_a_second_question_reads_nothing_again(
    folder: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--corpus", str(folder), "--out", str(out), "owls"])

    main(["--corpus", str(folder), "--out", str(out), "owls"])
    main(["--corpus", str(folder), "--out", str(out), "owls", "--rebuild"])

    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Corpus")]
    assert [line.split("; ")[1][:27] for line in told] == [
        "3 documents read, 0 unchang",
        "0 documents read, 3 unchang",
        "3 documents read, 0 unchang",
    ]


@pytest.mark.parametrize(("option", "streamed"), [("--stream", True), ("--no-stream", False)])
def test_a_server_is_asked_plain_or_streaming(
    folder: Path, out: Path, option: str, streamed: bool
) -> None:
    with server_of_a_good_model() as server:
        asked = ["-q", "What do owls hunt?", "--corpus", str(folder), "--out", str(out)]
        code = main([*asked, option, "--base-url", server.base_url, "--model", "small"])

    report = (out / "report.md").read_text()
    assert code == 0
    assert OWLS in report
    assert f"small at {server.base_url}" in report
    assert [request.body.get("stream", False) for request in server.requests] == [streamed] * 4
    assert f"{server.usage_total.total_tokens:,}" in report.split("## Who used how much")[1]


def test_a_server_that_fails_leaves_a_report_that_says_so(folder: Path, out: Path) -> None:
    with FakeOpenAIServer([Fault(401)]) as server:
        code = main(
            ["owls", "--corpus", str(folder), "--out", str(out), "--base-url", server.base_url]
        )

    report = (out / "report.md").read_text()
    assert code == FAILED
    assert "**This report is not complete**" in report
    assert "401" in report


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--corpus", "missing"],
            "The corpus 'missing' cannot be read (No such file or directory)",
        ),
        (["--corpus", "animals", "submarine"], "Nothing in the folder animals matches 'submarine'"),
        (["--corpus", "pictures", "owls"], "has no document to read"),
        (["--corpus", "unreadable", "owls"], "None of the 1 files in the folder unreadable"),
        (["-q", " ?! "], "The question is empty: '?!'"),
        (["--concurrency", "0"], "--concurrency 0 lets nobody work"),
        (["--corpus", "animals", "owls", "--model", "big"], "OPENAI_API_KEY is not set"),
        (["--base-url", "here", "owls"], "--base-url: api_base_url='here' is no URL of a server"),
        (["--out", "animals/birds.md", "owls"], "The index 'animals/birds.md/index.sqlite' cannot"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_before_any_model_is_asked(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    (folder.parent / "pictures").mkdir()
    (folder.parent / "unreadable").mkdir()
    (folder.parent / "unreadable" / "empty.md").touch()
    monkeypatch.chdir(folder.parent)

    code = main(arguments)

    assert code == BAD_INPUT
    assert message in capsys.readouterr().err
    assert not Path("out/research/report.md").exists()


def test_a_report_that_cannot_be_written_says_so(
    folder: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (out / "report.md").mkdir(parents=True)

    code = main(["--corpus", str(folder), "--out", str(out), "owls"])

    assert code == BAD_INPUT
    assert "cannot be written to" in capsys.readouterr().err


def test_ctrl_c_leaves_what_was_found(folder: Path, out: Path) -> None:
    server = FakeOpenAIServer(route=role, strict=False)
    first = calls(call("searcher", task="What do owls hunt?"))
    server.script([first, Reply("Too late.", delay_seconds=60)], key="coordinator")
    server.script([OWLS], key="searcher")
    arguments = ["owls", "--corpus", str(folder), "--out", str(out)]
    with (
        server,
        subprocess.Popen(
            [sys.executable, str(PROGRAM), *arguments, "--base-url", server.base_url],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        ) as program,
    ):
        assert program.stdout is not None
        seen = next(line for line in program.stdout if "coordinator/searcher done" in line)
        program.send_signal(signal.SIGINT)
        rest = program.stdout.read()

    report = (out / "report.md").read_text()
    assert "tokens" in seen
    assert program.returncode == INTERRUPTED
    assert "It was stopped with Ctrl-C." in rest
    assert f"## What had been found\n\n### searcher\n\n```text\n{OWLS}\n```" in report
    assert "The run was cancelled." in report
    assert "Too late" not in report


@pytest.mark.parametrize("command", [[str(PROGRAM)], ["-m", "research_assistant"]])
def test_help_is_there_in_both_ways_of_starting(command: list[str]) -> None:
    shown = subprocess.run(
        [sys.executable, *command, "--help"],
        cwd=PROGRAM.parent,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "--corpus" in shown.stdout


async def think_for_ever(*_: object) -> str:
    """Answer never."""
    await anyio.sleep_forever()
    raise AssertionError("sleep_forever returned")


def team(answer: ScriptedTurn) -> Agent:
    """Return a coordinator that asks its specialist once and ends with `answer`."""
    model = ScriptedChatGenerator([calls(call("searcher", task="owls")), OWLS, answer])
    searcher = Agent(name="searcher", description="Searches.", chat_generator=model)
    return Coordinator(chat_generator=model, specialists=[searcher])


@pytest.mark.anyio
async def test_an_outcome_holds_the_answer_and_what_was_found() -> None:
    outcome = Outcome("owls")

    await research(team("They hunt."), outcome)

    assert outcome.is_complete
    assert outcome.result is not None
    assert outcome.result.text == "They hunt."
    assert outcome.findings == [("searcher", OWLS)]


@pytest.mark.anyio
async def test_a_cancelled_outcome_holds_what_there_was() -> None:
    outcome = Outcome("owls")
    with anyio.CancelScope() as scope:

        def stop(event: RunEvent) -> None:
            if isinstance(event, ToolCallFinished):
                scope.cancel()

        await research(team(think_for_ever), outcome, stop)

    assert not outcome.is_complete
    assert outcome.result is not None
    assert outcome.result.exit_reason == "cancelled"
    assert outcome.findings == [("searcher", OWLS)]
