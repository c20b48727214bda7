"""The parameters of a model call by the names that traces have for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from podium.tools._shapes import is_mapping
from podium.tracing import attributes as names

_NUMBERS = {
    names.REQUEST_MAX_TOKENS: ("max_completion_tokens", "max_output_tokens", "max_tokens"),
    names.REQUEST_TEMPERATURE: ("temperature",),
    names.REQUEST_TOP_P: ("top_p",),
    names.REQUEST_TOP_K: ("top_k",),
    names.REQUEST_SEED: ("seed",),
    names.REQUEST_FREQUENCY_PENALTY: ("frequency_penalty",),
    names.REQUEST_PRESENCE_PENALTY: ("presence_penalty",),
}
_WORDS = {
    names.REQUEST_REASONING: "reasoning_effort",
    names.REQUEST_PREVIOUS_RESPONSE: "previous_response_id",
    names.SERVICE_TIER: "service_tier",
}
"""Parameters that are names, never text that anybody wrote."""


def request_facts(
    generator: object, generation_kwargs: Mapping[str, Any] | None
) -> dict[str, object]:
    """Return what a call asks for; the generator's own parameters count where it is not given any.

    A parameter of another kind than its own says nothing.
    """
    own: object = getattr(generator, "generation_kwargs", None)
    asked = {**(own if is_mapping(own) else {}), **(generation_kwargs or {})}
    if not asked:
        return {}
    facts: dict[str, object] = {}
    for key, parameters in _NUMBERS.items():
        facts[key] = next((asked[one] for one in parameters if _is_number(asked.get(one))), None)
    for key, parameter in _WORDS.items():
        value = asked.get(parameter)
        facts[key] = value if isinstance(value, str) and value != "auto" else None
    reasoning = asked.get("reasoning")
    if is_mapping(reasoning) and isinstance(reasoning.get("effort"), str):
        facts[names.REQUEST_REASONING] = reasoning["effort"]
    choices = asked.get("n")
    facts[names.REQUEST_CHOICES] = choices if _is_number(choices) and choices != 1 else None
    facts[names.REQUEST_STOP] = _stop_sequences(asked.get("stop"))
    facts[names.OUTPUT_TYPE] = _output_type(asked.get("response_format"))
    return facts


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _stop_sequences(stop: object) -> Sequence[object] | None:
    if isinstance(stop, str):
        return [stop]
    return cast("Sequence[object]", stop) if isinstance(stop, list | tuple) and stop else None


def _output_type(asked: object) -> str | None:
    """Return `json` where an answer in JSON was asked for, be it by a schema or a type."""
    if asked is None:
        return None
    return "text" if is_mapping(asked) and asked.get("type") == "text" else "json"
