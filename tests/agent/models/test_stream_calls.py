"""Tool calls put together from fragments: every way in which providers cut and label them."""

from __future__ import annotations

from typing import Any

import pytest

from podium.agent.models._openai.stream_calls import CallAssembler
from podium.agent.streaming import ToolCallDelta

Fragment = dict[str, Any]
TOOLS = frozenset({"look", "list", "get_price", "ping"})


def fragment(name: str | None = None, arguments: object = None, **fields: object) -> Fragment:
    """Return a fragment with the given parts only."""
    function = {"name": name, "arguments": arguments}
    told = {key: value for key, value in function.items() if value is not None}
    return {**fields, "function": told}


def assembled(*chunks: list[Fragment]) -> list[tuple[str, dict[str, Any]]]:
    """Return names and arguments of the calls in these chunks, the same with and without names."""
    found = [
        [(one.tool_name, dict(one.arguments)) for one in collect(chunks, names)]
        for names in (TOOLS, frozenset[str]())
    ]
    assert found[0] == found[1]
    return found[0]


def collect(chunks: Any, names: frozenset[str]) -> Any:
    calls = CallAssembler(names)
    for chunk in chunks:
        calls.add(chunk)
    return calls.finish()


LOOK_A, LOOK_B = ("look", {"at": "a"}), ("look", {"at": "b"})
"""Two calls of the same tool."""
A, B = '{"at":"a"}', '{"at":"b"}'
"""Their arguments."""


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [
                [fragment("look", "", index=0, id="1")],
                [fragment(None, '{"at"', index=0)],
                [fragment("look", "", index=1, id="2")],
                [fragment(None, ':"a"}', index=0)],
                [fragment(None, B, index=1)],
            ],
            id="interleaved",
        ),
        pytest.param(
            [[fragment("look", A, id="1"), fragment("look", B, id="2")]], id="no index, one chunk"
        ),
        pytest.param(
            [[fragment("look", A, id="1")], [fragment("look", B, id="2")]],
            id="no index, two chunks",
        ),
        pytest.param([[fragment("look", A), fragment("look", B)]], id="neither, one chunk"),
        pytest.param([[fragment("look", A)], [fragment("look", B)]], id="neither, two chunks"),
        pytest.param(
            [
                [fragment("look", "")],
                [fragment(None, '{"at":')],
                [fragment(None, '"a"}')],
                [fragment("look", B)],
            ],
            id="neither, in pieces",
        ),
        pytest.param(
            [
                [fragment("look", '{"at":', id="1")],
                [fragment(None, '"a"}', id="1")],
                [fragment("look", B, id="2")],
            ],
            id="no index, id on every piece",
        ),
        pytest.param(
            [[fragment("look", A, index=0)], [fragment("look", B, index=1)]], id="index, no id"
        ),
        pytest.param(
            [[fragment("look", A, index=0, id="1")], [fragment("look", B, index=0, id="2")]],
            id="the same index for all",
        ),
        pytest.param(
            [[fragment("look", A, index=0)], [fragment("look", B, index=0)]],
            id="the same index for all, no id",
        ),
        pytest.param(
            [[fragment("look", A, index=0, id="x")], [fragment("look", B, index=1, id="x")]],
            id="the same id for all",
        ),
        pytest.param(
            [
                [fragment("look", '{"at":', index=3, id="1")],
                [fragment("look", B, index=7, id="2")],
                [fragment(None, '"a"}', index=3)],
            ],
            id="index with gaps",
        ),
        pytest.param(
            [[fragment("look", B, index=1, id="2")], [fragment("look", A, index=0, id="1")]],
            id="second one first",
        ),
        pytest.param(
            [
                [fragment("look", '{"at":', index=0, id="1")],
                [fragment("look", '"a"}', index=0, id="1")],
                [fragment("look", "", index=0, id="1")],
                [fragment("look", B, index=1, id="2")],
                [fragment("look", B, index=1, id="2")],
            ],
            id="name on every piece, arguments twice",
        ),
        pytest.param(
            [
                [fragment("look", '{"a', index=0, id="1")],
                [fragment(None, '{"at":"', index=0)],
                [fragment(None, A, index=0)],
                [fragment("look", {"at": "b"}, index=1, id="2")],
            ],
            id="all so far on every piece; an object",
        ),
        pytest.param(
            [
                [fragment("look", '{"at":', index=0, id="1")],
                [fragment(None, '"a"}', index=0)],
                [fragment(None, A, index=0)],
                [fragment("look", "{}", index=1, id="2")],
                [fragment(None, B, index=1)],
            ],
            id="all again at the end; an empty object at the start",
        ),
        pytest.param(
            [
                [fragment("look", '{"at":', index=0, id="1")],
                [fragment(None, '"a"}', index=1)],
                [fragment("look", '{"at":', index=2, id="2")],
                [fragment("look", '"b"}', index=3, id="2")],
            ],
            id="the index counts chunks",
        ),
        pytest.param(
            [
                [fragment("look", '{"at":', index=0, id="1")],
                [fragment("look", '"a"}', index=0, id="1-2")],
                [fragment("look", B, index=1, id="2")],
            ],
            id="a new id on every piece",
        ),
        pytest.param(
            [
                [{"index": 0, "id": "1", "name": "look", "arguments": A}],
                [{"index": 1, "id": "2", "name": "look", "arguments": B}],
            ],
            id="no function around it",
        ),
        pytest.param(
            [
                [fragment("look", A, index="0", id="1"), None],
                [fragment("look", B, index="1", id="2"), "odd"],
            ],
            id="index as text, odd entries",
        ),
    ],
)
def test_threat_40_two_calls_are_two_calls_however_they_are_labelled(
    chunks: list[list[Fragment]],
) -> None:
    assert assembled(*chunks) == [LOOK_A, LOOK_B]


@pytest.mark.parametrize(
    "chunks",
    [
        [[fragment("get_", index=0)], [fragment("price", index=0)], [fragment(None, A, index=0)]],
        [[fragment("get_", id="1")], [fragment("price")], [fragment(None, A)]],
        [
            [fragment("get", index=0)],
            [fragment("get_price", index=0)],
            [fragment(None, A, index=0)],
        ],
        [[fragment("get_price", index=0)], [fragment("get_price", A, index=0)]],
    ],
)
def test_a_name_may_come_in_pieces_or_again(chunks: list[list[Fragment]]) -> None:
    assert assembled(*chunks) == [("get_price", {"at": "a"})]


def test_known_names_settle_what_pieces_leave_open() -> None:
    chunks = [[fragment("re", index=0)], [fragment("re", index=0)], [fragment("ad", index=0)]]

    assert collect(chunks, frozenset({"reread"}))[0].tool_name == "reread"
    assert collect(chunks, frozenset({"read"}))[0].tool_name == "read"


def test_two_calls_without_arguments_are_two_when_the_tool_is_known() -> None:
    calls = collect([[fragment("ping")], [fragment("ping")]], TOOLS)

    assert [call.tool_name for call in calls] == ["ping", "ping"]


def test_a_name_may_come_after_the_arguments() -> None:
    chunks = [[fragment(None, '{"at":', index=0)], [fragment("look", '"a"}', index=0, id="1")]]

    assert assembled(*chunks) == [LOOK_A]


def test_another_name_after_whole_arguments_is_another_call() -> None:
    chunks = [[fragment("look", A, index=0)], [fragment("ping", "", index=0)]]

    assert assembled(*chunks) == [LOOK_A, ("ping", {})]


def test_a_call_that_never_got_a_name_nor_arguments_is_none() -> None:
    assert assembled([{"index": 0}, fragment("look", A, index=1, id="1")]) == [LOOK_A]


def test_a_call_without_a_name_keeps_its_arguments_for_the_answer() -> None:
    assert assembled([fragment(None, A, index=0)]) == [("unnamed_tool", {"at": "a"})]


def test_arguments_that_stay_incomplete_leave_the_call_with_a_problem() -> None:
    calls = collect(
        [[fragment("look", '{"at":', index=0)], [fragment(None, '{"b":1}', index=0)]], TOOLS
    )

    assert calls[0].arguments == {}
    assert "not valid JSON" in calls[0].problem


def test_a_character_cut_in_two_is_whole_again() -> None:
    pieces = ['{"at":"\\ud83c', '\\udf78"}'], ['{"at":"\ud83c', '\udf78"}']

    for_escaped, for_raw = (
        collect([[fragment("look", one, index=0)] for one in piece], TOOLS) for piece in pieces
    )

    assert for_escaped[0].arguments == for_raw[0].arguments == {"at": "🍸"}


def test_what_a_provider_adds_to_a_call_is_kept() -> None:
    calls = collect(
        [[fragment("look", A, index=0, extra_content={"s": 1}, type="function")]], TOOLS
    )

    assert calls[0].extra == {"extra_content": {"s": 1}}


def test_deltas_say_what_each_chunk_adds() -> None:
    calls = CallAssembler(TOOLS)

    deltas = [
        calls.add([fragment("look", "", index=0, id="1"), fragment("ping", "{}", index=1, id="2")]),
        calls.add([fragment(None, A, index=0)]),
        calls.add([fragment(None, "", index=0)]),
    ]

    assert deltas == [
        [ToolCallDelta(0, "look", None, "1"), ToolCallDelta(1, "ping", "{}", "2")],
        [ToolCallDelta(0, None, A)],
        [],
    ]
