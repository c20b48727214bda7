"""FallbackChatGenerator by itself: whom it asks after which failure, and what it says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from podium.agent import Agent
from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models import FallbackChatGenerator, OpenAIChatGenerator, is_curable_elsewhere
from podium.agent.streaming import StreamingChunk
from podium.agent.testing import ScriptedChatGenerator

pytestmark = pytest.mark.anyio

DOWN = ModelError("The server was not reached.", is_retryable=True, was_refused=True)


class StatusError(Exception):
    """What a provider's own client raises."""

    def __init__(self, status_code: int) -> None:
        super().__init__(f"status {status_code}")
        self.status_code = status_code


class Talkative:
    """A generator that says something and then breaks off."""

    async def run_async(
        self, messages: Sequence[ChatMessage], *, streaming_callback: Any = None
    ) -> dict[str, Any]:
        if streaming_callback is not None:
            streaming_callback(StreamingChunk("Hel"))
        raise DOWN


class Closing:
    """A generator that can be closed, or not."""

    def __init__(self, closed: list[str], name: str, error: Exception | None = None) -> None:
        self.closed, self.name, self.error = closed, name, error

    def run(self, messages: Sequence[ChatMessage]) -> dict[str, Any]:
        return {"replies": [ChatMessage.from_assistant(self.name)]}

    def warm_up(self) -> None:
        self.closed.append(f"{self.name} is warm")

    def close(self) -> None:
        self.closed.append(self.name)
        if self.error is not None:
            raise self.error


async def ask(*turns: Any, **settings: Any) -> ChatMessage:
    """Return the reply of a fallback over one scripted generator for each turn."""
    generators = [ScriptedChatGenerator([turn]) for turn in turns]
    answer = await FallbackChatGenerator(generators, **settings).run_async("Hi")
    return answer["replies"][0]


async def test_the_first_that_answers_is_the_only_one_asked() -> None:
    reply = await ask("One.", "Two.")

    assert reply.text == "One."
    assert reply.meta["fallback"] == {"index": 0, "failed": []}


async def test_the_next_is_asked_when_one_fails_and_the_reply_says_so() -> None:
    reply = await ask(DOWN, ConnectionError("cut off"), "Three.")

    assert reply.text == "Three."
    assert reply.meta["fallback"]["index"] == 2
    assert [each["error"] for each in reply.meta["fallback"]["failed"]] == [
        "ModelError: The server was not reached.",
        "ConnectionError: cut off",
    ]


@pytest.mark.parametrize(
    ("error", "is_curable"),
    [
        (ModelError("no answer", is_retryable=True), True),
        (ModelError("busy", status=429, is_retryable=True, was_refused=True), True),
        (ModelError("overloaded", status=529, is_retryable=True), True),
        (ModelError("no credit", status=429, code="insufficient_quota"), True),
        (ModelError("nonsense"), True),
        (ModelError("bad request", status=400), False),
        (ModelError("bad key", status=401), False),
        (ModelError("no such model", status=404), False),
        (ConnectionResetError("cut off"), True),
        (TimeoutError("too long"), True),
        (StatusError(503), True),
        (StatusError(408), True),
        (StatusError(401), False),
        (ValueError("a mistake"), False),
        (KeyError("a mistake"), False),
    ],
)
def test_what_another_provider_may_cure(error: Exception, is_curable: bool) -> None:
    assert is_curable_elsewhere(error) is is_curable


async def test_a_mistake_of_ones_own_is_not_covered_up() -> None:
    wrong = ModelError("The request was refused.", status=400, was_refused=True)

    with pytest.raises(ModelError, match="The request was refused") as caught:
        await ask(DOWN, wrong, "Three.")

    assert caught.value is wrong
    assert caught.value.__notes__ == [
        "Before it, generator 1 failed: ModelError: The server was not reached."
    ]


def is_mistake(error: Exception) -> bool:
    return "mistake" in str(error)


@pytest.mark.parametrize("on", [Exception, (KeyError, ValueError), is_mistake])
async def test_on_says_what_to_go_on_after(on: Any) -> None:
    reply = await ask(ValueError("a mistake"), "Two.", on=on)

    assert reply.text == "Two."


async def test_on_may_be_narrower_than_the_default() -> None:
    with pytest.raises(ConnectionError):
        await ask(ConnectionError("cut off"), "Two.", on=TimeoutError)


async def test_when_all_fail_one_error_names_each_with_its_reason() -> None:
    last = ModelError("Out of order.", status=503, code="down", is_retryable=True)

    with pytest.raises(ModelError, match="None of the 2 generators") as caught:
        await ask(DOWN, last)

    text = str(caught.value)
    assert "(1) scripted: ModelError: The server was not reached." in text
    assert "(2) scripted: ModelError: Out of order." in text
    assert caught.value.__cause__ is last
    assert (caught.value.status, caught.value.code) == (503, "down")
    assert (caught.value.is_retryable, caught.value.was_refused) == (True, False)


async def test_when_no_one_was_reached_nothing_was_charged() -> None:
    with pytest.raises(ModelError, match="None of the 2 generators") as caught:
        await ask(DOWN, DOWN)

    assert caught.value.was_refused


async def test_errors_of_other_kinds_are_named_too() -> None:
    with pytest.raises(ModelError, match="ConnectionError: cut off") as caught:
        await ask(ConnectionError("cut off"))

    assert (caught.value.status, caught.value.is_retryable, caught.value.was_refused) == (
        None,
        False,
        False,
    )


async def test_once_a_chunk_was_handed_out_nobody_else_is_asked() -> None:
    second = ScriptedChatGenerator(["Two."])
    heard: list[str] = []

    with pytest.raises(ModelError, match="not reached"):
        await FallbackChatGenerator([Talkative(), second]).run_async(
            "Hi", streaming_callback=lambda chunk: heard.append(chunk.content)
        )

    assert heard == ["Hel"]
    assert second.requests == []


async def test_without_a_reader_the_same_failure_is_cured() -> None:
    answer = await FallbackChatGenerator([Talkative(), ScriptedChatGenerator(["Two."])]).run_async(
        "Hi"
    )

    assert answer["replies"][0].text == "Two."


async def test_fallbacks_may_stand_in_fallbacks() -> None:
    inner = FallbackChatGenerator([ScriptedChatGenerator([DOWN]), ScriptedChatGenerator([DOWN])])

    answer = await FallbackChatGenerator([inner, ScriptedChatGenerator(["Three."])]).run_async("Hi")

    failed = answer["replies"][0].meta["fallback"]["failed"]
    assert answer["replies"][0].text == "Three."
    assert "None of the 2 generators" in failed[0]["error"]


async def test_blocking_generators_can_be_asked_too() -> None:
    first = ScriptedChatGenerator([DOWN])

    answer = await FallbackChatGenerator([first, Closing([], "two")]).run_async("Hi")

    assert answer["replies"][0].text == "two"
    assert answer["replies"][0].meta["model"] == "Closing"


async def test_all_are_closed_even_if_one_fails() -> None:
    closed: list[str] = []
    generators = [Closing(closed, "one"), Closing(closed, "two", OSError("stuck"))]

    with pytest.raises(OSError, match="stuck"):
        await Agent(
            chat_generator=FallbackChatGenerator([*generators, Closing(closed, "three")])
        ).close_async()

    assert closed == ["one", "two", "three"]


async def test_warming_up_readies_the_preferred_one() -> None:
    done: list[str] = []
    generators = [Closing(done, "one"), Closing(done, "two")]

    await Agent(chat_generator=FallbackChatGenerator(generators)).warm_up_async()
    FallbackChatGenerator([ScriptedChatGenerator([])]).warm_up()

    assert done == ["one is warm"]


def test_it_stands_for_the_preferred_one() -> None:
    first = OpenAIChatGenerator(model="large", generation_kwargs={"max_tokens": 9})
    fallback = FallbackChatGenerator([first, Closing([], "two")])

    assert (fallback.model, fallback.provider_name) == ("large", "openai")
    assert not fallback.supports_structured_output
    assert repr(fallback).startswith("FallbackChatGenerator([OpenAIChatGenerator(model='large')")
    assert (fallback.output_cap_is_hard, fallback.max_output_tokens) == (True, None)
    assert fallback.output_limit(None) == 9
    assert fallback.with_output_cap(None, 5) == {"max_tokens": 5}


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(ValueError, match="Give at least one chat generator"):
        FallbackChatGenerator([])


def test_what_is_no_generator_is_refused() -> None:
    generators: Any = ["gpt-5-mini"]

    with pytest.raises(TypeError, match="'gpt-5-mini', which is no chat generator"):
        FallbackChatGenerator(generators)


@pytest.mark.parametrize(
    "given", [None, 5, OpenAIChatGenerator(api_key="k"), ScriptedChatGenerator([])]
)
def test_what_is_no_list_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="Put the chat generators in a list"):
        FallbackChatGenerator(given)


@pytest.mark.parametrize("on", [5, None, "x", [ValueError], (), (5,), int])
def test_what_cannot_say_after_which_errors_to_go_on_is_refused(on: Any) -> None:
    with pytest.raises(TypeError, match="does not say after which errors to go on"):
        FallbackChatGenerator([ScriptedChatGenerator([])], on=on)
