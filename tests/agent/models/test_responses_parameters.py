"""Parameters of responses requests: their own names, and those of chat completions."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from podium.agent.models import OpenAIResponsesChatGenerator
from podium.agent.models._responses.parameters import request_parameters


class Colour(BaseModel):
    """What was seen."""

    name: str


def body_of(**kwargs: Any) -> dict[str, Any]:
    body, _ = request_parameters("m", kwargs, stream=False)
    return body


@pytest.mark.parametrize(
    ("kwargs", "sent"),
    [
        ({"temperature": 0.5, "top_p": None}, {"temperature": 0.5}),
        ({"reasoning_effort": "low"}, {"reasoning": {"effort": "low"}}),
        (
            {"reasoning": {"effort": "low"}, "reasoning_summary": "auto"},
            {"reasoning": {"effort": "low", "summary": "auto"}},
        ),
        (
            {"reasoning_summary": "auto", "reasoning": {"effort": "low"}},
            {"reasoning": {"effort": "low", "summary": "auto"}},
        ),
        ({"verbosity": "low"}, {"text": {"verbosity": "low"}}),
        ({"max_tokens": 50}, {"max_output_tokens": 50}),
        ({"max_completion_tokens": 50, "max_output_tokens": 40}, {"max_output_tokens": 40}),
        ({"max_tokens": -1}, {}),
        (
            {"tool_choice": {"type": "function", "function": {"name": "look"}}},
            {"tool_choice": {"type": "function", "name": "look"}},
        ),
        ({"tool_choice": "required"}, {"tool_choice": "required"}),
        ({"tool_choice": {"type": "web_search"}}, {"tool_choice": {"type": "web_search"}}),
        ({"store": True}, {"store": True}),
        ({"store": False}, {"store": False, "include": ["reasoning.encrypted_content"]}),
        ({"store": False, "include": []}, {"store": False, "include": []}),
        ({"previous_response_id": "resp_1"}, {"previous_response_id": "resp_1"}),
        ({"stream_options": {"include_usage": True}}, {}),
        ({"extra_body": {"top_k": 5}}, {"top_k": 5}),
        ({"extra_body": {"max_output_tokens": 9}, "max_tokens": 50}, {"max_output_tokens": 9}),
        (
            {"response_format": {"type": "json_object"}},
            {"text": {"format": {"type": "json_object"}}},
        ),
        ({"response_format": "text"}, {"text": {"format": "text"}}),
    ],
)
def test_parameters_get_the_names_of_this_api(kwargs: dict[str, Any], sent: dict[str, Any]) -> None:
    assert body_of(**kwargs) == {"model": "m", **sent}


def test_a_schema_is_the_form_of_the_text() -> None:
    text = body_of(response_format=Colour, verbosity="low")["text"]

    assert text["verbosity"] == "low"
    assert text["format"]["type"] == "json_schema"
    assert (text["format"]["name"], text["format"]["strict"]) == ("Colour", True)
    assert text["format"]["schema"]["required"] == ["name"]


def test_headers_query_and_timeout_do_not_go_into_the_body() -> None:
    kwargs = {"extra_headers": {"x": "1"}, "extra_query": {"v": "2"}, "timeout": 3}

    body, options = request_parameters("m", kwargs, stream=True)

    assert body == {"model": "m", "stream": True}
    assert options == {"headers": {"x": "1"}, "params": {"v": "2"}, "timeout": 3}


@pytest.mark.parametrize(
    ("kwargs", "text"),
    [
        ({"input": "Hi"}, "'input', which cannot be set here. Pass the messages"),
        ({"n": 2}, "'n', which cannot be set here. The responses API gives one reply"),
        ({"stream": True}, "'stream', which podium sets itself"),
        ({"previous_response_id": "auto", "store": False}, "keep nothing to go on from"),
    ],
)
def test_what_cannot_be_sent_is_refused_at_once(kwargs: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        OpenAIResponsesChatGenerator(generation_kwargs=kwargs)


@pytest.mark.parametrize(
    ("own", "given", "limit"),
    [
        ({}, None, None),
        ({"max_output_tokens": 100}, None, 100),
        ({"max_tokens": 100}, {"max_output_tokens": 70}, 70),
        ({"extra_body": {"max_output_tokens": 30}}, {"max_tokens": 70}, 30),
    ],
)
def test_the_lowest_limit_counts_whatever_it_is_called(
    own: dict[str, Any], given: dict[str, Any] | None, limit: int | None
) -> None:
    generator = OpenAIResponsesChatGenerator(generation_kwargs=own)

    assert generator.output_limit(given) == limit


@pytest.mark.parametrize(
    ("given", "cap", "sent"),
    [
        (None, 64, 64),
        ({"max_output_tokens": 100}, 64, 64),
        ({"max_tokens": 50}, 64, 50),
        ({"extra_body": {"max_output_tokens": 100}}, 64, 64),
    ],
)
def test_a_cap_holds_beside_any_other_limit(
    given: dict[str, Any] | None, cap: int, sent: int
) -> None:
    generator = OpenAIResponsesChatGenerator()

    capped = generator.with_output_cap(given, cap)

    assert body_of(**capped)["max_output_tokens"] == sent
