"""Reading a file of cases: one JSON object a line, with id, kind, check, input and expect."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENVIRONMENT = "PODIUM_CASES"
"""Names another file of the same form."""

_NEAR = Path(__file__).parents[4] / "shared" / "cases" / "open.jsonl"

CORE_KINDS = ("stream", "agent", "nested", "schema", "history", "template")
"""Kinds whose core cases the engine answers for."""


@dataclass(frozen=True, slots=True)
class Case:
    """One reported fault."""

    id: str
    kind: str
    check: str
    input: dict[str, Any]
    expect: dict[str, Any]


def case_file() -> Path | None:
    """Return the file of cases, or None where there is none."""
    named = os.environ.get(ENVIRONMENT)
    path = Path(named) if named else _NEAR
    return path if path.exists() else None


def core_cases() -> list[Case]:
    """Return the core cases of the engine's kinds; empty where there is no file."""
    path = case_file()
    if path is None:
        return []
    with path.open(encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines if line.strip()]
    return [
        Case(one["id"], one["kind"], one["check"], one["input"], one["expect"])
        for one in found
        if one["check"] == "core" and one["kind"] in CORE_KINDS
    ]
