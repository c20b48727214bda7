"""Parameters that podium fills: hidden from the model, and out of its reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Optional

import pytest

from podium.tools import CallContext, State, Tool, ToolArgumentsError, ToolCall, tool

anyio_test = pytest.mark.anyio


def note_plain(text: str, state: State) -> None:
    """Take the state."""


def note_optional(text: str, state: Optional[State] = None) -> None:  # noqa: UP045
    """Take the state, perhaps."""


def note_union(text: str, state: State | None = None) -> None:
    """Take the state, perhaps."""


def note_annotated(text: str, state: Annotated[State | None, "the run's"] = None) -> None:
    """Take the state, described."""


@pytest.mark.parametrize("function", [note_plain, note_optional, note_union, note_annotated])
def test_a_state_parameter_is_hidden_and_filled(function: Callable[..., Any]) -> None:
    made = tool(function)

    assert list(made.parameters["properties"]) == ["text"]
    assert made.takes_state


def test_a_name_imported_for_type_checkers_only_is_known() -> None:
    namespace: dict[str, Any] = {}
    source = "def note(text: 'str', state: 'State', context: 'CallContext'):\n    'Note.'"
    exec(source, namespace)

    made = tool(namespace["note"])

    assert list(made.parameters["properties"]) == ["text"]


def test_a_type_that_is_local_to_the_defining_function_is_known() -> None:
    class RunState(State):
        """One's own kind of state."""

    def note(text: str, state: RunState) -> None:
        """Note."""

    assert list(tool(note).parameters["properties"]) == ["text"]


def search(
    query: str,
    context: CallContext,
    streaming_callback: Callable[[Any], None] | None = None,
    ranked_by: Callable[[str], int] = len,
) -> str:
    """Search."""
    assert streaming_callback is not None
    streaming_callback(query)
    return f"{query} {context.call.id} {ranked_by(query)}"


@anyio_test
async def test_context_and_streaming_callback_are_filled_and_callables_keep_their_default() -> None:
    made, seen = tool(search), list[str]()
    call = ToolCall("search", {"query": "abc"}, "c1")
    state = State({})

    arguments = made.prepare(call, state)
    result = await made.call(
        arguments, CallContext(call=call, state=state, streaming_callback=seen.append)
    )

    assert list(made.parameters["properties"]) == ["query"]
    assert (result, seen) == ("abc c1 3", ["abc"])


@anyio_test
async def test_the_live_state_is_handed_over() -> None:
    @tool
    def note(text: str, state: State) -> str:
        """Note."""
        state.set("last", text)
        return "noted"

    state = State({"last": {"type": str}})
    call = ToolCall("note", {"text": "hi"})

    await note.call(note.prepare(call, state), CallContext(call=call, state=state))

    assert state.get("last") == "hi"


def orders(query: str, tenant: str, note: str = "none") -> str:
    """List orders."""
    return f"{query} of {tenant}, {note}"


def by_signature() -> Tool:
    return tool(inputs_from_state={"who": "tenant", "remark": "note"})(orders)


def by_hand() -> Tool:
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("query", "tenant", "note")},
        "required": ["query", "tenant"],
        "additionalProperties": True,
    }
    mapping = {"who": "tenant", "remark": "note"}
    return Tool("orders", "List orders.", schema, orders, inputs_from_state=mapping)


either = pytest.mark.parametrize("make", [by_signature, by_hand])


@either
def test_mapped_parameters_are_hidden_and_filled_from_the_state(make: Callable[[], Tool]) -> None:
    made = make()
    state = State({"who": {"type": str}}, {"who": "c-100"})

    arguments = made.prepare(ToolCall("orders", {"query": "all"}), state)

    assert list(made.parameters["properties"]) == ["query"]
    assert made.parameters["required"] == ["query"]
    assert made.reads == {"who", "remark"}
    assert arguments == {"query": "all", "tenant": "c-100"}


@either
def test_a_model_that_sends_a_mapped_parameter_is_refused(make: Callable[[], Tool]) -> None:
    state = State({"who": {"type": str}}, {"who": "c-100"})

    with pytest.raises(ToolArgumentsError, match=r"no parameter 'tenant'.* query \(string"):
        make().prepare(ToolCall("orders", {"query": "all", "tenant": "c-999"}), state)


@either
def test_a_state_key_that_is_not_set_yet_is_told(make: Callable[[], Tool]) -> None:
    with pytest.raises(ToolArgumentsError, match="needs 'who' from the run's state"):
        make().prepare(ToolCall("orders", {"query": "all"}), State({}))


def test_a_mapped_parameter_needs_no_annotation() -> None:
    namespace: dict[str, Any] = {}
    exec("def orders(query: str, tenant): return f'{query} of {tenant}'", namespace)

    made = tool(inputs_from_state={"who": "tenant"})(namespace["orders"])

    assert made.invoke(query="all", tenant="t") == "all of t"


def test_a_tool_gets_copies_of_state_values() -> None:
    basket = ["tea"]
    state = State({"basket": {"type": list}}, {"basket": basket})
    schema = {"properties": {"item": {"type": "string"}}}

    def add(item: str, basket: list[str]) -> None:
        """Add."""

    made = Tool("add", "Add.", schema, add, inputs_from_state={"basket": "basket"})
    made.prepare(ToolCall("add", {"item": "x"}), state)["basket"].append("milk")

    assert basket == ["tea"]
