"""`podium trace html`: the page from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_traces import recorded_team
from typer.testing import CliRunner, Result

from podium.tracing import read_trace
from podium.tracing.commands import app
from podium.tracing.page import render_page


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The file of a recorded run."""
    file = tmp_path / "trace.jsonl"
    recorded_team(file)
    return file


def html(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["html", *map(str, arguments)])


def test_the_page_of_a_record_is_written(record: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"

    done = html(record, "-o", page)

    assert done.exit_code == 0
    assert page.read_text("ascii") == render_page(read_trace(record))
    assert f"Wrote 19 spans to {page} (0.1 MB). Open it in a browser." in done.stderr
    assert done.stdout == ""


def test_the_page_is_called_trace_html_unless_told_otherwise(
    record: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    html("trace.jsonl")

    assert (tmp_path / "trace.html").stat().st_size > 50_000


def test_the_record_is_never_overwritten(record: Path) -> None:
    before = record.read_bytes()

    refused = html(record, "-o", record)

    assert refused.exit_code == 1
    assert "is the record itself, which would be lost. Name another file." in refused.stderr
    assert record.read_bytes() == before


def test_a_place_that_cannot_be_written_is_told_in_a_sentence(record: Path, tmp_path: Path) -> None:
    refused = html(record, "-o", tmp_path / "no" / "such" / "folder.html")

    assert refused.exit_code == 1
    assert "cannot be written: No such file or directory." in refused.stderr
    assert "Traceback" not in refused.stderr
