"""OpenAIChatGenerator as plain data and back, without secrets and without code."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from podium.agent.models import OpenAIChatGenerator, RateLimit
from podium.agent.secrets import Secret
from podium.tools import Tool

DATA = {
    "type": "podium.agent.models.OpenAIChatGenerator",
    "init_parameters": {
        "api_key": {"type": "env_var", "env_vars": ["OPENAI_API_KEY"], "strict": True},
        "model": "gpt-5-mini",
        "api_base_url": None,
        "organization": None,
        "generation_kwargs": {},
        "streaming_callback": None,
        "timeout": None,
        "max_retries": None,
        "tools": None,
        "tools_strict": False,
        "http_client_kwargs": None,
        "max_concurrency": 64,
        "rate_limit": None,
    },
}


class Colour(BaseModel):
    """What was seen."""

    name: str


def test_the_defaults_are_written_out() -> None:
    assert OpenAIChatGenerator().to_dict() == DATA


def test_settings_go_to_data_and_back() -> None:
    generator = OpenAIChatGenerator(
        api_key=Secret.from_env_var(["A", "B"], strict=False),
        model="m",
        api_base_url="http://localhost:8000/v1",
        organization="org",
        generation_kwargs={"temperature": 0.5},
        timeout=9,
        max_retries=0,
        tools_strict=True,
        http_client_kwargs={"trust_env": False},
        max_concurrency=4,
        rate_limit=RateLimit(requests_per_minute=60),
    )

    data = json.loads(json.dumps(generator.to_dict()))

    assert OpenAIChatGenerator.from_dict(data).to_dict() == generator.to_dict()
    assert OpenAIChatGenerator.from_dict(data).api_key == generator.api_key


def test_a_wanted_model_is_written_as_its_schema() -> None:
    generator = OpenAIChatGenerator(generation_kwargs={"response_format": Colour})

    data = generator.to_dict()["init_parameters"]["generation_kwargs"]["response_format"]

    assert data["json_schema"]["name"] == "Colour"
    assert data["json_schema"]["schema"]["required"] == ["name"]


@pytest.mark.parametrize(
    ("settings", "about"),
    [
        ({"api_key": "sk-test"}, "cannot be written to data"),
        ({"streaming_callback": print}, "streaming_callback cannot be written"),
        ({"tools": [Tool("a", "A.", {"type": "object"}, str)]}, "tools cannot be written"),
    ],
)
def test_what_data_cannot_hold_is_refused(settings: dict[str, Any], about: str) -> None:
    with pytest.raises(ValueError, match=about):
        OpenAIChatGenerator(**settings).to_dict()


@pytest.mark.parametrize(
    ("parameters", "about"),
    [
        ({"modle": "m"}, "no parameter 'modle'. Did you mean 'model'"),
        ({"streaming_callback": "os.system"}, "streaming_callback cannot be read from data"),
        ({"tools": [{"name": "a"}]}, "tools cannot be read from data"),
        ({"api_key": {"type": "token", "token": "sk"}}, "type 'token' cannot be read"),
        ({"api_key": "sk-test"}, "type None cannot be read from data. Write it as"),
    ],
)
def test_data_that_is_no_generator_is_refused(parameters: dict[str, Any], about: str) -> None:
    with pytest.raises(ValueError, match=about):
        OpenAIChatGenerator.from_dict({"type": "x", "init_parameters": parameters})


def test_a_few_parameters_are_enough() -> None:
    assert OpenAIChatGenerator.from_dict({"init_parameters": {"model": "m"}}).model == "m"
