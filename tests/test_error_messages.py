"""Error messages say what, why and mend: each raise of ours is read and judged.

A mend is recognised by its verb. A new one is welcome in the list below.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("tracing", "tools", "agent", "orchestration")
MIN_CHARACTERS, MAX_CHARACTERS = 40, 300
VALUE = "<value>"
"""Stands for what a placeholder will show."""

SHOWN = re.compile(r"<value>|['=_]|\(\)")
"""A value, or a name or value written out, as in `file=None`."""

VERBS = """
    Add Allow Annotate Answer Ask Await Call Change Check Choose Close Configure Connect Copy
    Correct Count Declare Define Drop End Finish Fix Flatten Give Go Import Install Join Keep
    Leave Let List Look Loop Lower Make Mark Move Name Open Pass Pick Point Print Put Raise Read
    Register Remove Rename Repeat Replace Return Run Say See Send Set Shorten Slice Split Start Stop
    Take Try Turn Use Wait Work Wrap Write
"""
MEND = re.compile(
    rf"(?:^|[.:;?>)] |<value>)(?:{'|'.join(VERBS.split())})\b"
    rf"|[:;] (?:{'|'.join(VERBS.lower().split())})\b"
)
"""An order that the reader can carry out, at the start of a sentence."""

SPOKEN_BY_PYTHON = {"AttributeError", "StopIteration", "StopAsyncIteration", "NotImplementedError"}
"""Raised for the interpreter, which expects its own wording."""


def raises() -> Iterator[tuple[str, str]]:
    """Yield the place and the message of each raise whose message is written where it stands."""
    for part in PARTS:
        for path in sorted((ROOT / part / "podium").rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    if name_of(node.exc.func) in SPOKEN_BY_PYTHON or not node.exc.args:
                        continue
                    message = written(node.exc.args[0])
                    # What starts with a small letter is a piece that another message takes in.
                    if message != VALUE and (message[:1].isupper() or message[:1] in "<'"):
                        yield f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", message


def name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def written(message: ast.expr) -> str:
    """Return a message as its source shows it, with a mark for each value put into it."""
    match message:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(written(part) for part in parts)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return written(left) + written(right)
        case _:
            return VALUE


@pytest.mark.parametrize(
    ("place", "message"), [pytest.param(*each, id=each[0]) for each in raises()]
)
def test_a_message_says_what_with_a_value_and_what_to_do(place: str, message: str) -> None:
    assert SHOWN.search(message), f"show the value that was wrong: {message}"
    assert MIN_CHARACTERS <= len(message) <= MAX_CHARACTERS, message
    assert MEND.search(message) or message.rstrip(".").endswith(VALUE), (
        f"say what to do about it: {message}"
    )
