"""The loop's contract is the table in agent/README.md: each row names a test that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "agent" / "README.md"
TESTS = Path(__file__).with_name("test_loop.py")


def rows() -> list[list[str]]:
    """Return the cells of each row: scenario, hooks called, exit reason, test."""
    _, _, rest = README.read_text("utf-8").partition("\n## The loop\n")
    section, _, _ = rest.partition("\n## ")
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def written_tests() -> set[str]:
    tree = ast.parse(TESTS.read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef)}


@pytest.mark.parametrize("row", [pytest.param(row, id=row[0]) for row in rows()])
def test_a_row_names_its_test(row: list[str]) -> None:
    named = re.findall(r"`(test_\w+)`", row[3])

    assert len(named) == 1
    assert named[0] in written_tests()


def test_no_two_rows_name_the_same_test() -> None:
    named = [row[3] for row in rows()]

    assert len(named) >= 13
    assert len(set(named)) == len(named)
