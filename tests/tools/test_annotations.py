"""Kinds of annotation that pydantic refuses or does not look into, and that tools take."""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Callable, Collection, Iterable
from typing import Annotated, Any, Literal, LiteralString, NotRequired, Optional

import pytest
from pydantic import BaseModel, Field

from podium.tools import ToolArgumentsError, tool
from podium.tools._annotations import checkable


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Signal(enum.Enum):
    RED = "red"


class Paint(BaseModel):
    color: Literal[Color.RED]
    coats: int = 1


class Wash(BaseModel):
    color: Literal[Color.BLUE]


@dataclasses.dataclass
class Room:
    wall: Literal[Color.RED, Color.BLUE]


class Branch(typing.TypedDict, total=False):
    """A place in a tree."""

    name: typing.Required[str]
    below: list[Branch]


class Leaf(typing.TypedDict):
    size: int
    note: NotRequired[str]


def taking(annotation: Any) -> Callable[..., Any]:
    def take(it: Any) -> Any:
        """Return it."""
        return it

    take.__annotations__ = {"it": annotation}
    return take


def schema_of(annotation: Any) -> Any:
    return tool(taking(annotation)).parameters["properties"]["it"]


@pytest.mark.parametrize(
    ("annotation", "sent", "got"),
    [
        (Literal[Color.RED], "red", Color.RED),
        (Literal[Color.RED, "other"], "red", Color.RED),
        (Literal[Color.RED, "other"], "other", "other"),
        (Literal[Level.HIGH], 2, Level.HIGH),
        (Optional[Literal[Color.RED]], "red", Color.RED),  # noqa: UP045
        (Optional[Literal[Color.RED]], None, None),  # noqa: UP045
        (Annotated[Literal[Color.BLUE], Field(description="Which")], "blue", Color.BLUE),
        (list[Literal[Color.RED, Color.BLUE]], ["blue", "red"], [Color.BLUE, Color.RED]),
        (dict[str, Literal[Color.RED]], {"wall": "red"}, {"wall": Color.RED}),
        (Paint, {"color": "red"}, Paint(color=Color.RED)),
        (list[Paint], [{"color": "red", "coats": 2}], [Paint(color=Color.RED, coats=2)]),
        (Room, {"wall": "blue"}, Room(Color.BLUE)),
        (Paint | Wash, {"color": "blue"}, Wash(color=Color.BLUE)),
    ],
)
def test_a_member_in_a_literal_is_what_its_value_stands_for(
    annotation: Any, sent: object, got: object
) -> None:
    assert tool(taking(annotation)).invoke(it=sent) == got


def test_a_member_in_a_literal_is_shown_by_its_value() -> None:
    assert schema_of(Literal[Color.RED, Color.BLUE]) == {"enum": ["red", "blue"], "type": "string"}


def test_a_value_that_is_no_members_is_refused_in_the_models_own_words() -> None:
    with pytest.raises(ToolArgumentsError, match=r"'it' should be 'red' or 'blue' \(got text 'x'"):
        tool(taking(Literal[Color.RED, Color.BLUE])).invoke(it="x")


def test_a_value_that_could_be_either_of_two_members_is_not_guessed() -> None:
    with pytest.raises(ToolArgumentsError, match="'it' should be 'red' or 'red'"):
        tool(taking(Literal[Color.RED, Signal.RED])).invoke(it="red")


def test_a_typed_dict_of_the_standard_library_may_refer_to_itself() -> None:
    climb = tool(taking(list[Branch]))
    tree = [{"name": "a", "below": [{"name": "b"}]}]

    assert climb.invoke(it=tree) == tree
    assert climb.parameters["$defs"]["Branch"]["required"] == ["name"]
    with pytest.raises(ToolArgumentsError, match=r"'it.0.below.0.name' is required"):
        climb.invoke(it=[{"name": "a", "below": [{}]}])


def test_a_key_that_is_not_required_stays_so() -> None:
    weigh = tool(taking(Leaf | None))

    assert weigh.invoke(it={"size": 3}) == {"size": 3}
    with pytest.raises(ToolArgumentsError, match="size"):
        weigh.invoke(it={"note": "x"})


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (LiteralString, str),
        (Iterable[int], list[int]),
        (Collection, list[Any]),
        (dict[str, Iterable[LiteralString]], dict[str, list[str]]),
        (Iterable[int] | None, list[int] | None),
        (tuple[LiteralString, ...], tuple[str, ...]),
        (typing.List[LiteralString], typing.List[str]),  # noqa: UP006
        (Annotated[LiteralString, "words"], Annotated[str, "words"]),
    ],
)
def test_a_loose_annotation_is_written_as_one_that_is_checked(
    annotation: Any, expected: Any
) -> None:
    assert checkable(annotation) == expected


@pytest.mark.parametrize(
    "annotation", [int, list[int], int | None, Literal["a"], Callable[[int], str], Paint, None]
)
def test_what_pydantic_checks_already_is_left_as_it_is(annotation: Any) -> None:
    assert checkable(annotation) is annotation
