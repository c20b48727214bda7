"""Tools whose JSON schema is written by hand: what is usable, and how arguments are held to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from podium.tools import State, Tool, ToolArgumentsError, ToolCall, ToolDefinitionError
from podium.tools._usable_schema import MAX_SCHEMA_NODES

ORDER = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2, "maxLength": 9, "pattern": "^(a+)+$"},
        "count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10},
        "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        "stage": {"anyOf": [{"type": "string", "enum": ["dev", "prod"]}, {"type": "null"}]},
        "kind": {"const": "parcel"},
        "level": {"enum": [1, "two", None]},
        "owner": {"$ref": "#/$defs/Owner"},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        "any": {},
        "maybe": {"type": ["string", "null"]},
        "form": {
            "oneOf": [
                {"properties": {"a": {"type": "integer"}}, "required": ["a"], "type": "object"},
                {"properties": {"b": {"type": "integer"}}, "required": ["b"], "type": "object"},
            ]
        },
        "both": {"allOf": [{"type": "integer"}, {"minimum": 5}]},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "never": False,
    },
    "required": ["city"],
    "$defs": {
        "Owner": {
            "type": "object",
            "properties": {"id": {"type": "integer"}, "boss": {"$ref": "#/$defs/Owner"}},
            "required": ["id"],
            "additionalProperties": False,
        }
    },
}


def take(**arguments: Any) -> dict[str, Any]:
    return arguments


def made(schema: Any, function: Callable[..., Any] = take) -> Tool:
    return Tool("order", "Order something.", schema, function)


def check(schema: Any, **arguments: Any) -> dict[str, Any]:
    return made(schema).prepare(ToolCall("order", arguments), State({}))


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"count": 2}, {"count": 2}),
        ({"count": 2.0}, {"count": 2}),
        ({"share": 1}, {"share": 1}),
        ({"tags": ["a"]}, {"tags": ["a"]}),
        ({"tags": '["a"]'}, {"tags": ["a"]}),
        ({"stage": None}, {"stage": None}),
        ({"stage": "dev"}, {"stage": "dev"}),
        ({"kind": "parcel", "level": 1}, {"kind": "parcel", "level": 1}),
        ({"owner": '{"id": 1, "boss": {"id": 2}}'}, {"owner": {"id": 1, "boss": {"id": 2}}}),
        ({"owner": {"id": 1, "boss": None}}, {"owner": {"id": 1}}),
        ({"pair": ["a", 1, "more"]}, {"pair": ["a", 1, "more"]}),
        ({"any": '["stays"]', "maybe": "[]"}, {"any": '["stays"]', "maybe": "[]"}),
        ({"maybe": None, "count": None}, {"maybe": None}),
        ({"form": {"b": 1}}, {"form": {"b": 1}}),
        ({"form": '{"a": 1}'}, {"form": {"a": 1}}),
        ({"both": 5}, {"both": 5}),
        ({"map": {"x": 1}}, {"map": {"x": 1}}),
        ({"city": "a" * 8 + "!"}, {}),
    ],
)
def test_arguments_that_fit_are_taken(given: dict[str, Any], taken: dict[str, Any]) -> None:
    assert check(ORDER, **{"city": "Oslo"} | given) == {"city": given.get("city", "Oslo")} | taken


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"city": 7}, "'city' should be a string (got integer 7)"),
        ({"city": "O"}, "'city' should have at least 2 characters (got text 'O')"),
        ({"city": "O" * 10}, "'city' should have at most 9 characters"),
        ({"count": "7"}, "'count' should be an integer (got text '7')"),
        ({"count": True}, "'count' should be an integer (got true)"),
        ({"count": 7.5}, "'count' should be an integer (got number 7.5)"),
        ({"count": 0}, "'count' should be at least 1 (got integer 0)"),
        ({"count": 10}, "'count' should be less than 10"),
        ({"share": 0}, "'share' should be more than 0"),
        ({"share": 1.5}, "'share' should be at most 1"),
        ({"tags": []}, "'tags' should have at least 1 items (got an array)"),
        ({"tags": ["a", 1]}, "'tags.1' should be a string (got integer 1)"),
        ({"tags": "[1"}, "'tags' should be an array (got text '[1')"),
        ({"stage": "test"}, "'stage' should be one of: text 'dev', text 'prod' (got text 'test')"),
        ({"stage": 7}, "'stage' should be a string (got integer 7) or 'stage' should be null"),
        ({"kind": "letter"}, "'kind' should be text 'parcel' (got text 'letter')"),
        ({"level": True}, "'level' should be one of: integer 1, text 'two', null (got true)"),
        ({"owner": {"boss": {"id": 1}}}, "'owner.id' is required"),
        ({"owner": {"id": 1, "boss": {}}}, "'owner.boss.id' is required"),
        ({"owner": {"id": 1, "name": "x"}}, "'owner.name' is not allowed"),
        ({"pair": [1, 1]}, "'pair.0' should be a string (got integer 1)"),
        ({"maybe": 7}, "'maybe' should be a string or null (got integer 7)"),
        ({"form": {}}, "'form.a' is required or 'form.b' is required"),
        ({"form": {"a": "x", "c": 1}}, "'form.a' should be an integer (got text 'x') or 'form.b'"),
        ({"form": {"a": 1, "b": 1}}, "'form' fits more than one of its forms"),
        ({"both": 4}, "'both' should be at least 5"),
        ({"map": {"x": "1"}}, "'map.x' should be an integer (got text '1')"),
        ({"never": 1}, "'never' is not allowed"),
        ({"town": "Oslo"}, "it has no parameter 'town'"),
    ],
)
def test_an_error_says_where_which_rule_and_what_came(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolArgumentsError) as caught:
        check(ORDER, **{"city": "Oslo"} | given)

    assert told in str(caught.value)
    assert "Send one JSON object with: city (string, required), count (integer)" in str(
        caught.value
    )


def test_each_parameter_is_described() -> None:
    with pytest.raises(ToolArgumentsError) as caught:
        check(ORDER)

    assert str(caught.value).endswith(
        "'city' is required. Send one JSON object with: city (string, required), "
        "count (integer), share (number), tags (array), stage (null or string), kind (one of "
        '"parcel"), level (one of 1, "two", null), owner (object), pair (array), any (any value), '
        "maybe (null or string), form (object), both (integer), map (object), never (any value)."
    )


def test_a_long_choice_is_cut() -> None:
    with pytest.raises(
        ToolArgumentsError, match=r"one of 0, 1, 2, 3, 4, 5, 6, 7 and 12 more, required"
    ):
        check({"properties": {"a": {"enum": list(range(20))}}, "required": ["a"]})


def test_the_form_that_comes_closest_is_told() -> None:
    circle = {"type": "object", "required": ["r", "x"], "properties": {"r": {"type": "integer"}}}
    square = {"type": "object", "required": ["a", "b", "c"]}

    with pytest.raises(
        ToolArgumentsError, match=r"'shape.r' is required; 'shape.x' is required. S"
    ):
        check({"properties": {"shape": {"anyOf": [square, circle]}}}, shape={})


def test_the_schema_is_copied_and_completed() -> None:
    given = {"properties": {"city": {"type": "string"}}, "$schema": "x"}
    ready = made(given)

    given["properties"] = {}

    assert ready.parameters == {"type": "object", "properties": {"city": {"type": "string"}}}
    assert made({}).parameters == {"type": "object", "properties": {}}


OPEN: list[dict[str, Any]] = [
    {"additionalProperties": True},
    {"additionalProperties": {"type": "integer"}},
    {"patternProperties": {"^x": {}}},
    {"anyOf": [{"properties": {"extra": {}}}]},
]


@pytest.mark.parametrize("schema", OPEN)
def test_a_schema_that_lets_other_names_through_means_it(schema: dict[str, Any]) -> None:
    assert check(schema, extra=1) == {"extra": 1}


def test_a_function_that_takes_no_other_names_closes_an_open_schema() -> None:
    def find(city: str = "") -> None:
        """Find."""

    ready = made({"properties": {"city": {}}, "additionalProperties": True}, find)

    with pytest.raises(ToolArgumentsError, match="no parameter 'extra'"):
        ready.prepare(ToolCall("order", {"extra": 1}), State({}))


def test_what_the_function_cannot_do_without_is_required() -> None:
    def find(city: str, deep: bool = False) -> None:
        """Find."""

    ready = made({"properties": {"deep": {}, "city": {}}}, find)

    assert ready.parameters["required"] == ["city"]


def test_a_function_that_hides_its_signature_takes_what_the_schema_says() -> None:
    assert made({"properties": {"a": {"type": "integer"}}}, dict).invoke(a=1) == {"a": 1}


def test_an_annotation_that_leads_nowhere_does_not_matter_where_the_schema_is_given() -> None:
    namespace: dict[str, Any] = {}
    exec("def find(city: Nowhere): return f'found {city}'", namespace)
    ready = made({"properties": {"city": {}}}, namespace["find"])

    assert ready.invoke(city="Oslo") == "found Oslo"


def test_references_into_lists_and_escaped_names_are_followed() -> None:
    schema = {
        "properties": {
            "first": {"$ref": "#/$defs/a~1b/anyOf/0"},
            "second": {"$ref": "#/properties/first", "minimum": 5},
        },
        "$defs": {"a/b": {"anyOf": [{"type": "integer"}]}},
    }

    with pytest.raises(ToolArgumentsError, match=r"'first' should be an integer.*at least 5"):
        check(schema, first="x", second=4)


def test_references_in_a_circle_let_everything_through() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/B"}, "c": {"$ref": "#"}},
        "$defs": {"A": {"$ref": "#/$defs/A"}, "B": {"anyOf": [{"$ref": "#/$defs/B"}]}},
    }

    assert check(schema, a=1, b="2", c={"a": 3}) == {"a": 1, "b": "2", "c": {"a": 3}}


def test_references_that_multiply_without_end_are_given_up() -> None:
    twice = [{"$ref": f"#/$defs/D{level}"} for level in range(40) for _ in range(2)]
    levels = {f"D{level}": {"anyOf": twice[2 * level + 2 : 2 * level + 4]} for level in range(39)}
    schema = {"properties": {"a": twice[0]}, "$defs": levels | {"D39": {"type": "integer"}}}

    with pytest.raises(ToolArgumentsError, match="too much to check"):
        check(schema, a="text")


UNUSABLE: list[tuple[Any, str]] = [
    ([], r"it is \[\]\. Pass a dict"),
    ({"type": "string"}, "it describes 'string'.* Wrap it"),
    ({"type": ["object", "null"]}, "arguments are always an object. Wrap it"),
    ({"properties": {"a": object()}}, "not JSON serializable. Write it as plain JSON"),
    ({"properties": {"a": float("nan")}}, "Write it as plain JSON"),
    ({"properties": [1]}, r"its 'properties' is \[1\]. Make it an object"),
    ({"properties": {"a": 7}}, "7 stands where a schema belongs. Write an object"),
    (
        {"properties": {"a": {"type": "strnig"}}},
        "'strnig' does not exist. Did you mean 'string'",
    ),
    ({"properties": {"a": {"enum": []}}}, r"its 'enum' is \[\]. List"),
    ({"properties": {"a": {"anyOf": []}}}, r"its 'anyOf' is \[\]. Make it a list"),
    ({"properties": {"a": {"required": "b"}}}, "its 'required' is 'b'. Make it a list"),
    ({"properties": {"a": {"$ref": "#/$defs/A"}}}, "leads nowhere. Add what it names"),
    ({"properties": {"a": {"$ref": "#/properties/b/0"}}}, "leads nowhere. Add what it names"),
    ({"properties": {"a": {"$ref": "https://x.test"}}}, "points outside. Copy what it names"),
    ({"properties": {"city": {}}, "required": ["town"]}, "it requires 'town'.* Declare it"),
    (
        {"properties": {str(number): {} for number in range(MAX_SCHEMA_NODES)}},
        "more than 10,000 parts. Split the tool",
    ),
]


@pytest.mark.parametrize(("schema", "words"), UNUSABLE)
def test_a_schema_that_cannot_be_used_is_refused_with_a_mend(schema: Any, words: str) -> None:
    with pytest.raises(ToolDefinitionError, match=f"'order'.* no usable JSON schema: .*{words}"):
        made(schema)


def test_a_schema_nested_too_deep_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(70):
        schema = {"properties": {"a": schema}}

    with pytest.raises(ToolDefinitionError, match=r"nested deeper than 64 levels. Flatten it"):
        made(schema)


def find(city: str, region: str = "") -> None:
    """Find."""


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"properties": {"city": {}, "regoin": {}}}, "'regoin', which .* Did you mean 'region'"),
        ({"properties": {"region": {}}}, "needs 'city', which nothing fills. Add it"),
    ],
)
def test_a_schema_that_does_not_fit_its_function_is_refused(schema: Any, words: str) -> None:
    with pytest.raises(ToolDefinitionError, match=words):
        made(schema, find)
