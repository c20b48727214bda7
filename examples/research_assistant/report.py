"""The report: the answer, its sources, who used how much, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from podium.agent import Budget
from podium.tools import printable
from research_assistant.budget import shown_budget
from research_assistant.citations import CheckedAnswer, check_answer
from research_assistant.documents import Skipped
from research_assistant.index import Index, Passage
from research_assistant.research import Outcome

MAX_QUOTE_CHARS = 1_500
MAX_FOUND = 3
"""Passages shown when nobody has found any."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the answer came from, apart from the run."""

    corpus: str
    model: str
    trace: Path
    skipped: tuple[Skipped, ...] = ()
    budget: Budget | None = None


def write_report(path: Path, outcome: Outcome, index: Index, about: Circumstances) -> CheckedAnswer:
    """Write the report as Markdown, complete or not, and return the checked answer."""
    answer = outcome.result.text if outcome.result is not None else ""
    checked = check_answer(printable(answer.strip()), index)
    path.write_text("\n".join(_lines(outcome, checked, index, about)) + "\n", encoding="utf-8")
    return checked


def _lines(
    outcome: Outcome, checked: CheckedAnswer, index: Index, about: Circumstances
) -> Iterator[str]:
    yield f"# {_one_line(outcome.question)}"
    yield ""
    if not outcome.is_complete:
        yield "**This report is not complete**; see *How it ended*."
        yield ""
    yield checked.text or "No answer was written."
    yield ""
    if not outcome.is_complete:
        yield from _findings(outcome, index)
    yield from _sources(checked)
    yield from _usage(outcome)
    yield "## How it ended"
    yield ""
    yield how_it_ended(outcome)
    yield ""
    yield from _left_out(about)
    yield "## Where it comes from"
    yield ""
    yield f"- Corpus: {about.corpus}"
    yield f"- Model: {printable(about.model)}"
    if about.budget is not None:
        yield f"- Budget: {shown_budget(about.budget)}"
    yield f"- Trace: `{about.trace}`"


def how_it_ended(outcome: Outcome) -> str:
    """Return a paragraph that says why the run ended."""
    said = outcome.result.stop.explain() if outcome.result else "The run had not begun."
    return f"{said} {printable(outcome.problem)}".strip()


def _findings(outcome: Outcome, index: Index) -> Iterator[str]:
    """Yield what the specialists had found, or else what the words of the question find."""
    title, found = "What had been found", outcome.findings
    if not found:
        title = "What a search for the words of the question finds"
        passages = index.search(outcome.question, MAX_FOUND)
        found = [(passage.source, _cut(passage)) for passage in passages]
    if found:
        yield f"## {title}"
        yield ""
    for name, text in found:
        yield f"### {name}"
        yield ""
        yield from _fenced(text)


def _sources(checked: CheckedAnswer) -> Iterator[str]:
    if checked.sources:
        yield "## Sources"
        yield ""
    for passage in checked.sources:
        yield f"### {passage.source}"
        yield ""
        yield f"From {passage.place}:"
        yield ""
        yield from _fenced(_cut(passage))
    if checked.unknown or checked.unsourced:
        yield "## Doubts"
        yield ""
        yield from (f"- {citation} is cited and not in the corpus." for citation in checked.unknown)
        if checked.unsourced:
            yield f"- Pieces of the answer without a source: {checked.unsourced}; they are marked."
        yield ""


def _usage(outcome: Outcome) -> Iterator[str]:
    if outcome.result is not None:
        yield "## Who used how much"
        yield ""
        yield from _fenced(str(outcome.result.usage_tree))


def _left_out(about: Circumstances) -> Iterator[str]:
    if about.skipped:
        yield "## Files that were skipped"
        yield ""
        yield from (f"- `{file.name}`: {printable(file.reason)}" for file in about.skipped)
        yield ""


def _cut(passage: Passage) -> str:
    return (
        passage.text
        if len(passage.text) <= MAX_QUOTE_CHARS
        else f"{passage.text[:MAX_QUOTE_CHARS]} …"
    )


def _fenced(text: str) -> Iterator[str]:
    """Yield a code block; its fence is longer than any in the text, which so cannot end it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text"
    yield printable(text)
    yield fence
    yield ""


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))
