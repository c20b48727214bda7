"""The research assistant under a budget: it stops in time, and still says what it found."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from podium.agent import Budget, BudgetChanged, RunStarted
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, Fault, RecordedRequest, Reply, call, calls
from podium.tracing import Usage
from research_assistant.budget import budget_from, check_price, shown_budget
from research_assistant.cli import BAD_INPUT, FAILED, main
from research_assistant.documents import ResearchError
from research_assistant.live import LiveTree
from research_assistant.progress import Progress

QUESTION = "What do owls hunt at night, and where do fish swim?"
OWLS = "Owls hunt mice at night. [birds.md § Birds > Owls]"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the key of whoever runs the tests."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of documents about animals."""
    folder = tmp_path / "animals"
    folder.mkdir()
    filling = "They are seen by people who wait, all over the world.\n\n" * 30
    (folder / "birds.md").write_text(f"# Birds\n\n## Owls\n\nOwls hunt mice at night.\n{filling}")
    (folder / "fish.md").write_text(f"# Fish\n\nFish swim in the sea.\n{filling}")
    return folder


def asked(folder: Path, *options: str) -> tuple[int, str]:
    """Ask about the folder; return the exit code and the report."""
    out = folder.parent / "out"
    code = main(["-q", QUESTION, "--corpus", str(folder), "--out", str(out), *options])
    return code, (out / "report.md").read_text()


def spent(report: str) -> int:
    """Return the total of the usage table."""
    found = re.search(r"^total +([\d,]+)", report, re.MULTILINE)
    assert found is not None
    return int(found[1].replace(",", ""))


@pytest.mark.parametrize("limit", [6_000, 4_000, 3_000])
def test_a_spent_token_budget_is_never_exceeded_and_answered_from(
    folder: Path, limit: int, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = asked(folder, "--budget-tokens", str(limit))

    assert code == 0
    assert spent(report) <= limit
    assert "**This report is not complete**" in report
    assert OWLS in report and "Fish swim in the sea. [fish.md § Fish]" in report
    assert "The token budget was spent. 'coordinator' had used" in report
    assert "The answer was written from what had been found" in report
    assert f"- Budget: {limit:,} tokens; {min(1_500, limit // 4):,} of the tokens" in report
    assert re.search(r"coordinator ended: .*; left: [\d,]+ tokens", capsys.readouterr().out)


def test_a_budget_too_small_for_the_team_says_so_and_shows_what_a_search_finds(
    folder: Path,
) -> None:
    code, report = asked(folder, "--budget-tokens", "1200")

    assert code == 0
    assert spent(report) <= 1_200
    assert 'I found nothing about "What do owls hunt at night"' in report
    assert "## What a search for the words of the question finds" in report
    assert "### [birds.md § Birds > Owls]" in report


def test_ample_budgets_change_nothing(folder: Path) -> None:
    code, report = asked(folder, "--budget-tokens", "100000", "--budget-seconds", "600")

    assert code == 0
    assert "not complete" not in report
    assert "- Budget: 100,000 tokens, 600 seconds; 1,500 of the tokens" in report


def test_when_the_time_is_over_the_answer_is_written_from_what_was_found(folder: Path) -> None:
    def role(request: RecordedRequest) -> str:
        content = str(request.messages[0]["content"])
        return "searcher" if content.startswith("You find passages") else "coordinator"

    tasks = [call("searcher", task="owls"), call("searcher", task="fish")]
    with FakeOpenAIServer(route=role) as server:
        server.script([calls(*tasks), OWLS], key="coordinator")
        server.script([OWLS, Reply("Too late.", delay_seconds=60)], key="searcher")
        code, report = asked(folder, "--budget-seconds", "3", "--base-url", server.base_url)

    assert code == 0
    assert "The time was over. 'coordinator' had used 3.0 of 3.0 seconds." in report
    assert "The answer was written from what had been found" in report
    assert OWLS in report and "Too late" not in report


def test_a_model_that_fails_after_the_limit_leaves_what_was_found(folder: Path) -> None:
    with FakeOpenAIServer([Fault(401)]) as server:
        code, report = asked(folder, "--budget-tokens", "600", "--base-url", server.base_url)

    assert code == FAILED
    assert "No answer was written." in report
    assert "### [birds.md § Birds > Owls]" in report


@pytest.mark.parametrize(
    ("option", "value", "mend"),
    [
        ("--budget-tokens", "0", "Give a whole number of tokens, such as 20000."),
        ("--budget-tokens", "-5", "Give a whole number of tokens, such as 20000."),
        ("--budget-tokens", "1.5", "Give a whole number of tokens, such as 20000."),
        ("--budget-tokens", "many", "Give a whole number of tokens, such as 20000."),
        ("--budget-tokens", "1e99", "Give a whole number of tokens, such as 20000."),
        ("--budget-usd", "0", "Give US dollars above 0, such as 0.50."),
        ("--budget-usd", "nan", "Give US dollars above 0, such as 0.50."),
        ("--budget-seconds", "inf", "Give seconds above 0, such as 60."),
        ("--budget-seconds", "", "Give seconds above 0, such as 60."),
    ],
)
def test_what_sets_no_limit_is_refused_in_a_sentence(
    folder: Path, option: str, value: str, mend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["--corpus", str(folder), "--out", str(folder.parent / "out"), option, value])

    assert code == BAD_INPUT
    assert capsys.readouterr().err == f"{option} {value!r} sets no limit. {mend}\n"
    assert not (folder.parent / "out").exists()


def test_a_limit_in_dollars_needs_a_model_with_a_price(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeOpenAIServer() as server:
        options = ["--base-url", server.base_url, "--model", "home-made", "--budget-usd", "1"]
        with_server = main(["--corpus", str(folder), *options])
    with_stand_in = main(["--corpus", str(folder), "--budget-usd", "0.5"])

    assert (with_server, with_stand_in, server.requests) == (BAD_INPUT, BAD_INPUT, [])
    assert capsys.readouterr().err.splitlines() == [
        f"--budget-usd {usd} cannot be kept: the price of the model {model!r} is not known. "
        "Limit it with --budget-tokens or --budget-seconds."
        for usd, model in (("1", "home-made"), ("0.5", "lexical"))
    ]


def test_a_limit_in_dollars_holds_for_a_model_that_is_listed() -> None:
    model = OpenAIChatGenerator(api_key="none", model="gpt-5-mini")

    check_price(budget_from(None, "0.50", None), model)


def test_prices_that_are_not_installed_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(name: str) -> None:
        """Find no package."""

    monkeypatch.setattr("importlib.util.find_spec", find_nothing)

    with pytest.raises(ResearchError, match=r"podium\[prices\]"):
        budget_from(None, "1", None)


def test_no_option_is_no_budget_and_each_sets_its_limit() -> None:
    budget = budget_from("2000", "0.50", "30")

    assert budget_from(None, None, None) is None
    assert budget == Budget(total_tokens=2_000, cost_usd=0.50, seconds=30, reserve_for_answer=500)
    assert shown_budget(Budget(total_tokens=2_000, cost_usd=0.5, seconds=30)) == (
        "2,000 tokens, 0.5 US dollars, 30 seconds"
    )


def test_what_is_left_counts_all_agents() -> None:
    facts: dict[str, Any] = {"run_id": "r", "depth": 0, "step": 1}
    ticks = iter([10.0, 11.0, 12.5])
    progress = Progress(clock=lambda: next(ticks))
    usage = Usage(input_tokens=900, output_tokens=100, requests=1, cost=Decimal("0.25"))
    progress.take(RunStarted(**facts, path="lead", seq=0))
    progress.take(BudgetChanged(**facts, path="lead", seq=1, usage=usage))
    progress.take(BudgetChanged(**facts, path="lead/searcher", seq=2, usage=usage))

    left = progress.left(Budget(total_tokens=5_000, cost_usd=1, seconds=60))

    assert left == "left: 3,000 tokens, 0.5000 US dollars, 57.5 s"


def test_a_terminal_shows_what_is_left_above_the_tree() -> None:
    tree = LiveTree(Budget(total_tokens=5_000))

    assert "left: 5,000 tokens" in str(tree.render().label)
    assert not tree.render().hide_root
