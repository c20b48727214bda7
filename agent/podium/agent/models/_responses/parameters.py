"""The parameters of a responses request, also from the names that chat completions know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from podium.agent.models._openai.parameters import (
    check_generation_kwargs,
    fields_and_options,
    response_format,
)
from podium.agent.models._openai.reply_draft import as_mapping
from podium.agent.models._output_caps import LIMIT_KEYS, is_limit
from podium.agent.models._responses.chain import is_chained

OUTPUT_LIMIT = "max_output_tokens"
ENCRYPTED_REASONING = "reasoning.encrypted_content"
"""What must be asked for where the server keeps nothing: reasoning that can be sent back."""

_OWN = {
    "input": "Pass the messages to run_async.",
    "n": "The responses API gives one reply a call.",
}
_WITHIN = {
    "reasoning_effort": ("reasoning", "effort"),
    "reasoning_summary": ("reasoning", "summary"),
    "verbosity": ("text", "verbosity"),
}
"""Parameters that stand within another one in this API."""


def check_response_kwargs(kwargs: Mapping[str, Any]) -> None:
    """Refuse parameters that podium sets itself, or that the API does not have.

    Raises:
        ValueError: there is one of them.
    """
    check_generation_kwargs(kwargs)
    is_chained(kwargs)
    for key, mend in _OWN.items():
        if key in kwargs:
            raise ValueError(f"generation_kwargs has {key!r}, which cannot be set here. {mend}")


def request_parameters(
    model: str, kwargs: Mapping[str, Any], *, stream: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of the body beside input and tools, and the SDK's options.

    What chat completions call otherwise is renamed, so that the same parameters do for both:
    `response_format`, the output limits, `reasoning_effort`, `verbosity` and `tool_choice`.
    """
    check_response_kwargs(kwargs)
    fields, options = fields_and_options(kwargs)
    for key in (*LIMIT_KEYS, OUTPUT_LIMIT):
        fields.pop(key, None)
    limit = output_limit(kwargs)
    body: dict[str, Any] = {"model": model}
    if stream:
        body["stream"] = True
    for key, value in fields.items():
        if value is not None and key != "stream_options":  # its usage comes in any case
            _put(body, key, value)
    body |= dict[str, Any](kwargs.get("extra_body") or {})
    if limit is not None:
        body[OUTPUT_LIMIT] = limit
    if body.get("store") is False:
        body.setdefault("include", [ENCRYPTED_REASONING])
    return {key: value for key, value in body.items() if value is not None}, options


def output_limit(kwargs: Mapping[str, Any]) -> int | None:
    """Return how many tokens a call may write, by the lowest limit of any name; None for none."""
    keys, extra = (*LIMIT_KEYS, OUTPUT_LIMIT), dict[str, Any](kwargs.get("extra_body") or {})
    limits = [*map(kwargs.get, keys), *map(extra.get, keys)]
    return min(filter(is_limit, limits), default=None)


def output_cap(kwargs: Mapping[str, Any], max_tokens: int) -> dict[str, int]:
    """Return what to add to the parameters so that a reply has at most `max_tokens`."""
    limit = output_limit(kwargs)
    return {OUTPUT_LIMIT: max_tokens if limit is None else min(limit, max_tokens)}


def _put(body: dict[str, Any], key: str, value: Any) -> None:
    if key in _WITHIN:
        outer, inner = _WITHIN[key]
        body[outer] = {**(body.get(outer) or {}), inner: value}
    elif key == "response_format":
        body["text"] = {**(body.get("text") or {}), "format": _text_format(value)}
    elif key in {"text", "reasoning"} and isinstance(value, Mapping):
        body[key] = {**(body.get(key) or {}), **value}
    elif key == "tool_choice":
        body[key] = _tool_choice(value)
    else:
        body[key] = value


def _text_format(value: Any) -> Any:
    """Return the form of the answer as this API describes it: without a level for the schema."""
    described = response_format(value)
    if not isinstance(described, Mapping):
        return described
    given = cast("Mapping[str, Any]", described)
    schema: Mapping[str, Any] = given.get("json_schema") or {}
    return {**{key: each for key, each in given.items() if key != "json_schema"}, **schema}


def _tool_choice(value: Any) -> Any:
    chosen = as_mapping(as_mapping(value).get("function"))
    return {"type": "function", "name": chosen.get("name")} if chosen else value
