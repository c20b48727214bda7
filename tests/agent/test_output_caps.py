"""Output caps: any generator says how long its replies may be, and is told to keep them shorter."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.agent import Agent, ChatMessage, StreamingChunk
from podium.agent.models import CapsOutput, LexicalChatGenerator, OpenAIChatGenerator
from podium.agent.models._estimate import MESSAGE_OVERHEAD, estimate_message_tokens
from podium.agent.models._openai.parameters import request_parameters
from podium.agent.models._output_caps import output_caps
from podium.agent.testing import FakeOpenAIServer, ScriptedChatGenerator, call, calls

ASKED = [ChatMessage.from_user("What is a closure?")]
LOCAL = "http://localhost:8000/v1"


def openai(base_url: str | None = None, **kwargs: Any) -> OpenAIChatGenerator:
    return OpenAIChatGenerator(api_key="k", api_base_url=base_url, generation_kwargs=kwargs)


def sent(generator: OpenAIChatGenerator, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters in the body of the request."""
    merged = {**generator.generation_kwargs, **kwargs}
    return request_parameters("m", merged, stream=False)[0]


@pytest.mark.parametrize(
    "generator",
    [openai(), LexicalChatGenerator(), ScriptedChatGenerator([])],
    ids=["OpenAI", "lexical", "scripted"],
)
def test_the_generators_of_podium_can_be_capped(generator: object) -> None:
    caps = output_caps(generator)

    assert isinstance(generator, CapsOutput)
    assert (caps.can_cap, caps.is_hard, caps.maximum) == (True, True, None)
    assert caps.limit(None) is None
    assert caps.limit(caps.capped({"temperature": 0}, 300)) == 300


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        pytest.param(None, "max_completion_tokens", id="OpenAI"),
        pytest.param(
            "https://eu.api.openai.com/v1", "max_completion_tokens", id="OpenAI in Europe"
        ),
        pytest.param("https://us.openai.azure.com/x", "max_completion_tokens", id="Azure"),
        pytest.param(LOCAL, "max_tokens", id="a server of one's own"),
        pytest.param("https://notopenai.com/v1", "max_tokens", id="another provider"),
    ],
)
def test_a_server_gets_the_parameter_it_knows(base_url: str | None, name: str) -> None:
    capped = openai(base_url).with_output_cap({"temperature": 0}, 300)

    assert capped == {"temperature": 0, name: 300}


@pytest.mark.parametrize(
    ("own", "given", "body"),
    [
        pytest.param({"max_tokens": 500}, {}, {"max_tokens": 300}, id="the generator's name"),
        pytest.param({}, {"max_tokens": 500}, {"max_tokens": 300}, id="the caller's name"),
        pytest.param({"max_tokens": 100}, {}, {"max_tokens": 100}, id="a lower limit"),
        pytest.param(
            {"max_tokens": 100},
            {"max_tokens": 500},
            {"max_tokens": 300},
            id="the caller's goes first",
        ),
        pytest.param(
            {"max_tokens": 100},
            {"max_completion_tokens": 500},
            {"max_tokens": 100, "max_completion_tokens": 300},
            id="both names",
        ),
        pytest.param(
            {"max_tokens": 100},
            {"max_tokens": None},
            {"max_completion_tokens": 300},
            id="one taken back",
        ),
        pytest.param({}, {"max_tokens": -1}, {"max_tokens": 300}, id="-1 for no limit"),
        pytest.param({}, {"max_tokens": "many"}, {"max_tokens": 300}, id="no number"),
        pytest.param(
            {},
            {"extra_body": {"max_tokens": 500, "top_k": 4}},
            {"max_tokens": 300, "top_k": 4},
            id="in extra_body",
        ),
        pytest.param(
            {"extra_body": {"max_completion_tokens": None}},
            {},
            {"max_completion_tokens": 300},
            id="taken back in extra_body",
        ),
        pytest.param({"n": 3}, {}, {"n": 3, "max_completion_tokens": 100}, id="three choices"),
        pytest.param({"n": 500}, {}, {"n": 500, "max_completion_tokens": 1}, id="too many choices"),
    ],
)
def test_a_cap_goes_where_a_limit_is_and_raises_none(
    own: dict[str, Any], given: dict[str, Any], body: dict[str, Any]
) -> None:
    generator = openai(**own)

    capped = generator.with_output_cap(given, 300)

    assert sent(generator, capped) == {"model": "m", **body}


def test_a_cap_changes_neither_the_callers_parameters_nor_the_generators() -> None:
    generator = openai(extra_body={"max_tokens": 500})
    given = {"max_completion_tokens": 400}

    generator.with_output_cap(given, 300)

    assert given == {"max_completion_tokens": 400}
    assert generator.generation_kwargs == {"extra_body": {"max_tokens": 500}}


@pytest.mark.parametrize(
    ("own", "given", "limit"),
    [
        pytest.param({}, None, None, id="none"),
        pytest.param({"max_tokens": 500}, None, 500, id="the generator's"),
        pytest.param({"max_tokens": 500}, {"max_tokens": 700}, 700, id="the caller's goes first"),
        pytest.param({"max_tokens": 500}, {"max_completion_tokens": 90}, 90, id="the lower one"),
        pytest.param({"max_tokens": 500}, {"n": 2}, 1000, id="for each choice"),
        pytest.param({"extra_body": {"max_tokens": 70}}, None, 70, id="in extra_body"),
        pytest.param({"max_tokens": -1}, None, None, id="-1 for no limit"),
        pytest.param({"max_tokens": True}, None, None, id="a bool"),
    ],
)
def test_the_limit_of_a_call_is_known(
    own: dict[str, Any], given: dict[str, Any] | None, limit: int | None
) -> None:
    assert openai(**own).output_limit(given) == limit


limits = st.one_of(st.none(), st.integers(-2, 2000), st.booleans(), st.just("7"))
parameters: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "max_tokens": limits,
        "max_completion_tokens": limits,
        "n": st.integers(1, 5),
        "extra_body": st.fixed_dictionaries(
            {}, optional={"max_tokens": limits, "max_completion_tokens": limits}
        ),
    },
)


@given(own=parameters, given=parameters, cap=st.integers(5, 1000), local=st.booleans())
def test_a_capped_call_is_limited_to_the_cap_and_no_further_than_before(
    own: dict[str, Any], given: dict[str, Any], cap: int, local: bool
) -> None:
    generator = openai(LOCAL if local else None, **own)
    before = generator.output_limit(given)

    capped = generator.with_output_cap(given, cap)

    after = generator.output_limit(capped)
    assert after is not None
    assert after <= min(cap, cap if before is None else before)
    assert sent(generator, generator.with_output_cap(capped, cap)) == sent(generator, capped)


class Plain:
    """A generator that knows nothing of caps."""

    def run(self, messages: Any) -> Any:
        return {"replies": []}


def test_a_generator_that_cannot_cap_is_called_as_it_is() -> None:
    caps = output_caps(Plain())

    assert (caps.can_cap, caps.is_hard, caps.maximum) == (False, False, None)
    assert caps.limit({"max_tokens": 9}) is None
    assert caps.capped({"temperature": 0}, 300) == {"temperature": 0}


def test_a_generator_that_cannot_cap_is_bounded_by_its_own_word() -> None:
    caps = output_caps(SimpleNamespace(max_output_tokens=4096, output_cap_is_hard=True))

    assert caps.limit(None) == caps.maximum == 4096
    assert not caps.is_hard


@pytest.mark.parametrize("maximum", [True, -1, "4096", 4096.0])
def test_a_maximum_that_is_no_number_of_tokens_is_none(maximum: object) -> None:
    assert output_caps(SimpleNamespace(max_output_tokens=maximum)).maximum is None


def test_the_lower_of_limit_and_maximum_counts() -> None:
    class Known(LexicalChatGenerator):
        max_output_tokens = 1000

    caps = output_caps(Known())

    assert caps.limit({"max_tokens": 5000}) == 1000
    assert caps.limit({"max_tokens": 500}) == 500


@pytest.mark.anyio
async def test_a_server_is_sent_the_cap_and_keeps_to_it() -> None:
    with FakeOpenAIServer(["one two three four five six"]) as server:
        generator = OpenAIChatGenerator(api_key="k", api_base_url=server.base_url)

        reply = (
            await generator.run_async(ASKED, generation_kwargs=generator.with_output_cap(None, 3))
        )["replies"][0]

    assert server.requests[0].body["max_tokens"] == 3
    assert (reply.text, reply.meta["finish_reason"]) == ("one two three ", "length")


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
async def test_a_scripted_reply_is_cut_to_its_limit(name: str) -> None:
    model = ScriptedChatGenerator(["one two three four five six"])

    reply = (await model.run_async(ASKED, generation_kwargs={name: 3}))["replies"][0]

    assert (reply.text, reply.meta["finish_reason"]) == ("one two three ", "length")
    assert reply.meta["usage"]["completion_tokens"] == 3


@pytest.mark.anyio
async def test_a_scripted_reply_that_fits_is_as_written() -> None:
    model = ScriptedChatGenerator([calls(call("search", query="closures"))])

    reply = (await model.run_async(ASKED, generation_kwargs={"max_tokens": 50}))["replies"][0]

    assert reply.tool_calls[0].arguments == {"query": "closures"}
    assert reply.meta["finish_reason"] == "tool_calls"


@pytest.mark.anyio
async def test_scripted_calls_beyond_the_limit_are_not_made() -> None:
    searched, read = call("search", query="closures"), call("read", file="notes")
    model = ScriptedChatGenerator([calls(searched, read, text="Let me see.")])
    thought = ChatMessage.from_assistant("Let me see.", tool_calls=[searched])
    limit = estimate_message_tokens(thought) - MESSAGE_OVERHEAD

    reply = (await model.run_async(ASKED, generation_kwargs={"max_tokens": limit}))["replies"][0]

    assert reply.text == "Let me see."
    assert [made.tool_name for made in reply.tool_calls] == ["search"]
    assert reply.meta["finish_reason"] == "length"
    assert reply.meta["usage"]["completion_tokens"] == limit


@pytest.mark.anyio
async def test_scripted_thinking_uses_the_limit_first() -> None:
    model = ScriptedChatGenerator(
        [ChatMessage.from_assistant("An answer.", reasoning="one two three")]
    )
    heard: list[StreamingChunk] = []

    reply = (
        await model.run_async(
            ASKED, generation_kwargs={"max_tokens": 2}, streaming_callback=heard.append
        )
    )["replies"][0]

    assert reply.reasoning is not None
    assert (reply.reasoning.reasoning_text, reply.text) == ("one two ", None)
    assert heard[-1].finish_reason == "length"
    assert "".join(chunk.content for chunk in heard) == ""


@pytest.mark.anyio
@pytest.mark.parametrize(
    "model",
    [
        ScriptedChatGenerator(["one two three"], usage={"completion_tokens": 900}),
        ScriptedChatGenerator(
            [ChatMessage.from_assistant("one two three", meta={"usage": {"total_tokens": 900}})]
        ),
    ],
    ids=["of all replies", "of this reply"],
)
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_script_that_sets_the_usage_pays_no_heed_to_limits(
    model: ScriptedChatGenerator,
) -> None:
    reply = (await model.run_async(ASKED, generation_kwargs={"max_tokens": 2}))["replies"][0]

    assert (reply.text, reply.meta["finish_reason"]) == ("one two three", "stop")


@pytest.mark.anyio
async def test_a_run_ends_when_its_only_reply_was_cut() -> None:
    model = ScriptedChatGenerator(["one two three four"])

    result = await Agent(chat_generator=model).run_async(
        "Count.", generation_kwargs={"max_tokens": 2}
    )

    assert (result.text, result.exit_reason) == ("one two ", "length")


@pytest.mark.anyio
@pytest.mark.parametrize("cap", [0, 1, 7, 30])
async def test_the_lexical_stand_in_keeps_to_its_cap(cap: int) -> None:
    model = LexicalChatGenerator()
    capped = model.with_output_cap({"max_tokens": 100}, cap)

    reply = (await model.run_async("Who are you?", generation_kwargs=capped))["replies"][0]

    assert capped == {"max_tokens": cap}
    assert reply.meta["usage"]["completion_tokens"] <= cap
    assert model.output_limit(capped) == cap
