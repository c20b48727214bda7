"""Laws of the page that hold for any trace at all."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from page_traces import made_event

from podium.tracing import Trace
from podium.tracing.page import render_page
from podium.tracing.reading import TraceSpan

texts = st.text(st.characters(codec=None), max_size=20)
"""Lone surrogates, control characters and all."""
numbers = st.integers() | st.floats() | st.sampled_from([2**63, 10**400, -(10**30)])
values = st.recursive(
    texts | numbers | st.booleans() | st.none() | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=5,
)
names = texts | st.sampled_from(["invoke_agent a", "chat m", "execute_tool t", "hook x y"])
keys = texts | st.sampled_from(
    [
        "gen_ai.operation.name",
        "gen_ai.agent.name",
        "gen_ai.usage.input_tokens",
        "podium.agent.path",
        "podium.stop.reason",
        "podium.stop.by",
        "podium.budget.total_tokens.limit",
        "podium.budget.total_tokens.spent",
        "podium.cost.total_usd",
        "podium.step",
        "error.type",
    ]
)
times = st.integers(0, 2**64) | st.none()


@st.composite
def spans(draw: st.DrawFn) -> list[TraceSpan]:
    size = draw(st.integers(0, 6))
    return [
        TraceSpan(
            trace_id="ab" * 16,
            span_id=f"{number:016x}",
            parent_id=draw(st.none() | st.integers(0, size).map(lambda each: f"{each:016x}")),
            name=draw(names),
            start_ns=draw(st.integers(0, 2**64)),
            end_ns=draw(times),
            status=draw(st.sampled_from(["unset", "ok", "error"])),
            status_message=draw(texts),
            attributes=draw(st.dictionaries(keys, values, max_size=4)),
            events=(made_event(draw(texts), 1, draw(st.dictionaries(texts, values, max_size=2))),),
        )
        for number in range(size)
    ]


@settings(deadline=None)
@given(spans())
def test_any_trace_has_a_page_of_sound_data(made: list[TraceSpan]) -> None:
    trace = Trace(made)

    page = render_page(trace)

    data = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    parents = data["spans"]["parent"]
    assert page.isascii() and page.count("</script>") == 2
    assert len(parents) == len(trace.spans)
    assert all(parent < place for place, parent in enumerate(parents))
    assert all(0 <= each < len(data["values"]) for each in data["spans"]["label"])
    assert len(data["agents"]) == data["totals"]["agents"]
