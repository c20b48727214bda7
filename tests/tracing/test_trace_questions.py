"""Asking a trace: who spent what, who called whom, what it waited for, what differs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from recorded import NOON, SECOND, agent, chat, span, team, tool

from podium.tracing import Trace, Usage
from podium.tracing.reading import By, SpanEvent, TraceSpan


def tokens(trace: Trace, by: By) -> dict[str, int]:
    return {name: used.total_tokens for name, used in trace.usage_by(by).items()}


def test_agents_make_a_usage_tree_whose_own_figures_sum_to_the_total() -> None:
    (tree,) = Trace(team()).usage_trees()

    assert [(node.path, node.own.total_tokens) for node in tree.walk()] == [
        ("lead", 120),
        ("lead/facts", 250),
        ("lead/facts#2", 530),
    ]
    assert tree.total.total_tokens == 900
    assert (tree.own.tool_calls, tree.exit_reason) == (2, "token_budget_exceeded")
    assert (tree.wall_seconds, tree.model_seconds, tree.tool_seconds) == (10, 2, 7)
    assert [(call.model, call.count) for call in tree.calls] == [("m", 1)]


@pytest.mark.parametrize(
    ("by", "used"),
    [
        ("path", {"lead": 120, "lead/facts": 250, "lead/facts#2": 530}),
        ("model", {"m": 900}),
        ("tool", {"(no tool)": 120, "facts": 780}),
    ],
)
def test_each_token_has_one_owner_however_it_is_asked(by: By, used: dict[str, int]) -> None:
    assert tokens(Trace(team()), by) == used


def test_agents_repeat_what_their_calls_used_and_that_counts_once() -> None:
    told: dict[str, Any] = {"gen_ai__usage__input_tokens": 100, "gen_ai__usage__output_tokens": 20}
    trace = Trace([agent(1, "a", **told), chat(2, below=1, used=(100, 20))])

    assert tokens(trace, "path") == {"a": 120}


def test_an_agent_without_recorded_calls_owns_what_it_says_it_used() -> None:
    told: dict[str, Any] = {"gen_ai__usage__input_tokens": 7, "gen_ai__usage__output_tokens": 1}
    calls = chat(3, below=2, used=(5, 5))
    trace = Trace([agent(1, "a", **told), agent(2, "a/b", below=1), calls])

    assert tokens(trace, "path") == {"a": 8, "a/b": 10}


FOREIGN: dict[str, Any] = {
    "gen_ai__operation__name": "invoke_agent",
    "gen_ai__usage__input_tokens": 100,
}


def test_a_foreign_agents_figure_includes_what_is_below_and_counts_only_without_it() -> None:
    outer = span(1, "outer", gen_ai__agent__name="outer", **FOREIGN)
    inner = span(2, "inner", below=1, gen_ai__agent__name="inner", **FOREIGN)

    assert tokens(Trace([outer, inner]), "path") == {"outer": 100, "outer/inner": 0}
    assert tokens(Trace([outer, inner, chat(3, below=2, used=(60, 0))]), "path") == {
        "outer": 0,
        "outer/inner": 60,
    }


def test_a_call_recorded_by_two_libraries_counts_once() -> None:
    inner = chat(3, below=2, used=(5, 1))
    told, silent = chat(2, below=1, used=(5, 1)), span(2, "chat m", below=1)

    assert tokens(Trace([agent(1, "a"), told, inner]), "path") == {"a": 6}
    assert tokens(Trace([agent(1, "a"), silent, inner]), "path") == {"a": 6}


def test_calls_outside_any_agent_are_not_lost() -> None:
    trace = Trace([chat(1, below=None, used=(1, 1)), chat(2, below=None, used=(2, 2))])

    assert tokens(trace, "path") == {"(no agent)": 6}
    assert trace.usage_trees() == ()


def test_an_agents_own_cost_is_its_total_without_those_below() -> None:
    trace = Trace(
        [
            agent(1, "a", podium__cost__total_usd=0.75),
            chat(2, below=1, used=(1, 1)),
            agent(3, "a/b", below=1, podium__cost__total_usd=0.5),
            chat(4, below=3, used=(1, 1), podium__cost__total_usd=0.5),
        ]
    )

    assert {path: used.cost for path, used in trace.usage_by("path").items()} == {
        "a": Decimal("0.25"),
        "a/b": Decimal("0.5"),
    }
    assert trace.usage_trees()[0].cost == Decimal("0.75")


def test_a_cost_that_is_unknown_below_is_unknown_above() -> None:
    trace = Trace(
        [
            agent(1, "a", podium__cost__total_usd=0.75),
            chat(2, below=1, used=(1, 1)),
            agent(3, "a/b", below=1),
            chat(4, below=3, used=(1, 1)),
        ]
    )

    assert trace.usage_trees()[0].cost is None


def test_agents_of_other_producers_get_paths_made_of_their_names() -> None:
    def foreign(number: int, name: str, below: int | None) -> TraceSpan:
        return span(number, "run", below=below, openinference__span__kind="AGENT", agent__name=name)

    trace = Trace([foreign(1, "a/b", None), foreign(2, "c", 1), foreign(3, "c", 1)])

    assert list(trace.agent_paths.values()) == ["a_b", "a_b/c", "a_b/c#2"]


def test_a_span_stands_in_the_nearest_agents_run() -> None:
    trace = Trace([*team(), span(20, "request", start=-5)])

    assert trace.agent_path(trace.span(f"{8:016x}")) == "lead/facts#2"
    assert trace.agent_path(trace.span(f"{6:016x}")) == "lead"
    assert trace.agent_path(trace.span(f"{20:016x}")) is None


def test_the_delegation_graph_says_who_called_whom_and_how_often() -> None:
    failing = agent(9, "lead/facts#3", below=1, start=9, status="error", reason=None)
    graph = Trace([*team(), failing]).delegations()

    assert {name: facts["runs"] for name, facts in graph.nodes(data=True)} == {
        "lead": 1,
        "facts": 3,
    }
    assert list(graph.edges(data=True)) == [
        ("lead", "facts", {"calls": 3, "errors": 1, "seconds": 8.0})
    ]


def test_the_span_graph_has_an_edge_to_each_span_below() -> None:
    trace = Trace(team())

    graph = trace.graph()

    assert graph.number_of_edges() == 7
    assert graph.nodes[trace.spans[0].span_id]["span"] is trace.spans[0]


def test_the_critical_path_follows_what_the_end_waited_for() -> None:
    trace = Trace(
        [
            span(1, "root", took=10),
            span(2, "short", below=1, start=1, took=3),
            span(3, "long", below=1, start=1, took=7),
            span(4, "inside", below=3, start=2, took=2),
            span(5, "detached", below=1, start=9, took=5),
        ]
    )

    pieces = trace.critical_path()

    assert [(piece.span.name, piece.duration_ns // SECOND) for piece in pieces] == [
        ("root", 1),
        ("long", 1),
        ("inside", 2),
        ("long", 4),
        ("root", 1),
        ("detached", 1),
    ]
    assert pieces[0].start_ns == NOON


def test_the_critical_path_of_one_span_stays_within_it() -> None:
    trace = Trace(team())

    pieces = trace.critical_path(trace.span(f"{3:016x}"))

    assert [piece.span.name for piece in pieces] == ["chat m", "invoke_agent facts"]


def test_waits_are_told_by_events() -> None:
    waited = SpanEvent(
        name="podium.budget.wait",
        time_ns=NOON,
        attributes={"podium.budget.waited_seconds": 1.5},
    )
    retried = SpanEvent(
        name="podium.retry", time_ns=NOON, attributes={"podium.retry.delay_seconds": 0.25}
    )
    other = SpanEvent(name="podium.fallback", time_ns=NOON)
    trace = Trace(
        [
            agent(1, "a", events=(waited,)),
            chat(2, below=1, used=(1, 1), events=(retried, other)),
        ]
    )

    assert [(wait.what, wait.seconds) for wait in trace.waits()] == [
        ("podium.budget.wait", 1.5),
        ("podium.retry", 0.25),
    ]
    assert trace.usage_trees()[0].wait_seconds == 1.75


def test_errors_are_those_that_nothing_below_explains() -> None:
    trace = Trace(
        [
            agent(1, "a", status="error"),
            tool(2, "t", below=1, status="error"),
            tool(3, "t", below=1),
        ]
    )

    assert [each.name for each in trace.errors()] == ["execute_tool t"]


def test_a_trace_differs_from_itself_in_nothing() -> None:
    trace = Trace([*team(), span(9, "hook before_llm guard", below=1), span(10, "request")])

    assert all(change.is_same for change in trace.diff(trace))


def test_a_diff_tells_what_came_went_and_changed() -> None:
    before = Trace(team())
    after = Trace([*team()[:5], tool(9, "search", below=1, status="error", start=3)])

    changes = {(each.by, each.name): each for each in before.diff(after) if not each.is_same}

    assert list(changes) == [
        ("path", "lead/facts#2"),
        ("model", "m"),
        ("tool", "facts"),
        ("tool", "search"),
    ]
    gone, came = changes["path", "lead/facts#2"], changes["tool", "search"]
    assert gone.before is not None
    assert gone.before.endings == {"token_budget_exceeded": 1}
    assert (gone.after, came.before) == (None, None)
    assert came.after is not None
    assert (came.after.calls, came.after.errors, came.after.usage) == (1, 1, Usage())
