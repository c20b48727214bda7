"""The report: every citation is looked up, every gap is marked, and no document can break it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from research_assistant.citations import UNKNOWN, UNSOURCED, check_answer
from research_assistant.corpus import folder_corpus
from research_assistant.documents import Skipped
from research_assistant.index import Index
from research_assistant.report import Circumstances, write_report
from research_assistant.research import Outcome

OWLS = "[owls.md § Owls]"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """Return an index of two documents."""
    (tmp_path / "owls.md").write_text("# Owls\n\nOwls hunt mice at night.\n\n## Old; grey\n\nHoot.")
    (tmp_path / "code.md").write_text("# Code\n\n```\nprint('`````')\n```")
    with Index(tmp_path / "out" / "index.sqlite") as index:
        index.update(folder_corpus(tmp_path))
        yield index


def test_a_cited_answer_stays_as_it_is(index: Index) -> None:
    answer = f"# Owls\n\nOwls hunt. They eat mice. {OWLS}\n\n- Old ones hoot [owls.md § old; grey]."

    checked = check_answer(answer, index)

    assert (checked.text, checked.unknown, checked.unsourced) == (answer, (), 0)
    assert [passage.heading for passage in checked.sources] == ["Owls", "Owls > Old; grey"]


def test_two_sources_may_share_their_brackets(index: Index) -> None:
    checked = check_answer("Owls hunt in code. [owls.md § Owls; code.md § Code]", index)

    assert [passage.file for passage in checked.sources] == ["owls.md", "code.md"]
    assert checked.unknown == ()


def test_a_source_that_does_not_exist_is_marked(index: Index) -> None:
    checked = check_answer("Owls eat gold. [owls.md § Gold] Mice too. [gold.md § Owls]", index)

    assert (
        checked.text
        == f"Owls eat gold. [owls.md § Gold] {UNKNOWN} Mice too. [gold.md § Owls] {UNKNOWN}"
    )
    assert checked.unknown == ("[owls.md § Gold]", "[gold.md § Owls]")


def test_a_claim_without_a_source_is_marked(index: Index) -> None:
    checked = check_answer(
        f"In short:\n\nOwls hunt mice. {OWLS} They also eat gold.\n\nIt is known.", index
    )

    assert checked.text.count(UNSOURCED) == 1
    assert f"They also eat gold. {UNSOURCED}" in checked.text


def test_each_item_of_a_list_needs_its_own_source(index: Index) -> None:
    checked = check_answer(f"Owls:\n- They hunt mice. {OWLS}\n- They live on the moon.", index)

    assert checked.unsourced == 1
    assert checked.text.endswith(f"- They live on the moon. {UNSOURCED}")


def test_code_in_an_answer_claims_nothing(index: Index) -> None:
    answer = (
        f"Owls hunt. {OWLS}\n```\nfor owl in owls: hunt(the, mouse)\n\nnext line of the code\n```"
    )

    assert check_answer(answer, index).text == answer


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.sampled_from("a §[];\n.-`#:") | st.characters(), max_size=80))
def test_checking_only_ever_adds_marks(index: Index, answer: str) -> None:
    checked = check_answer(answer, index).text

    plain = checked.replace(UNKNOWN, "").replace(UNSOURCED, "")
    assert "".join(plain.split()) == "".join(answer.split())


def test_a_report_without_a_result_says_what_there_was(tmp_path: Path, index: Index) -> None:
    outcome = Outcome(
        "Why?\nBecause.", findings=[("searcher", "Owls \x1b[2J hoot.")], problem="It broke."
    )
    about = Circumstances(
        "some folder", "some model", Path("trace.jsonl"), (Skipped("a.pdf", "it is locked"),)
    )

    write_report(tmp_path / "report.md", outcome, index, about)

    report = (tmp_path / "report.md").read_text()
    assert report.startswith("# Why? Because.\n\n**This report is not complete**")
    assert "### searcher\n\n```text\nOwls \\x1b[2J hoot.\n```" in report
    assert "The run had not begun. It broke." in report
    assert "- `a.pdf`: it is locked" in report
    assert "- Trace: `trace.jsonl`" in report


def test_a_quoted_passage_cannot_end_its_block(tmp_path: Path, index: Index) -> None:
    outcome = Outcome("What is code?", findings=[("reader", index.read("code.md")[0].text)])

    write_report(
        tmp_path / "report.md", outcome, index, Circumstances("c", "m", Path("trace.jsonl"))
    )

    assert "``````text\n```\nprint('`````')\n```\n``````" in (tmp_path / "report.md").read_text()
