"""Tools: checked when they are built, run inside an agent or outside, sync or async."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any, cast

import pytest

from podium.tools import (
    CallContext,
    State,
    Tool,
    ToolArgumentsError,
    ToolCall,
    ToolDefinitionError,
    ToolInvocationError,
    create_tool_from_function,
    tool,
)
from podium.tools._draining import MAX_GENERATED_ITEMS

anyio_test = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def weather(city: str = "") -> str:
    """Tell the weather."""
    return f"sun in {city}"


async def weather_later(city: str = "") -> str:
    """Tell the weather, later."""
    return f"rain in {city}"


async def run(made: Tool, **arguments: Any) -> Any:
    """Run a tool as an agent does."""
    call, state = ToolCall(made.name, arguments), State({})
    return await made.call(made.prepare(call, state), CallContext(call=call, state=state))


def test_the_decorator_works_bare_and_with_options() -> None:
    bare = tool(weather)
    with_options = tool(name="forecast", description="Look ahead.", timeout_seconds=2, max_calls=3)(
        weather
    )
    at_once = tool(weather, name="now")

    assert (bare.name, bare.description) == ("weather", "Tell the weather.")
    assert (bare.timeout_seconds, bare.max_calls) == (None, None)
    assert (with_options.name, with_options.description) == ("forecast", "Look ahead.")
    assert (with_options.timeout_seconds, with_options.max_calls) == (2, 3)
    assert (at_once.name, create_tool_from_function(weather, description="").description) == (
        *("now", ""),
    )
    assert repr(bare) == "<Tool weather(city)>"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "get weather"}, "'get weather' cannot be a tool's name. Use 1 to 64"),
        ({"name": ""}, "Use 1 to 64"),
        ({"name": "a\n"}, "Use 1 to 64"),
        ({"name": "a" * 65}, "Use 1 to 64"),
        ({"name": "\u0455earch"}, "Use 1 to 64"),
        ({"name": 7}, "Use 1 to 64"),
        ({"description": None}, "its description is None, not text. Say"),
        ({"function": None}, "it has no function. Pass function="),
        ({"function": 7}, "function is 7, which cannot be called. Pass a function"),
        ({"function": weather_later}, "function is async: .* Pass it as async_function="),
        ({"async_function": 7}, "async_function is 7, which cannot be called. Pass a function"),
        ({"async_function": weather}, "async_function is .* not async. Pass it as function="),
        ({"timeout_seconds": 0}, "timeout_seconds is 0. Give seconds above 0"),
        ({"timeout_seconds": float("inf")}, "timeout_seconds is inf. Give"),
        ({"max_calls": 0}, "max_calls is 0. Give 1 or more"),
        ({"inputs_from_state": {"place": "citty"}}, "fills 'citty'.* Did you mean 'city'"),
        ({"outputs_to_state": {"a": {"source": 7}}}, r"\['a'\] has the source 7. Name a key"),
        ({"outputs_to_state": {"a": {"source": ""}}}, r"\['a'\] has the source ''. Name a key"),
        ({"outputs_to_state": {"a": {"handler": 7}}}, r"\['a'\] has the handler 7. Pass a func"),
        ({"outputs_to_state": {"a": {"sauce": "x"}}}, "key 'sauce'. Did you mean 'source'"),
        ({"outputs_to_string": {"source": "a", "b": {}}}, "outputs_to_string has the key 'b'"),
        ({"outputs_to_string": {"b": {"handler": str}}}, r"\['b'\] has the source None. Name"),
        ({"outputs_to_string": {"b": {"raw_result": True}}}, r"\['b'\] has the key 'raw_result'"),
        ({"outputs_to_string": {"raw_result": "yes"}}, "raw_result 'yes'. Make it True or False"),
    ],
)
def test_a_tool_that_cannot_work_is_refused_when_it_is_built(
    options: dict[str, Any], words: str
) -> None:
    complete: dict[str, Any] = {
        "name": "weather",
        "description": "Tell the weather.",
        "parameters": SCHEMA,
        "function": weather,
    }

    with pytest.raises(ToolDefinitionError, match=words):
        Tool(**complete | options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inputs_from_state": {"place": 7}}, r"inputs_from_state\['place'\] is 7, not text. Name"),
        ({"outputs_to_state": {"a": "b"}}, r"outputs_to_state\['a'\] is 'b', not a dict. Write"),
        ({"outputs_to_string": {"a": "b"}}, r"outputs_to_string\['a'\] is 'b', not a dict. Write"),
        ({"outputs_to_string": "a"}, "outputs_to_string is 'a', not a dict. Write"),
    ],
)
def test_a_mapping_of_the_wrong_type_is_a_type_error(options: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        tool(**options)(weather)


def test_only_a_function_can_be_decorated() -> None:
    with pytest.raises(TypeError, match=r"which cannot be called. Pass a function"):
        create_tool_from_function(cast("Any", "weather"))


def test_a_function_without_a_usable_name_needs_one() -> None:
    with pytest.raises(ToolDefinitionError, match="'<lambda>' cannot be a tool's name"):
        tool(lambda: "sun")

    assert tool(lambda: "sun", name="sun").invoke() == "sun"


def test_invoke_checks_runs_and_returns_the_raw_value() -> None:
    @tool
    def double(numbers: list[int]) -> list[int]:
        """Double numbers."""
        return [2 * number for number in numbers]

    assert double.invoke(numbers=["1", 2]) == [2, 4]
    with pytest.raises(ToolArgumentsError, match="'numbers' is required"):
        double.invoke()


def test_invoke_takes_what_a_run_would_fill() -> None:
    @tool(inputs_from_state={"who": "tenant"})
    def note(text: str, tenant: str, state: State, context: CallContext) -> str:
        """Note."""
        state.set("last", text)
        return f"{tenant} {context.call.tool_name}"

    state = State({"last": {"type": str}})

    assert note.invoke(text="hi", tenant="t1", state=state) == "t1 note"
    assert state.get("last") == "hi"


def test_invoke_wraps_what_the_function_raises() -> None:
    @tool
    def fail(quietly: bool) -> None:
        """Fail."""
        raise KeyError if quietly else ValueError("no luck")

    with pytest.raises(
        ToolInvocationError, match=r"^Tool 'fail' failed: ValueError: no luck$"
    ) as e:
        fail.invoke(quietly=False)
    with pytest.raises(ToolInvocationError, match=r"^Tool 'fail' failed: KeyError$"):
        fail.invoke(quietly=True)

    assert isinstance(e.value.__cause__, ValueError)
    assert e.value.tool_name == "fail"


def test_invoke_of_an_async_tool_says_what_to_await() -> None:
    with pytest.raises(ToolInvocationError, match=r"is async.* Await invoke_async\(\)"):
        tool(weather_later).invoke(city="Oslo")


@anyio_test
async def test_invoke_async_runs_either_kind() -> None:
    assert await tool(weather).invoke_async(city="Oslo") == "sun in Oslo"
    assert await tool(weather_later).invoke_async(city="Oslo") == "rain in Oslo"


@anyio_test
async def test_invoke_async_wraps_what_the_function_raises() -> None:
    @tool
    async def fail() -> None:
        """Fail."""
        raise ValueError("no luck")

    with pytest.raises(ToolInvocationError, match="failed: ValueError: no luck"):
        await fail.invoke_async()


@anyio_test
async def test_a_plain_function_runs_in_another_thread_and_an_async_one_here() -> None:
    @tool
    def here() -> int:
        """Tell the thread."""
        return threading.get_ident()

    @tool
    async def here_async() -> int:
        """Tell the thread."""
        return threading.get_ident()

    assert await run(here) != threading.get_ident()
    assert await run(here_async) == threading.get_ident()


@anyio_test
async def test_of_two_functions_the_async_one_runs_in_an_agent_and_the_other_in_invoke() -> None:
    made = Tool("weather", "Tell.", SCHEMA, weather, async_function=weather_later)

    assert await run(made, city="Oslo") == "rain in Oslo"
    assert made.invoke(city="Oslo") == "sun in Oslo"


class Station:
    async def __call__(self, city: str) -> str:
        """Tell the weather."""
        return f"wind in {city}"


@pytest.mark.parametrize(
    ("function", "arguments", "result"),
    [
        (Station(), {"city": "Oslo"}, "wind in Oslo"),
        (Station().__call__, {"city": "Oslo"}, "wind in Oslo"),
        (partial(weather_later, city="Rome"), {}, "rain in Rome"),
    ],
)
@anyio_test
async def test_whatever_is_async_is_awaited(
    function: Callable[..., Any], arguments: dict[str, Any], result: str
) -> None:
    made = tool(function, name="weather")

    assert made.function is None
    assert await run(made, **arguments) == result


@anyio_test
async def test_a_plain_function_may_return_something_to_await() -> None:
    def later(city: str) -> Any:
        """Tell the weather."""
        return weather_later(city)

    assert await run(tool(later), city="Oslo") == "rain in Oslo"


@anyio_test
async def test_what_a_function_raises_in_a_run_comes_out_as_it_is() -> None:
    @tool
    def fail() -> None:
        """Fail."""
        raise StopIteration("odd")

    with pytest.raises((RuntimeError, StopIteration)):
        await run(fail)


def count(to: int) -> Iterator[int]:
    """Count."""
    yield from range(to)


async def count_async(to: int) -> AsyncIterator[int]:
    """Count."""
    for number in range(to):
        yield number


@pytest.mark.parametrize("function", [count, count_async])
@anyio_test
async def test_generators_are_read_to_the_end_and_long_ones_cut(
    function: Callable[..., Any],
) -> None:
    made = tool(function)

    few, many = await run(made, to=3), await run(made, to=MAX_GENERATED_ITEMS + 5)

    assert few == [0, 1, 2]
    assert many[-2:] == [999, "[cut here: only the first 1,000 items were read]"]
    assert len(many) == MAX_GENERATED_ITEMS + 1


@anyio_test
async def test_what_a_generator_raises_is_an_error_of_the_call() -> None:
    @tool
    def pages() -> Iterator[int]:
        """Yield pages."""
        yield 1
        raise ValueError("torn page")

    with pytest.raises(ValueError, match="torn page"):
        await run(pages)


@anyio_test
async def test_other_iterators_are_read_too_but_files_are_not() -> None:
    class Numbers:
        def __init__(self) -> None:
            self.left = 2

        def __aiter__(self) -> Numbers:
            return self

        async def __anext__(self) -> int:
            self.left -= 1
            return self.left if self.left >= 0 else await stop()

    async def stop() -> int:
        raise StopAsyncIteration

    @tool
    def squares() -> Iterator[int]:
        """Square numbers."""
        return map(lambda number: number**2, range(3))

    @tool
    def numbers() -> Numbers:
        """Give numbers."""
        return Numbers()

    @tool
    def source() -> Any:
        """Open this file."""
        return open(__file__, encoding="utf-8")

    assert squares.invoke() == [0, 1, 4]
    assert await run(numbers) == [1, 0]
    with source.invoke() as file:
        assert file.name == __file__


@anyio_test
async def test_lifecycle_methods_are_there_and_do_nothing() -> None:
    made = tool(weather)

    made.warm_up()
    await made.warm_up_async()
    made.close()
    await made.close_async()

    assert (made.target_name, made.return_direct, made.takes_state) == (None, False, False)
    assert made.invoke(city="Oslo") == "sun in Oslo"


def test_tools_run_from_plain_asyncio_code() -> None:
    assert asyncio.run(tool(weather).invoke_async(city="Oslo")) == "sun in Oslo"
