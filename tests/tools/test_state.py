"""The state of a run: read as copies, written by merging, closed when its owner is gone."""

from __future__ import annotations

import threading
from typing import Any, Optional, Union

import pytest

from podium.tools import State, StateError, merge_lists, replace_values
from podium.tools._state import check_state_schema, handler_of


def test_get_returns_copies_and_data_is_live() -> None:
    state = State({"found": {"type": list}}, {"found": [[1]]})

    state.get("found")[0].append(2)
    state.data["found"].append([3])

    assert state.get("found") == [[1], [3]]
    assert (state.get("other", "none"), state.has("found"), state.has("other")) == (
        *("none", True, False),
    )


def test_what_cannot_be_copied_is_shared() -> None:
    lock = threading.Lock()

    assert State({"lock": {"type": object}}, {"lock": lock}).get("lock") is lock


def test_set_merges_by_the_handler_of_the_key_or_the_one_given() -> None:
    state = State({"found": {"type": list[str]}, "last": {"type": str}})

    state.set("found", ["a"])
    state.set("found", "b")
    state.set("last", "x")
    state.set("last", "y")
    state.set("found", ["c"], handler_override=lambda current, new: [*new, *current])

    assert state.data == {"found": ["c", "a", "b"], "last": "y"}


def test_an_unknown_key_is_refused_with_the_nearest() -> None:
    with pytest.raises(StateError, match=r"no key 'foud'\. Did you mean 'found'"):
        State({"found": {"type": list}}).set("foud", 1)
    with pytest.raises(StateError, match=r"no key 'x'\. There are none\. Declare it"):
        State({}, {"x": 1})


def test_a_closed_handle_refuses_writes_and_leaves_the_others_open() -> None:
    state = State({"last": {"type": str}})
    handle = state.view()

    handle.set("last", "in time")
    handle.close()
    state.set("last", "still open")

    with pytest.raises(StateError, match="'last' was set after its run had ended"):
        handle.set("last", "late")
    assert handle.get("last") == "still open"


@pytest.mark.parametrize(
    ("entry", "handler"),
    [
        ({"type": list}, merge_lists),
        ({"type": list[int]}, merge_lists),
        ({"type": list, "handler": replace_values}, replace_values),
        ({"type": dict}, replace_values),
    ],
)
def test_each_type_has_its_way_of_merging(entry: dict[str, Any], handler: object) -> None:
    assert handler_of(entry) is handler


def test_nothing_counts_as_an_empty_list() -> None:
    assert merge_lists(None, [1]) == [1]
    assert merge_lists([1], None) == [1]


USABLE: list[dict[str, Any]] = [
    {"a": {"type": str}},
    {"a": {"type": list[str]}},
    {"a": {"type": str | None}},
    {"a": {"type": Optional[str]}},  # noqa: UP045
    {"a": {"type": Any, "handler": max}},
]


@pytest.mark.parametrize("schema", USABLE)
def test_a_schema_of_types_is_usable(schema: dict[str, Any]) -> None:
    check_state_schema(schema)


UNUSABLE: list[tuple[dict[str, Any], str]] = [
    ({"a": {}}, "'a' has no type: {}. Write it as"),
    ({"a": str}, "'a' has no type: .*str.*. Write it as"),
    ({"a": {"type": "str"}}, "type 'str', which is not a type. Use"),
    ({"a": {"type": Union}}, "Union, which is not a type. Use"),
    ({"a": {"type": str, "handler": 7}}, "handler 7, which cannot be called. Pass"),
]


@pytest.mark.parametrize(("schema", "words"), UNUSABLE)
def test_a_schema_that_no_run_could_use_is_refused(schema: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_state_schema(schema)
