"""Why a run ended, in sentences: from the top down to the limit or the error behind it."""

from __future__ import annotations

from typing import Any

from recorded import NOON, agent, chat, span, team, tool

from podium.tracing import Trace
from podium.tracing.reading import SpanEvent


def test_a_run_that_answered_says_so() -> None:
    assert Trace([agent(1, "a", took=2)]).why() == (
        "'a' ended after 2.00 s: text. The model answered.",
    )


def test_a_run_that_answered_within_its_limit_has_not_run_short() -> None:
    total = "podium__budget__total_tokens"
    numbers: dict[str, Any] = {
        f"{total}__limit": 1_000,
        f"{total}__spent": 600,
        f"{total}__held": 0,
    }

    (said,) = Trace([agent(1, "a", **numbers)]).why()

    assert said.endswith("'a' had used 600 of 1,000 total tokens.")


def test_a_budget_ending_is_followed_to_the_account_and_to_who_spent_it() -> None:
    assert Trace(team()).why() == (
        "'lead' ended after 10.00 s: token_budget_exceeded. The token budget was spent. "
        "'lead' had used 900 of 1,000 total tokens, and 60 were held or kept for the answer. "
        "The rest was too little for another call.",
        "Of the tokens of 'lead': 'lead/facts#2' used 530 (59%), 'lead/facts' used 250 (28%), "
        "'lead' used 120 (13%).",
        "The same ended 'lead/facts#2'.",
    )


def test_a_limit_of_somebody_else_is_followed_to_its_owner() -> None:
    inner = agent(2, "a/b", below=1, reason="cost_budget_exceeded", podium__stop__by="a")
    owner = {"podium__budget__cost_usd__limit": 0.5}
    top = agent(1, "a", reason="max_agent_steps", podium__stop__by="a/b", **owner)

    said = Trace([top, inner]).why()

    assert said == (
        "'a' ended after 1.00 s: max_agent_steps. The step limit was reached before the model "
        "answered. 'a/b' had used an unknown part of 0.5 US dollars.",
        "The limit is that of 'a/b'.",
        "'a/b' ended after 1.00 s: cost_budget_exceeded. The cost budget was spent.",
        "The limit is that of 'a'.",
    )


def test_an_owner_outside_the_trace_is_named() -> None:
    said = Trace([agent(1, "a", reason="cancelled", podium__stop__by="app")]).why()

    assert said[1] == "The limit is that of 'app', whose run is not in this trace."


def test_a_limit_in_another_unit_is_shown_as_it_was_recorded() -> None:
    limit = {"podium__budget__seconds__limit": "PT5S", "podium__budget__seconds__spent": 5.25}

    said = Trace([agent(1, "a", reason="time_budget_exceeded", **limit)]).why()

    assert said[0].endswith("The time was over. 'a' had used 5.25 of PT5S seconds.")


def test_a_failed_run_says_what_failed_first() -> None:
    told = SpanEvent(
        name="exception",
        time_ns=NOON,
        attributes={"exception.type": "OSError", "exception.message": "disk full"},
    )
    trace = Trace(
        [
            agent(1, "a", reason=None, status="error", error__type="ToolError"),
            tool(2, "save", below=1, status="error", events=(told,)),
            span(3, "elsewhere", status="error"),
        ]
    )

    assert trace.why() == (
        "'a' failed after 1.00 s: ToolError.",
        "'execute_tool save' in 'a' failed: OSError: disk full.",
        "'elsewhere' failed: an error without a name.",
    )


def test_a_run_without_a_reason_or_an_end_is_told_as_such() -> None:
    trace = Trace([agent(1, "a", reason=None), agent(2, "b", reason=None, took=None)])

    assert trace.why() == (
        "'a' ended after 1.00 s; its record gives no reason.",
        "'b' has no end in this record: it was still running, or was killed.",
    )


def test_agents_that_ended_alike_are_told_together() -> None:
    alike = [agent(n, f"a/x#{n}", below=1, reason="length") for n in range(2, 10)]
    lone = agent(10, "a/y", below=1, reason="refusal", took=2)

    assert Trace([agent(1, "a"), *alike, lone]).why()[1:] == (
        "'a/x#2' ended after 1.00 s: length. The model's answer was cut by its output limit.",
        "The same ended 'a/x#3', 'a/x#4', 'a/x#5', 'a/x#6', 'a/x#7' and 2 more.",
        "'a/y' ended after 2.00 s: refusal. The model refused to answer.",
    )


def test_many_of_a_kind_are_told_by_their_number() -> None:
    agents = [agent(n, f"a/x#{n}", below=1, reason=f"hook {n}") for n in range(2, 10)]
    errors = [tool(n, "t", below=1, status="error") for n in range(10, 18)]

    said = Trace([agent(1, "a"), *agents, *errors, chat(18, below=1, used=(1, 1))]).why()

    assert said[6] == "Further agents ended for 3 other reasons."
    assert said[-1] == "3 further errors."
