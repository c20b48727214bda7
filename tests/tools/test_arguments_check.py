"""Arguments held to a signature: converted where nothing is lost, else refused with a mend."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.tools import State, Tool, ToolArgumentsError, ToolCall, tool
from podium.tools._schema import FunctionParameters
from podium.tools._signature import EMPTY, Parameter, Signature


class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"


class Address(pydantic.BaseModel):
    street: str
    zip_code: str = "0000"
    floors: list[int] = []


@dataclass
class Parcel:
    to: Address
    weight: float = 1.0


def prepare(made: Tool, **arguments: Any) -> dict[str, Any]:
    return made.prepare(ToolCall(made.name, arguments), State({}))


@tool
def refund(order_id: int, amount: float, note: str = "none") -> str:
    """Refund an order."""
    return f"refunded {amount} on {order_id}, {note}"


@tool
def ship(parcels: list[Parcel], level: Level = Level.LOW, at: Address | None = None) -> None:
    """Ship parcels."""


@tool
def mark(
    items: list[str],
    label: str = "",
    either: str | list[str] = "",
    number: int | list[int] = 0,
    rates: dict[str, float] | None = None,
) -> None:
    """Mark items."""


TAKES = "Send one JSON object with: order_id (integer, required), amount (number, required), "


def refusal_of(made: Tool, **arguments: Any) -> str:
    with pytest.raises(ToolArgumentsError) as caught:
        prepare(made, **arguments)
    assert caught.value.tool_name == made.name
    return str(caught.value)


def test_arguments_become_what_the_annotations_say() -> None:
    arguments = prepare(ship, parcels=[{"to": {"street": "Elm"}, "weight": 2}], level="high")

    assert arguments == {
        "parcels": [Parcel(Address(street="Elm"), 2.0)],
        "level": Level.HIGH,
    }


def test_defaults_are_left_to_the_function() -> None:
    assert prepare(refund, order_id="7", amount=3) == {"order_id": 7, "amount": 3.0}


def test_unreadable_arguments_name_the_tool_the_problem_and_the_parameters() -> None:
    call = ToolCall("refund", problem="the arguments are not valid JSON (why)")

    with pytest.raises(ToolArgumentsError) as caught:
        refund.prepare(call, State({}))

    assert str(caught.value) == (
        f"Tool 'refund' was not run: the arguments are not valid JSON (why). {TAKES}note (string)."
    )


def test_a_tool_without_parameters_says_so() -> None:
    @tool
    def ping() -> str:
        """Say hello."""
        return "pong"

    assert "has no parameter 'a'. Send {}, no arguments at all." in refusal_of(ping, a=1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"order_id": 7}, "'amount' is required."),
        ({"order_id": "x", "amount": 1}, "'order_id' should be a valid integer"),
        ({"order_id": 7.5, "amount": 1}, "(got number 7.5)"),
        ({"order_id": 7, "amount": "Infinity"}, "'amount' should be a finite number"),
        ({"order_id": 7, "amount": "-inf"}, "'amount' should be a finite number"),
        ({"order_id": 7, "amount": float("nan")}, "'amount' should be a finite number"),
        ({"order_id": None, "amount": 1}, "(got null)"),
        ({"order_id": [], "amount": 1}, "(got an array)"),
        ({"order_id": {}, "amount": 1}, "(got an object)"),
        ({"order_id": 7, "amount": 1, "note": True}, "(got true)"),
        ({"order_id": 7, "amount": 10**400}, "(got a huge integer)"),
        ({"order_id": "a\x1b[2J\u202e" + "x" * 99, "amount": 1}, r"'a\x1b[2J\u202exxx"),
        ({"order_id": 7, "amount": 1, "curr\x1b": 1, "b": 2}, r"no parameter 'curr\x1b', 'b'"),
    ],
)
def test_an_error_names_the_parameter_the_rule_and_what_came(
    arguments: dict[str, Any], told: str
) -> None:
    text = refusal_of(refund, **arguments)

    assert told in text
    assert text.startswith("Tool 'refund' was not run: ")
    assert text.endswith(f"{TAKES}note (string).")


def test_long_lists_of_problems_and_names_are_cut() -> None:
    problems = refusal_of(mark, items=[{}] * 9)
    names = refusal_of(mark, items=[], **{f"extra_{number}": 1 for number in range(30)})

    assert "'items.4' should be a valid string (got an object); and 4 more. Send" in problems
    assert "'extra_19' and 10 more." in names


def test_errors_inside_models_carry_the_whole_path() -> None:
    text = refusal_of(ship, parcels=[{"to": {"zip_code": 7}, "weight": "heavy"}])

    assert "'parcels.0.to.street' is required" in text
    assert "'parcels.0.to.zip_code' should be a valid string (got integer 7)" in text
    assert "'parcels.0.weight' should be a valid number" in text


def test_infinity_inside_models_is_refused() -> None:
    inside = refusal_of(ship, parcels=[{"to": {"street": "Elm"}, "weight": "Infinity"}])
    by_name = refusal_of(mark, items=[], rates={"a": "nan"})
    decoded = refusal_of(mark, items=[], rates='{"a": "nan"}')

    assert "'parcels.0.weight' should be a finite number (got number inf)" in inside
    assert "'rates.a' should be a finite number" in by_name
    assert "'rates.a' should be a finite number" in decoded


def test_a_choice_is_told_with_its_members() -> None:
    @tool
    def pick(kind: Literal["a", "b"], top: Annotated[int, pydantic.Field(le=3)] = 1) -> None:
        """Pick."""

    text = refusal_of(pick, kind="c", top=9)

    assert "'kind' should be 'a' or 'b' (got text 'c')" in text
    assert "'top' should be less than or equal to 3 (got integer 9)" in text
    assert text.endswith('kind (one of "a", "b", required), top (integer).')


def test_null_for_what_has_a_default_and_takes_none_is_left_out() -> None:
    assert prepare(refund, order_id=7, amount=1, note=None) == {"order_id": 7, "amount": 1.0}
    assert prepare(ship, parcels=[], level=None, at=None) == {"parcels": [], "at": None}


def test_null_inside_a_model_is_left_out_where_the_model_has_a_default() -> None:
    arguments = prepare(ship, parcels=[], at={"street": "Elm", "zip_code": None, "floors": None})

    assert arguments["at"] == Address(street="Elm")
    assert prepare(ship, parcels=[{"to": {"street": "Elm", "zip_code": None}}]) == {
        "parcels": [Parcel(Address(street="Elm"))]
    }


def test_null_is_not_left_out_where_it_could_mean_something() -> None:
    required = refusal_of(ship, parcels=[], at={"street": None})
    entry = refusal_of(mark, items=[], rates={"a": None})

    assert "'at.street' should be a valid string (got null)" in required
    assert "'rates.a' should be a valid number (got null)" in entry


def test_text_is_decoded_only_where_an_array_or_object_belongs() -> None:
    arguments = prepare(
        mark, items='["a", "b"]', label='["stays"]', either='["stays"]', number="[1, 2]"
    )

    assert arguments == {
        "items": ["a", "b"],
        "label": '["stays"]',
        "either": '["stays"]',
        "number": [1, 2],
    }


def test_text_inside_arrays_and_objects_is_decoded_once() -> None:
    arguments = prepare(ship, parcels=['{"to": {"street": "Elm", "floors": [1]}}'])
    twice = refusal_of(ship, parcels=[{"to": '"{\\"street\\": 1}"'}])

    assert arguments["parcels"] == [Parcel(Address(street="Elm", floors=[1]))]
    assert "'parcels.0.to' should be an object (got text" in twice


@pytest.mark.parametrize("text", ["[1", "7", "", '{"a": 1, "a": 2}', "[" * 99 + "]" * 99])
def test_text_that_holds_no_usable_array_stays_an_error(text: str) -> None:
    assert "'items' should be an array (got text" in refusal_of(mark, items=text)


def test_of_several_forms_the_one_that_the_text_holds_is_taken() -> None:
    @tool
    def draw(shape: list[int] | dict[str, int], points: list[int] | list[str]) -> None:
        """Draw."""

    text = refusal_of(draw, shape="round", points="many")

    assert prepare(draw, shape='{"x": "1"}', points='["a"]') == {
        "shape": {"x": 1},
        "points": ["a"],
    }
    assert "'shape' should be an array (got text 'round'); 'shape' should be an object" in text
    assert text.count("'points' should be an array (got text 'many')") == 1


def test_what_is_still_wrong_after_decoding_is_told() -> None:
    assert "'items.0' should be a valid string (got integer 1)" in refusal_of(mark, items="[1]")


def test_names_that_mean_something_to_python_or_pydantic_are_plain_names() -> None:
    @tool
    def odd(
        *,
        self: str,
        copy: int,
        json: str,
        schema: str,
        model_config: str,
        items: list[str],
        _private: int = 0,
    ) -> list[object]:
        """Have odd names."""
        return [self, copy, json, schema, model_config, items, _private]

    result = odd.invoke(
        self="s", copy="3", json="j", schema="c", model_config="m", items=["i"], _private="1"
    )

    assert result == ["s", 3, "j", "c", "m", ["i"], 1]


def test_a_validator_of_the_users_own_may_raise_anything() -> None:
    class Picky(pydantic.BaseModel):
        name: str

        @pydantic.field_validator("name")
        @classmethod
        def check(cls, value: str) -> str:
            raise {"known": ValueError("is not welcome"), "new": KeyError("oops")}[value]

    @tool
    def greet(guest: Picky) -> None:
        """Greet."""

    assert "'guest.name' is not welcome (got text 'known')" in refusal_of(
        greet, guest={"name": "known"}
    )
    assert "'guest' could not be checked (KeyError: \"'oops'\")" in refusal_of(
        greet, guest={"name": "new"}
    )
    assert "'guest' could not be checked (KeyError" in refusal_of(greet, guest='{"name": "new"}')


def test_what_a_tool_does_to_its_arguments_stays_its_own_affair() -> None:
    @tool
    def sort(table: dict[str, Any]) -> None:
        """Sort."""

    call = ToolCall("sort", {"table": {"rows": [3, 1]}})

    sort.prepare(call, State({}))["table"]["rows"].sort()

    assert call.arguments == {"table": {"rows": [3, 1]}}


annotated_values = st.sampled_from(
    [
        (int, st.integers()),
        (float, st.floats(allow_nan=False, allow_infinity=False)),
        (str, st.text(st.characters(codec="utf-8"))),
        (bool, st.booleans()),
        (list[int], st.lists(st.integers())),
        (dict[str, str], st.dictionaries(st.text(), st.text())),
        (str | None, st.none() | st.text()),
        (Literal["a", "b"], st.sampled_from(["a", "b"])),
    ]
)
names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)


@given(st.data(), st.dictionaries(names, annotated_values, max_size=5))
def test_a_schema_accepts_the_arguments_it_asks_for(
    data: st.DataObject, kinds: dict[str, tuple[Any, st.SearchStrategy[Any]]]
) -> None:
    wanted = {name: Parameter(name, kind, EMPTY) for name, (kind, _) in kinds.items()}
    given = {name: data.draw(values) for name, (_, values) in kinds.items()}
    parameters = FunctionParameters("made", Signature(wanted, {}, False), set(), {})

    by_signature = parameters.check(given)
    by_hand = Tool("made", "Made.", parameters.schema, dict).prepare(
        ToolCall("made", given), State({})
    )

    assert by_signature == (given, [])
    assert by_hand == given
