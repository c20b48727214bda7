"""Holding what came of a case against what it expects: a check returns what is wrong or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from case_runner import expect_messages, expect_run, expect_schema
from case_runner.run import Outcome
from podium.agent import Agent
from podium.agent.testing import ScriptedChatGenerator

CHECKS: dict[str, Callable[[Outcome, Any], Iterator[str]]] = {
    **expect_run.CHECKS,
    **expect_messages.CHECKS,
    **expect_schema.CHECKS,
}


def faults(outcome: Outcome, expect: Mapping[str, Any]) -> list[str]:
    """Return everything in which the outcome is not what was expected; empty when all is well."""
    found: list[str] = []
    for key, wanted in _with_order(expect).items():
        if key == "any_of":
            tries = [faults(outcome, one) for one in wanted]
            if all(tries):
                found.append(f"none of any_of: {tries}")
        elif key in CHECKS:
            found.extend(f"{key}: {fault}" for fault in CHECKS[key](outcome, wanted))
        else:
            found.append(f"the runner does not know the key {key!r}")
    return found


def _with_order(expect: Mapping[str, Any]) -> Mapping[str, Any]:
    """`executed_order` says that `executed` is meant in order; make that one key."""
    if not expect.get("executed_order"):
        return expect
    rest = {key: value for key, value in expect.items() if not key.startswith("executed")}
    return {**rest, "executed_in_order": expect["executed"]}


def template_faults(sources: Sequence[str], expect: Mapping[str, Any]) -> list[str]:
    """Hold each of several templates, as a system prompt, against the same expectation."""

    found: list[str] = []
    for source in sources:
        outcome, started = Outcome(phase="run"), time.monotonic()
        try:
            agent = Agent(chat_generator=ScriptedChatGenerator(["done"]), system_prompt=source)
            outcome.result = agent.run("go")
        except Exception as error:
            outcome.error = error
        outcome.seconds = time.monotonic() - started
        found.extend(f"{source!r}: {fault}" for fault in faults(outcome, expect))
    return found
