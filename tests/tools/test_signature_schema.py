"""What the model is told a function takes: its signature and docstring as a JSON schema."""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
import json
import uuid
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pydantic
import pytest
from typing_extensions import TypedDict

from podium.tools import SchemaGenerationError, create_tool_from_function, tool


class Size(enum.Enum):
    """How big it is."""

    SMALL = "s"
    LARGE = "l"


class Node(pydantic.BaseModel):
    name: str
    children: list[Node] = []


@dataclass
class Box:
    size: Size
    title: str
    weights: list[float] = field(default_factory=list[float])


class Window(TypedDict):
    start: datetime.datetime
    end: datetime.datetime


NO_TAGS: Any = pydantic.Field(default_factory=list[str])


def from_source(source: str) -> Any:
    """Return a function that no type checker has seen."""
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return namespace["made"]


def properties(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the properties of the tool made of a function."""
    found: dict[str, Any] = tool(function).parameters["properties"]
    return found


def test_a_schema_has_types_descriptions_defaults_and_no_titles() -> None:
    def book(
        city: Annotated[str, "Where to go"],
        nights: int,
        board: Literal["none", "half"] = "none",
        note: str | None = None,
        *,
        tags: list[str] | None = None,
    ) -> str:
        """Book a stay."""
        return f"{city} {nights} {board} {note} {tags}"

    assert tool(book).parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where to go"},
            "nights": {"type": "integer"},
            "board": {"enum": ["none", "half"], "type": "string", "default": "none"},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "tags": {
                "anyOf": [{"items": {"type": "string"}, "type": "array"}, {"type": "null"}],
                "default": None,
            },
        },
        "required": ["city", "nights"],
        "additionalProperties": False,
    }


def test_a_function_without_parameters_has_an_empty_object() -> None:
    def ping() -> str:
        """Say hello."""
        return "pong"

    assert tool(ping).parameters == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_references_of_recursive_models_resolve_in_the_schema_that_is_sent() -> None:
    def store(root: Node, depth: int = 3) -> None:
        """Store a tree."""

    schema = tool(store).parameters

    assert schema["properties"]["root"] == {"$ref": "#/$defs/Node"}
    assert schema["$defs"]["Node"]["properties"]["children"] == {
        "default": [],
        "items": {"$ref": "#/$defs/Node"},
        "type": "array",
    }


def test_models_of_one_name_stay_apart() -> None:
    first = pydantic.create_model("Same", a=(list[Node], ...))
    second = pydantic.create_model("Same", b=(list[Node], ...))

    both = from_source("def made(x, y): ...")
    both.__annotations__ = {"x": first, "y": second}

    schema = tool(both).parameters
    names = [one["$ref"].removeprefix("#/$defs/") for one in schema["properties"].values()]

    assert [list(schema["$defs"][name]["properties"]) for name in names] == [["a"], ["b"]]


def test_titles_go_but_parameters_and_fields_of_that_name_stay() -> None:
    def shelve(title: str, properties: dict[str, int], box: Box) -> None:
        """Shelve a box."""

    schema = tool(shelve).parameters
    text = json.dumps(schema)

    assert list(schema["properties"]) == ["title", "properties", "box"]
    assert list(schema["$defs"]["Box"]["properties"]) == ["size", "title", "weights"]
    assert '"title": "' not in text


def test_defaults_are_plain_json() -> None:
    def pack(
        size: Size = Size.SMALL,
        price: decimal.Decimal = decimal.Decimal("1.50"),
        day: datetime.date = datetime.date(2026, 3, 1),
        ref: uuid.UUID = uuid.UUID(int=7),  # noqa: B008
        tags: frozenset[str] = frozenset({"a"}),
    ) -> None:
        """Pack it."""

    shown = properties(pack)

    assert [one["default"] for one in shown.values()] == [
        *("s", "1.50", "2026-03-01", "00000000-0000-0000-0000-000000000007", ["a"])
    ]


def test_a_default_that_json_cannot_hold_is_left_out() -> None:
    def search(
        limit: float = float("inf"),
        raw: bytes = b"\xff",
        note: str = None,  # type: ignore[assignment]  # noqa: RUF013  seen in the wild
    ) -> None:
        """Search."""

    schema = tool(search).parameters

    assert [list(one) for one in schema["properties"].values()] == [
        ["type"],
        ["format", "type"],
        ["type"],
    ]
    assert "required" not in schema


def test_a_decimal_is_asked_for_as_text_so_that_its_zeros_stay() -> None:
    def pay(price: decimal.Decimal) -> str:
        """Pay."""
        return str(price)

    assert properties(pay)["price"]["type"] == "string"
    assert tool(pay).invoke(price="12.50") == "12.50"
    assert tool(pay).invoke(price=12.5) == "12.5"


def test_dates_ids_and_typed_dicts_are_declared_and_handed_over_as_such() -> None:
    def plan(day: datetime.date, ref: uuid.UUID, window: Window) -> list[str]:
        """Plan."""
        return [type(one).__name__ for one in (day, ref, window["start"])]

    shown = properties(plan)

    assert [shown[name]["type"] for name in shown] == ["string", "string", "object"]
    assert tool(plan).invoke(
        day="2026-03-01",
        ref="00000000-0000-0000-0000-000000000007",
        window={"start": "2026-03-01T10:00:00", "end": "2026-03-01T12:00:00"},
    ) == ["date", "UUID", "datetime"]


def test_an_iterable_is_a_list_whose_items_are_checked() -> None:
    def join(words: Iterable[str], numbers: Collection[int] = ()) -> str:
        """Join."""
        return f"{words} {numbers}"

    assert properties(join)["words"] == {"items": {"type": "string"}, "type": "array"}
    assert tool(join).invoke(words='["a"]', numbers=["1"]) == "['a'] [1]"


def test_an_iterable_of_anything_is_a_list_too() -> None:
    join = from_source("from typing import Iterable\ndef made(words: Iterable): return words")

    assert tool(join).invoke(words='["a", 1]') == ["a", 1]


def test_a_class_is_a_tool_that_makes_its_objects() -> None:
    class Later:
        """Wait."""

        def __init__(self, seconds: int) -> None:
            self.seconds = seconds

        async def __call__(self) -> None: ...

    made = tool(Later, name="later")

    assert (made.description, made.invoke(seconds="3").seconds) == ("Wait.", 3)


def test_a_field_gives_its_description_its_bounds_and_its_default() -> None:
    def search(
        query: str = pydantic.Field(description="What to look for"),
        limit: int = pydantic.Field(default=5, le=10),
        tags: Annotated[list[str], "Any of these", pydantic.Field(max_length=2)] = NO_TAGS,
    ) -> str:
        """Search."""
        return f"{query} {limit} {tags}"

    made = tool(search)

    assert made.parameters["properties"] == {
        "query": {"type": "string", "description": "What to look for"},
        "limit": {"type": "integer", "maximum": 10, "default": 5},
        "tags": {
            "items": {"type": "string"},
            "maxItems": 2,
            "type": "array",
            "description": "Any of these",
        },
    }
    assert made.parameters["required"] == ["query"]
    assert made.invoke(query="q") == "q 5 []"
    assert made.invoke(query="q", limit=3, tags=["a"]) == "q 3 ['a']"


def test_types_that_python_takes_for_equal_keep_their_own_order() -> None:
    def one(x: Literal["a", "b"]) -> None:
        """Take a, b."""

    def other(x: Literal["b", "a"]) -> None:
        """Take b, a."""

    assert properties(one)["x"]["enum"] == ["a", "b"]
    assert properties(other)["x"]["enum"] == ["b", "a"]


def test_a_type_that_cannot_be_remembered_works_as_well() -> None:
    def search(limit: Annotated[int, {"note": "unhashable"}] = 3) -> int:
        """Search."""
        return limit

    assert properties(search) == {"limit": {"type": "integer", "default": 3}}


class Desk:
    """A desk."""

    def find(self, number: int, *, deep: bool = False) -> str:
        """Find a paper."""
        return f"{number} {deep}"

    def __call__(self, number: int) -> str:
        """Take a paper."""
        return f"taken {number}"


def test_bound_methods_and_callable_objects_are_tools() -> None:
    find, take = tool(Desk().find), tool(Desk())

    assert (find.name, find.description, find.invoke(number="3")) == (
        *("find", "Find a paper.", "3 False"),
    )
    assert (take.name, take.description, take.invoke(number=4)) == (
        *("Desk", "Take a paper.", "taken 4"),
    )


def test_what_a_partial_has_fixed_is_out_of_the_models_reach() -> None:
    def find(tenant: str, number: int, deep: bool = False) -> str:
        """Find a paper."""
        return f"{tenant} {number} {deep}"

    by_position = tool(functools.partial(find, "north"))
    by_name = tool(functools.partial(find, tenant="north"))

    assert list(by_position.parameters["properties"]) == ["number", "deep"]
    assert list(by_name.parameters["properties"]) == ["number", "deep"]
    assert by_name.invoke(number=1) == "north 1 False"
    assert (by_name.name, by_name.description) == ("find", "Find a paper.")


def test_a_wrapped_function_keeps_its_own_signature() -> None:
    def find(number: int) -> str:
        """Find a paper."""
        return f"found {number}"

    @functools.wraps(find)
    def logged(*args: Any, **kwargs: Any) -> Any:
        return find(*args, **kwargs)

    assert tool(logged).invoke(number="7") == "found 7"


def test_variable_parameters_are_left_out() -> None:
    def log(message: str, *parts: str, **extra: int) -> str:
        """Log a message."""
        return f"{message} {parts} {extra}"

    made = tool(log)

    assert list(made.parameters["properties"]) == ["message"]
    assert made.invoke(message="hi") == "hi () {}"


def positional(limit: int, /) -> None:
    """Take no names."""


def uncallable(pick: Callable[[int], int]) -> None:
    """Want what no model can send."""


def inexpressible(lock: memoryview) -> None:
    """Want what JSON has no form for."""


def classy(kind: type[int], lots: list[type[Any]] | None = None) -> None:
    """Take a class."""


REFUSED: list[tuple[Any, str]] = [
    (
        from_source("def made(limit, deep=False): ..."),
        "parameter 'limit' has no type.* Annotate it",
    ),
    (Desk.find, "parameter 'self' has no type.* Make the tool from the bound method"),
    (positional, "'limit' is positional-only.* Remove the '/'"),
    (
        from_source("def made(limit: Nowhere): ..."),
        "'Nowhere' of parameter 'limit' cannot be resolved.* Import or define",
    ),
    (uncallable, "'pick' is a callable.* Give it one"),
    (inexpressible, "no JSON schema .* 'lock' of type <class 'memoryview'>.* Use a type"),
    (classy, "no JSON schema .* 'kind' of type type\\[int\\] .*class cannot be sent.* Use a type"),
    (vars, "does not tell its parameters.* Wrap it"),
]


@pytest.mark.parametrize(("function", "words"), REFUSED)
def test_a_signature_without_a_schema_is_refused_with_a_mend(
    function: Callable[..., Any], words: str
) -> None:
    with pytest.raises(SchemaGenerationError, match=words):
        create_tool_from_function(function, name="made")
