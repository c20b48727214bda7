"""The command line: from a question to a report."""

from __future__ import annotations

import argparse
import asyncio
import io
import re
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from podium.agent import Budget
from podium.orchestration import Coordinator
from podium.tools import printable
from podium.tracing import TracingHandle, setup_tracing
from research_assistant.budget import budget_from, check_price, shown_budget
from research_assistant.corpus import folder_corpus
from research_assistant.documents import Corpus, ResearchError
from research_assistant.index import Index, Update
from research_assistant.live import watching
from research_assistant.models import choose_model
from research_assistant.outside import mcp_tools
from research_assistant.progress import shown
from research_assistant.python_docs import python_corpus
from research_assistant.report import Circumstances, how_it_ended, write_report
from research_assistant.research import Outcome, research
from research_assistant.team import build_team

DEFAULT_QUESTION = (
    "How do nested functions see the variables of an enclosing scope, and what does the with "
    "statement guarantee when an exception is raised?"
)
MAX_NAMED = 5
"""Skipped files named on the screen; the report names them all."""

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the assistant; return the exit code: 0, or 1 no answer, 2 bad input, 130 stopped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # not every terminal has every character
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except ResearchError as problem:
        print(printable(str(problem)), file=sys.stderr)
        return BAD_INPUT
    except (OSError, sqlite3.Error) as error:
        told = f"{str(options.out)!r} cannot be written to ({error}). Name a folder with --out."
        print(printable(told), file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("\nStopped before the question was asked.", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="research_assistant",
        description="Answer a question from your documents, every claim with its source.",
    )
    add = parser.add_argument
    add("words", nargs="*", metavar="QUESTION", help="what you want to know")
    add("-q", "--question", help="the same, as an option")
    add("--corpus", type=Path, help="a folder of documents (default: Python's own reference)")
    add("--out", type=Path, default=Path("out/research"), help="where to write (%(default)s)")
    add("--model", help="the model's name")
    add("--base-url", help="an OpenAI-compatible server, such as http://localhost:8080/v1")
    add("--mcp", action="append", default=[], metavar="COMMAND|URL", help="an MCP server to use")
    add("--concurrency", type=int, default=4, help="specialists at work at once (%(default)s)")
    add("--budget-tokens", metavar="N", help="tokens that all agents may use together")
    add("--budget-usd", metavar="X", help="US dollars that they may cost, at list prices")
    add("--budget-seconds", metavar="S", help="seconds that they may take")
    add("--otlp", metavar="URL", help="send the trace live, to Jaeger at http://localhost:4318")
    add("--stream", action=argparse.BooleanOptionalAction, default=True, help="stream replies")
    add("--rebuild", action="store_true", help="make the index anew")
    return parser


def _run(options: argparse.Namespace) -> int:
    question = _question(options)
    budget = budget_from(options.budget_tokens, options.budget_usd, options.budget_seconds)
    model, about_model = choose_model(options.model, options.base_url, stream=options.stream)
    check_price(budget, model)
    corpus = _corpus(options)
    with _open_index(options) as index, mcp_tools(options.mcp) as outside:
        update = _update(index, corpus)
        _check_matches(index, corpus, question)
        print(f"Model: {printable(about_model)}")
        print(f"Budget: {shown_budget(budget)}\n" if budget else "")
        team = build_team(index, model, concurrency=options.concurrency, outside=outside)
        trace = options.out / "trace.jsonl"
        outcome = _ask(team, question, budget, _tracing(trace, options.otlp))
        about = Circumstances(corpus.title, about_model, trace, update.skipped, budget)
        _show(outcome, index, about, options.out / "report.md")
    if outcome.was_interrupted:
        return INTERRUPTED
    return 0 if outcome.has_answer else FAILED


def _question(options: argparse.Namespace) -> str:
    """Return the question; no question at all is the default one, an empty one is a mistake."""
    if options.question is None and not options.words:
        return DEFAULT_QUESTION
    given = " ".join((options.question or "", *options.words)).strip()
    if not re.search(r"\w", given):
        raise ResearchError(
            f"The question is empty: {given!r}. Write what you want to know after the options."
        )
    return given


def _corpus(options: argparse.Namespace) -> Corpus:
    if options.concurrency < 1:
        raise ResearchError(
            f"--concurrency {options.concurrency} lets nobody work. Give a number from 1."
        )
    if options.corpus is None:
        return python_corpus()
    return folder_corpus(options.corpus, leave_out=options.out)


def _open_index(options: argparse.Namespace) -> Index:
    path = options.out / "index.sqlite"
    if options.rebuild:
        path.unlink(missing_ok=True)
    return Index(path)


def _update(index: Index, corpus: Corpus) -> Update:
    """Bring the index up to date and say what that took."""

    def progress(number: int, total: int, name: str) -> None:
        if sys.stdout.isatty():
            print(
                f"\r\033[KReading {number} of {total}: {printable(name)[:50]}", end="", flush=True
            )

    update = index.update(corpus, progress)
    if update.read and sys.stdout.isatty():
        print("\r\033[K", end="")
    print(
        f"Corpus: {printable(corpus.title)}; {update.read} documents read, "
        f"{update.unchanged} unchanged, {update.removed} removed, {len(update.skipped)} skipped."
    )
    for file in update.skipped[:MAX_NAMED]:
        print(f"  skipped {file.name}: {printable(file.reason)}")
    if len(update.skipped) > MAX_NAMED:
        print(f"  and {len(update.skipped) - MAX_NAMED} more; the report names them.")
    return update


def _check_matches(index: Index, corpus: Corpus, question: str) -> None:
    if not index.documents():
        raise ResearchError(
            f"None of the {len(corpus.documents)} files in {corpus.title} can be read, as said "
            "above. Put documents with text into it."
        )
    if not index.search(question):
        raise ResearchError(
            f"Nothing in {corpus.title} matches {shown(question)!r}. "
            "Ask with words that stand in the documents."
        )


def _tracing(file: Path, endpoint: str | None) -> TracingHandle:
    """Record into the file, and send to a collector where one is named."""
    file.unlink(missing_ok=True)
    try:
        return setup_tracing(file=file, otlp_endpoint=endpoint)
    except (ValueError, ImportError) as error:
        raise ResearchError(f"--otlp: {error}") from error


def _ask(
    team: Coordinator, question: str, budget: Budget | None, tracing: TracingHandle
) -> Outcome:
    """Have the team work on the question; Ctrl-C stops it and keeps what it had."""
    outcome = Outcome(question)
    try:
        with tracing, watching(budget) as watch:
            asyncio.run(research(team, outcome, watch, budget))
    except KeyboardInterrupt:
        outcome.was_interrupted = True
        outcome.problem = "It was stopped with Ctrl-C."
    return outcome


def _show(outcome: Outcome, index: Index, about: Circumstances, path: Path) -> None:
    """Print the answer and write the report."""
    checked = write_report(path, outcome, index, about)
    print(f"\n{checked.text or 'No answer was written.'}\n")
    if outcome.result is not None:
        print(outcome.result.usage_tree)
    print(f"\n{how_it_ended(outcome)}\nReport: {path}\nTrace:  {about.trace}")
    command, file = _podium_command(), shlex.quote(str(about.trace))
    print(f"        Look at it with: {command} trace show {file}")
    print(f"        or in a browser: {command} trace html {file}")
    if outcome.result is not None and outcome.result.trace_id is not None:
        print(f"        Its id, in Jaeger too: {outcome.result.trace_id}")


def _podium_command() -> str:
    """Return how a shell starts `podium` from here: by its path where PATH does not lead to it."""
    beside = Path(sys.executable).with_name("podium")
    if shutil.which("podium") or not beside.exists():
        return "podium"
    here = Path.cwd()
    return shlex.quote(str(beside.relative_to(here) if beside.is_relative_to(here) else beside))
