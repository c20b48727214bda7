"""Each example runs by itself, offline, and prints what its docstring promises.

The promise stands at the end of the docstring, indented below a line that says `Prints:`.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NUMBERED = sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))

every_example = pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)


@every_example
def test_an_example_prints_what_its_docstring_says(
    path: Path, run_python: Callable[..., str]
) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    _, found, promised = docstring.partition("\nPrints:\n")

    printed = run_python(str(path))

    assert found, "end the docstring with 'Prints:' and the output, indented"
    assert printed.strip() == textwrap.dedent(promised).strip()


@every_example
def test_an_example_is_short_and_listed(path: Path) -> None:
    assert path.read_text("utf-8").count("\n") < 60
    assert path.name in (EXAMPLES / "README.md").read_text("utf-8")
