"""`podium trace`: what each command prints, and how it fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from answering_server import AnsweringServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)
from recorded import NOON, TRACE, agent, chat, span, team, tool
from typer.testing import CliRunner, Result

from podium.tracing import Trace, read_trace
from podium.tracing.commands import app
from podium.tracing.export import encode, jaeger_document, otlp_document
from podium.tracing.reading import SpanEvent, TraceSpan

Run = Callable[..., Result]
Write = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs `podium trace *arguments`."""
    monkeypatch.setenv("TZ", "UTC")
    return lambda *arguments, **options: CliRunner().invoke(app, arguments, **options)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes spans to a file and returns its path."""

    def write(*spans: TraceSpan, name: str = "trace.jsonl") -> str:
        path = tmp_path / name
        path.write_bytes(encode(otlp_document(spans)) + b"\n")
        return str(path)

    return write


def columns(output: str) -> list[list[str]]:
    """Return the cells of each line; two spaces and more divide them."""
    return [re.split(r"  +", line.strip()) for line in output.splitlines() if line.strip()]


def test_show_draws_the_tree_with_tokens_time_and_bars(run: Run, write: Write) -> None:
    shown = run("show", write(*team()))

    assert shown.exit_code == 0
    assert shown.stderr == ""
    headline, *lines = [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert headline.startswith(f"trace {TRACE} ")
    assert headline.endswith(" 10 s 8 spans 800>100 tokens")
    assert lines == [
        "invoke_agent lead = 900 10 s ████████████████████ token_budget_exceeded",
        "├─ chat m 100>20 2 s ████",
        "├─ execute_tool facts 4 s ████████",
        "│ └─ invoke_agent facts = 250 4 s ████████",
        "│ └─ chat m 200>50 3 s ██████",
        "└─ execute_tool facts 3 s ██████",
        "└─ invoke_agent facts#2 = 530 3 s ██████ token_budget_exceeded",
        "└─ chat m 500>30 2.5 s █████",
    ]


def test_show_marks_errors_open_spans_and_costs(run: Run, write: Write) -> None:
    path = write(
        agent(1, "a", took=None, reason=None),
        chat(2, below=1, used=(1, 1), podium__cost__total_usd=0.5),
        tool(3, "t", below=1, status="error", error__type="OSError"),
        span(4, "chat silent", below=1),
    )

    shown = run("show", path)

    assert "no end" in shown.stdout
    assert "$0.5000" in shown.stdout
    assert re.search(r"execute_tool t .*OSError", shown.stdout)
    assert re.search(r"chat silent +\?", shown.stdout)
    assert "without an end" in shown.stderr


def test_show_tells_the_whole_cost_where_every_part_is_known(run: Run, write: Write) -> None:
    path = write(agent(1, "a"), chat(2, below=1, used=(1, 1), podium__cost__total_usd=0.5))

    headline = run("show", path).stdout.splitlines()[0]

    assert headline.endswith("1>1 tokens  $0.5000")


def test_show_stops_at_the_depth_asked_for(run: Run, write: Write) -> None:
    shown = run("show", write(*team()), "--depth", "2")

    assert len(shown.stdout.splitlines()) == 5
    assert shown.stdout.count("+ 1 below") == 2


def test_show_never_lets_a_trace_steer_the_terminal(run: Run, write: Write) -> None:
    path = write(span(1, "a\x1b[2Jb\nc [red]\u202ed \ud83d 漢字" + "x" * 300, status="error"))

    shown = run("show", path)

    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout
    assert "a\\x1b[2Jb c [red]\\u202ed" in shown.stdout


def test_show_keeps_deep_trees_within_the_width(run: Run, write: Write) -> None:
    spans = [span(number, "漢" * 80, below=number - 1 or None) for number in range(1, 200)]

    shown = run("show", write(*spans))

    assert max(len(line) for line in shown.stdout.splitlines()[1:]) < 170


def test_show_draws_with_plain_characters_where_there_are_no_others(run: Run, write: Write) -> None:
    runner = CliRunner(charset="ascii")

    shown = runner.invoke(app, ["show", write(agent(1, "é"), chat(2, below=1, used=(1, 1)))])

    assert "`- chat m" in shown.stdout
    assert "invoke_agent ?" in shown.stdout
    assert "####" in shown.stdout


def test_show_colors_a_terminal(run: Run, write: Write) -> None:
    shown = run("show", write(*team()), env={"FORCE_COLOR": "1", "TERM": "xterm"}, color=True)

    assert "\x1b[1;36minvoke_agent lead" in shown.stdout
    plain = run("show", write(*team()), env={"NO_COLOR": "1"})
    assert "\x1b[" not in plain.stdout


def test_show_takes_the_newest_trace_and_says_so(run: Run, write: Write) -> None:
    path = write(span(1, "old", trace_id="a" * 32), span(1, "new", start=5, trace_id="b" * 32))

    newest, chosen = run("show", path), run("show", path, "--trace", "AA")

    assert "new" in newest.stdout
    assert f"The newest of 2 traces: {'b' * 32}" in newest.stderr
    assert "old" in chosen.stdout
    assert chosen.stderr == ""


def test_stdin_is_read(run: Run) -> None:
    shown = run("show", "-", input=encode(otlp_document(team())))

    assert "invoke_agent lead" in shown.stdout


def test_list_has_a_line_for_each_trace(run: Run, write: Write) -> None:
    orphan = span(1, "lost", below=9, start=99, trace_id="b" * 32)

    listed = run("list", write(*team(), orphan))

    heading, team_line, lost = columns(listed.stdout)
    assert heading[0] == "trace"
    assert team_line[0] == TRACE
    assert team_line[2:] == [
        "invoke_agent lead",
        "token_budget_exceeded",
        "10 s",
        "8",
        "3",
        "800>100",
        "-",
        "-",
    ]
    assert lost[2:] == ["lost", "-", "1 s", "1", "0", "-", "-", "1"]


def test_cost_breaks_usage_down_three_ways(run: Run, write: Write) -> None:
    shown = run("cost", write(*team()))

    lines = columns(shown.stdout)
    assert ["facts#2", "530", "530", "1", "0", "3.00", "2.50", "0.00", "-"] in [
        line[:9] for line in lines
    ]
    assert ["m", "3", "800", "0", "100", "0", "900", "-"] in lines
    assert ["facts", "2", "700", "0", "80", "0", "780", "-"] in lines
    assert lines.count(["total", "3", "800", "0", "100", "0", "900", "-"]) == 2


@pytest.mark.parametrize(("by", "first"), [("path", "agent"), ("model", "model"), ("tool", "tool")])
def test_cost_shows_one_table_alone(by: str, first: str, run: Run, write: Write) -> None:
    shown = run("cost", write(*team()), "--by", by)

    assert shown.stdout.startswith(first)
    assert shown.stdout.count("total ") <= 2


def test_cost_by_path_without_agents_has_what_nobody_owns(run: Run, write: Write) -> None:
    shown = run("cost", write(chat(1, below=None, used=(3, 4))), "--by", "path")

    assert "(no agent)" in shown.stdout


def test_why_tells_the_chain_one_sentence_a_line(run: Run, write: Write) -> None:
    shown = run("why", write(*team()))

    assert shown.stdout.splitlines() == list(Trace(team()).why())


def test_critical_path_shows_stretches_and_how_time_divides(run: Run, write: Write) -> None:
    shown = run("critical-path", write(*team()), "--top", "2")

    heading, first, second, summary = columns(shown.stdout)
    assert heading == ["at", "took", "share", "work"]
    assert [first, second] == [
        ["2 s", "3 s", "30%", "chat m"],
        ["6 s", "2.5 s", "25%", "chat m"],
    ]
    assert summary == ["Of the time: model 7.5 s (75%), agent 2.5 s (25%)."]


def test_critical_path_of_no_time_is_told(run: Run, write: Write) -> None:
    shown = run("critical-path", write(span(1, took=0)))

    assert shown.stdout.endswith("Nothing in this trace took any time.\n")


def test_diff_shows_what_changed_with_arrows(run: Run, write: Write) -> None:
    before = write(*team(), name="before.jsonl")
    after = write(*team()[:5], tool(9, "[b]", below=1), name="after.jsonl")

    shown = run("diff", before, after)

    lines = columns(shown.stdout)
    assert [line[:2] for line in lines[1:]] == [
        ["path", "lead/facts#2"],
        ["model", "m"],
        ["tool", "facts"],
        ["tool", "[b]"],
    ]
    assert lines[2][2:4] == ["3 -> 2", "900 -> 370"]
    assert lines[1][-1] == "token_budget_exceeded -> -"


def test_diff_of_the_same_says_so(run: Run, write: Write) -> None:
    path = write(*team())

    assert run("diff", path, path).stdout == "Nothing but times differs.\n"
    assert len(run("diff", path, path, "--all").stdout.splitlines()) == 6


@pytest.mark.parametrize("to", ["jaeger", "otlp"])
def test_export_writes_all_traces_to_a_file_or_to_stdout(
    to: str, run: Run, write: Write, tmp_path: Path
) -> None:
    path = write(*team(), span(1, trace_id="b" * 32, start=99))
    output = tmp_path / "out.json"

    written = run("export", path, "--to", to, "-o", str(output))
    printed = run("export", path, "--to", to, "--trace", "b")

    assert written.stdout == ""
    assert "Wrote 2 traces to" in written.stderr
    assert len(read_trace(output, trace_id=TRACE)) == 8
    assert read_trace(json.loads(printed.stdout)).trace_id == "b" * 32


def test_export_does_not_overwrite_what_it_reads(run: Run, write: Write) -> None:
    path = write(*team())

    refused = run("export", path, "--to", "jaeger", "-o", path)

    assert refused.exit_code == 1
    assert "is the record itself, which would be lost. Name another" in refused.stderr
    assert len(read_trace(path)) == 8


def test_export_to_a_folder_is_refused(run: Run, write: Write, tmp_path: Path) -> None:
    refused = run("export", write(*team()), "--to", "otlp", "-o", str(tmp_path))

    assert refused.exit_code == 1
    assert "cannot be written: Is a directory" in refused.stderr


def test_push_sends_a_file_with_the_headers_asked_for(
    run: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-one=1,x-two=2")

    with AnsweringServer() as collector:
        pushed = run("push", write(*team()), collector.address, "--header", "x-two=b=c")

    headers = collector.requests[0].headers
    assert pushed.stdout == f"Sent 8 spans of 1 traces to {collector.address}\n"
    assert (headers["x-one"], headers["x-two"]) == ("1", "b=c")


def test_push_says_what_the_collector_left_out(run: Run, write: Write) -> None:
    partial = ExportTracePartialSuccess(rejected_spans=3, error_message="too\x1b old")
    body = ExportTraceServiceResponse(partial_success=partial).SerializeToString()

    with AnsweringServer(body, content_type="application/x-protobuf") as collector:
        pushed = run("push", write(*team()), collector.address)

    assert pushed.exit_code == 1
    assert pushed.stderr.splitlines() == [
        "The collector says: too\\x1b old",
        "The collector left 3 of them out.",
    ]


def test_a_trace_is_read_from_jaeger(run: Run) -> None:
    body = encode(jaeger_document(Trace(team())))

    with AnsweringServer(body) as jaeger:
        by_id = run("why", jaeger.address, "--trace", TRACE)
        by_page = run("why", f"{jaeger.address}/trace/{TRACE}")
        newest = run("list", jaeger.address, "--service", "shop")

    assert by_id.stdout == by_page.stdout != ""
    assert TRACE in newest.stdout
    assert jaeger.requests[-1].target == "/api/traces?service=shop&limit=20"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["show", "gone.jsonl"], 1, "podium: The trace file 'gone.jsonl' cannot be read"),
        (["show", "."], 1, "podium: The trace file '.' cannot be read: Is a directory"),
        (["why", "http://127.0.0.1:9", "-t", "7a"], 1, "podium: Jaeger cannot be asked"),
        (["push", "-", "nowhere"], 1, "podium: The endpoint 'nowhere' is no address"),
        (["push", "-", "http://127.0.0.1:9"], 1, "podium: Spans cannot be sent"),
        (["push", "-", "http://x", "--header", "k"], 2, "'k' has no value. Write it as"),
        (["show", "-", "-t", "beef"], 1, "has no trace 'beef'"),
        (["export", "-"], 2, "Missing option '--to'"),
        (["export", "gone", "--to", "otlp", "-o", "conftest.py"], 1, "'gone' cannot be read"),
        (["fly"], 2, "No such command 'fly'"),
    ],
)
def test_a_failure_is_one_sentence_and_an_exit_code(
    arguments: list[str], code: int, said: str, run: Run
) -> None:
    failed = run(*arguments, input=encode(otlp_document(team())))

    assert failed.exit_code == code
    assert said in failed.stderr
    assert "Traceback" not in failed.stderr
    assert failed.stdout == ""


def test_times_are_shown_with_the_digits_that_matter(run: Run, write: Write) -> None:
    took = [0.000_000_5, 0.0123, 12.34, 754]
    events = (SpanEvent(name="e", time_ns=NOON),)
    path = write(*(span(n, "w", took=each, events=events) for n, each in enumerate(took, 1)))

    shown = run("show", path).stdout

    assert [cell in shown for cell in ("0 us", "12.3 ms", "12.3 s", "12m 34s")] == [True] * 4
