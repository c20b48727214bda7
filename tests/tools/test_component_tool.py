"""ComponentTool: an object with a typed `run`, and what becomes of its dict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import pytest

from podium.tools import ComponentTool, State, ToolArgumentsError, ToolDefinitionError
from podium.tools.errors import SchemaGenerationError

anyio_test = pytest.mark.anyio


class TextSplitter:
    """Split text into parts.

    Each part holds whole words.
    """

    def __init__(self) -> None:
        self.log: list[str] = []

    def run(
        self, text: str, size: int = 10, by: Literal["word", "line"] = "word"
    ) -> dict[str, Any]:
        """Split it.

        Args:
            text: What is split.
            size: How much each part holds.
        """
        parts = text.split()
        return {"parts": parts, "count": len(parts)}

    def warm_up(self) -> None:
        self.log.append("warm")

    def close(self) -> None:
        self.log.append("close")


class Translator:
    async def run_async(self, text: str, to: Annotated[str, "Language"]) -> dict[str, str]:
        """Translate."""
        return {"text": f"{text} ({to})"}

    def run(self, text: str, to: str) -> dict[str, str]:
        return {"text": f"{text} ({to}), slowly"}

    log: list[str]

    async def warm_up_async(self) -> None:
        self.log = ["warm"]

    async def close_async(self) -> None:
        self.log.append("close")


@dataclass
class Counter:
    start: int

    async def run(self, step: int, state: State) -> int:
        """Count on."""
        return self.start + step


def test_name_description_and_parameters_come_from_the_component() -> None:
    split = ComponentTool(TextSplitter())

    assert split.name == "text_splitter"
    assert split.description == "Split text into parts.\n\nEach part holds whole words."
    assert split.parameters["properties"] == {
        "text": {"type": "string", "description": "What is split."},
        "size": {"type": "integer", "default": 10, "description": "How much each part holds."},
        "by": {"enum": ["word", "line"], "type": "string", "default": "word"},
    }
    assert split.parameters["required"] == ["text"]
    assert split.invoke(text="a b") == {"parts": ["a", "b"], "count": 2}


def test_a_class_that_says_nothing_of_itself_is_described_by_its_run() -> None:
    assert ComponentTool(Counter(1)).description == "Count on."
    assert ComponentTool(Translator()).description == "Translate."
    assert ComponentTool(Counter(1), "add", "Add it.").description == "Add it."


def test_arguments_are_checked_as_those_of_a_function() -> None:
    with pytest.raises(ToolArgumentsError, match="'by' should be 'word' or 'line'"):
        ComponentTool(TextSplitter()).invoke(text="a", by="page")


@anyio_test
async def test_the_async_form_is_run_where_there_is_one() -> None:
    both, only = ComponentTool(Translator()), ComponentTool(Counter(2))

    assert await both.invoke_async(text="hi", to="de") == {"text": "hi (de)"}
    assert both.invoke(text="hi", to="de") == {"text": "hi (de), slowly"}
    assert await only.invoke_async(step=3) == 5
    assert list(only.parameters["properties"]) == ["step"]


def test_a_dict_is_shown_whole_or_as_the_mapping_says() -> None:
    whole = ComponentTool(TextSplitter())
    one = ComponentTool(TextSplitter(), outputs_to_string={"source": "count"})
    two = ComponentTool(
        TextSplitter(),
        outputs_to_string={
            "n": {"source": "count"},
            "all": {"source": "parts", "handler": "+".join},
        },
    )
    result = whole.invoke(text="a b")

    assert whole.result_content(result) == '{"parts": ["a", "b"], "count": 2}'
    assert one.result_content(result) == "2"
    assert two.result_content(result) == '{"n": 2, "all": "a+b"}'


def test_state_fills_parameters_and_takes_outputs() -> None:
    split = ComponentTool(
        TextSplitter(),
        inputs_from_state={"document": "text"},
        outputs_to_state={"pieces": {"source": "parts"}},
    )

    assert list(split.parameters["properties"]) == ["size", "by"]
    assert (split.reads, split.writes) == (frozenset({"document"}), frozenset({"pieces"}))
    assert split.state_updates({"parts": ["a"]}) == [("pieces", ["a"], None)]


def test_parameters_may_be_written_by_hand() -> None:
    schema = {"properties": {"text": {"type": "string", "maxLength": 3}}}

    short = ComponentTool(TextSplitter(), "short", "Split.", schema, max_calls=1)

    assert short.invoke(text="a b")["count"] == 2
    with pytest.raises(ToolArgumentsError, match="'text'"):
        short.invoke(text="a b c")


@anyio_test
async def test_the_component_is_warmed_up_and_closed_with_its_tool() -> None:
    split, translate, count = TextSplitter(), Translator(), ComponentTool(Counter(1))

    await ComponentTool(split).warm_up_async()
    await ComponentTool(split).close_async()
    ComponentTool(split).warm_up()
    ComponentTool(split).close()
    await ComponentTool(translate).warm_up_async()
    await ComponentTool(translate).close_async()
    await count.warm_up_async()
    count.warm_up()

    assert split.log == ["warm", "close"] * 2
    assert translate.log == ["warm", "close"]


class Awaited:
    """Gets ready in an async method, and is put away in a plain one that is named as async."""

    close_async: Any

    def __init__(self) -> None:
        self.log: list[str] = []
        self.close_async = lambda: self.log.append("closed")

    def run(self) -> str:
        return "done"

    async def warm_up(self) -> None:
        self.log.append("warm")


@anyio_test
async def test_what_a_component_is_warmed_up_and_closed_by_may_be_async_or_not() -> None:
    awaited = Awaited()

    await ComponentTool(awaited).warm_up_async()
    await ComponentTool(awaited).close_async()

    assert awaited.log == ["warm", "closed"]


def test_an_async_warm_up_is_not_lost_in_plain_code() -> None:
    with pytest.raises(TypeError, match=r"Awaited is async.* Await the tool's warm_up_async"):
        ComponentTool(Awaited()).warm_up()


@pytest.mark.parametrize(
    ("component", "words"),
    [
        (TextSplitter, r"the class TextSplitter. Make an object of it first"),
        (object(), "a object, which has no run"),
        (len, "has no run: <built-in function len>. Give it a run method, or use @tool"),
    ],
)
def test_what_is_no_component_is_refused(component: object, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        ComponentTool(component)


def test_a_component_that_no_schema_can_be_made_for_is_refused() -> None:
    class Loose:
        def run(self, text) -> None:  # type: ignore[no-untyped-def]
            """Do it."""

    with pytest.raises(SchemaGenerationError, match="parameter 'text' has no type"):
        ComponentTool(Loose())
    with pytest.raises(ToolDefinitionError, match="fills 'txt', which the function does not take"):
        ComponentTool(TextSplitter(), inputs_from_state={"document": "txt"})
    with pytest.raises(ToolDefinitionError, match="cannot be a tool's name"):
        ComponentTool(TextSplitter(), cast("Any", "no name"))
