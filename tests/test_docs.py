"""Every Python block in the READMEs runs, and prints what its `#>` lines say.

`pytest tests/test_docs.py --update-examples` writes the lines anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples

ROOT = Path(__file__).parents[1]
READMES = [
    ROOT / "README.md",
    *(ROOT / part / "README.md" for part in ("tracing", "tools", "agent", "orchestration")),
    ROOT / "examples" / "README.md",
]


def blocks() -> list[CodeExample]:
    present = [str(path) for path in READMES if path.exists()]
    return [each for each in find_examples(*present) if each.prefix == "python"]


def problem_of(block: CodeExample, runner: EvalExample) -> str | None:
    """Run a block; return the error it raises, if any. Wrong output fails the test at once."""
    run = runner.run_print_update if runner.update_examples else runner.run_print_check
    try:
        run(block)
    except Exception as error:  # its traceback is rewritten in a way that pytest cannot print
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("block", blocks(), ids=str)
def test_a_block_runs_and_prints_what_it_says(
    block: CodeExample,
    eval_example: EvalExample,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # blocks may write files
    eval_example.set_config(line_length=100)

    assert problem_of(block, eval_example) is None
