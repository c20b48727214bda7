"""The usage tree: every token has one owner, and the root has them all."""

from __future__ import annotations

import threading
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.tracing import CallUsage, Usage, UsageTree
from podium.tracing._usage_tree import UsageMeter

RAW = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 8}}

TABLE = """\
agent         own tokens  total tokens  calls  tools  wall s  model s  tool s  cost  end
coordinator          120           360      1      2    5.00     1.50    4.00     -  text
  research           120           120      1      1    1.00     0.50    0.25     -  text
  research#2         120           120      1      0    1.00     0.50    0.00     -  budget
total                360           360      3      3    5.00     2.50    4.25     -  text"""


def family(*, with_report: bool = True) -> UsageMeter:
    """A coordinator with two specialists, each meter ticking a second at every look."""
    clock = count().__next__
    root = UsageMeter("coordinator", "coordinator", clock=clock)
    root.record_call(RAW, model="large", purpose="loop", seconds=1.5)
    first = UsageMeter("coordinator/research", "research", root, clock=clock)
    first.record_call(RAW if with_report else None, model="small", purpose="loop", seconds=0.5)
    first.record_tool(0.25)
    first.close("text")
    second = UsageMeter("coordinator/research#2", "research", root, clock=clock)
    second.record_call(RAW, model="small", purpose="loop", seconds=0.5)
    second.close("budget")
    root.record_tool(2.0)
    root.record_tool(2.0)
    root.add_wait(0.75)
    root.close("text")
    return root


def test_a_run_knows_its_own_usage_and_the_total_below_it() -> None:
    tree = family().tree()

    assert (tree.own.total_tokens, tree.total.total_tokens) == (120, 360)
    assert (tree.own.requests, tree.total.requests) == (1, 3)
    assert (tree.own.tool_calls, tree.total.tool_calls) == (2, 3)
    assert tree.cost is None


def test_token_usage_is_the_inclusive_sum_of_the_raw_dicts() -> None:
    root = family()

    assert root.token_usage == {
        "prompt_tokens": 300,
        "completion_tokens": 60,
        "total_tokens": 360,
        "prompt_tokens_details": {"cached_tokens": 24},
    }


def test_token_usage_is_a_copy() -> None:
    root = family()

    root.token_usage["prompt_tokens_details"]["cached_tokens"] = 0

    assert root.token_usage["prompt_tokens_details"] == {"cached_tokens": 24}


def test_calls_are_split_by_model_and_purpose() -> None:
    meter = UsageMeter("agent", "agent")

    meter.record_call(RAW, model="large", purpose="loop")
    meter.record_call(RAW, model="small", purpose="hook")
    meter.record_call(RAW, model="large", purpose="loop")

    one = Usage(input_tokens=100, output_tokens=20, cached_input_tokens=8, requests=1)
    calls = meter.tree().calls
    assert calls == (
        CallUsage(model="large", purpose="loop", usage=one + one),
        CallUsage(model="small", purpose="hook", usage=one),
    )
    assert [call.count for call in calls] == [2, 1]


def test_a_tree_is_walked_from_the_root_and_searched_by_path() -> None:
    tree = family().tree()

    assert [node.path for node in tree.walk()] == [
        "coordinator",
        "coordinator/research",
        "coordinator/research#2",
    ]
    assert tree.find("coordinator/research#2") is tree.children[1]
    assert tree.find("coordinator/nobody") is None


def test_the_total_counts_children_that_still_run() -> None:
    root = UsageMeter("a", "a")
    child = UsageMeter("a/b", "b", root)

    child.record_call(RAW, model="m", purpose="loop")

    assert root.total.total_tokens == 120
    assert root.token_usage == {}
    assert root.tree().exit_reason is None


def test_usage_that_arrives_after_the_end_still_reaches_the_root() -> None:
    root = UsageMeter("a", "a")
    child = UsageMeter("a/b", "b", root)
    grandchild = UsageMeter("a/b/c", "c", child)
    child.close("cancelled")

    grandchild.record_call(RAW, model="m", purpose="loop")
    grandchild.close("cancelled")
    child.record_call(RAW, model="m", purpose="loop")

    assert root.token_usage["total_tokens"] == root.total.total_tokens == 240


def test_closing_twice_counts_once() -> None:
    root = UsageMeter("a", "a")
    child = UsageMeter("a/b", "b", root)
    child.record_call(RAW, model="m", purpose="loop")

    child.close("text")
    child.close("cancelled")

    assert root.token_usage["total_tokens"] == 120
    assert child.tree().exit_reason == "text"


def test_threads_record_without_losing_a_token() -> None:
    root = UsageMeter("a", "a")

    threads = [threading.Thread(target=_record_200, args=(root,)) for _ in range(8)]
    _run_all(threads)

    assert root.total == Usage(
        input_tokens=160_000,
        output_tokens=32_000,
        cached_input_tokens=12_800,
        requests=1_600,
        tool_calls=1_600,
    )
    assert root.token_usage["total_tokens"] == 192_000


def _record_200(root: UsageMeter) -> None:
    child = UsageMeter("a/b", "b", root)
    for _ in range(200):
        child.record_call(RAW, model="m", purpose="loop")
        root.record_tool()
    child.close("text")


def _run_all(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_the_table_indents_by_depth_and_its_total_is_the_roots() -> None:
    table = str(family().tree())

    assert table == TABLE


def test_the_table_says_at_least_where_a_call_reported_nothing() -> None:
    lines = str(family(with_report=False).tree()).splitlines()

    assert lines[1].split()[1:3] == ["120", "240+"]
    assert lines[2].split()[1:3] == ["0+", "0+"]
    assert lines[4].split()[1:3] == ["240+", "240+"]


def test_the_table_shows_no_control_characters() -> None:
    tree = UsageTree(path="a\x1b[2J", name="a", own=Usage())

    assert "\x1b" not in str(tree)


calls = st.lists(
    st.fixed_dictionaries(
        {}, optional={"prompt_tokens": st.integers(0, 99), "completion_tokens": st.integers(0, 99)}
    ),
    max_size=3,
)
families = st.recursive(
    st.tuples(calls, st.just(())),
    lambda inner: st.tuples(calls, st.lists(inner, max_size=3)),
    max_leaves=12,
)


def meter_of(described: Any, parent: UsageMeter | None = None) -> UsageMeter:
    own_calls, children = described
    meter = UsageMeter("a" if parent is None else f"{parent.path}/a", "a", parent)
    for raw in own_calls:
        meter.record_call(raw, model="m", purpose="loop")
        meter.record_tool()
    for child in children:
        meter_of(child, meter)
    meter.close("text")
    return meter


@given(families)
def test_own_usage_sums_to_the_total_of_the_root(described: Any) -> None:
    root = meter_of(described)

    tree = root.tree()
    summed = sum((node.own for node in tree.walk()), Usage())
    by_call = sum((call.usage for node in tree.walk() for call in node.calls), Usage())

    assert summed == tree.total == root.total
    assert by_call.total_tokens == tree.total.total_tokens
    assert root.token_usage.get("total_tokens", 0) == tree.total.total_tokens
