"""The parameters of a chat completions request: what the generator and the caller ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from podium.agent.models._openai.strict_schema import closed_schema
from podium.agent.models._output_caps import lowered, stated_limit

_OWN = {
    "messages": "Pass the messages to run_async.",
    "stream": "Pass a streaming_callback instead.",
    "tools": "Pass tools= to the generator or the agent.",
}
_OPTIONS = {"extra_headers": "headers", "extra_query": "params", "timeout": "timeout"}
"""Keys that do not go into the body, and what the SDK calls them as options of a request."""


def check_generation_kwargs(kwargs: Mapping[str, Any]) -> None:
    """Refuse parameters that podium sets itself.

    Raises:
        ValueError: there is one of them.
    """
    for key, mend in _OWN.items():
        if key in kwargs:
            raise ValueError(f"generation_kwargs has {key!r}, which podium sets itself. {mend}")


def request_parameters(
    model: str, kwargs: Mapping[str, Any], *, stream: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of the body beside messages and tools, and the SDK's options.

    A parameter of None is left out. A streamed request asks for its usage unless told otherwise.
    """
    check_generation_kwargs(kwargs)
    fields, options = fields_and_options(kwargs)
    body: dict[str, Any] = {"model": model}
    if stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    else:
        fields.pop("stream_options", None)  # it is an error where nothing is streamed
    if "response_format" in fields:
        fields["response_format"] = response_format(fields["response_format"])
    body |= fields | dict(kwargs.get("extra_body") or {})
    return {key: value for key, value in body.items() if value is not None}, options


def fields_and_options(kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what goes into the body, without `extra_body`, and the SDK's options."""
    fields = {
        key: value for key, value in kwargs.items() if key not in _OPTIONS and key != "extra_body"
    }
    return fields, {_OPTIONS[key]: kwargs[key] for key in _OPTIONS if key in kwargs}


def output_limit(kwargs: Mapping[str, Any]) -> int | None:
    """Return how many tokens all choices of a call may have together; None for no limit."""
    sent = _sent(kwargs)
    limit = stated_limit(sent)
    return None if limit is None else limit * _choices(sent)


def output_cap(kwargs: Mapping[str, Any], max_tokens: int, default_key: str) -> dict[str, Any]:
    """Return what to add to the parameters so that all choices together have `max_tokens`.

    `kwargs` are all that count for the call. What `extra_body` sets is lowered there, since it goes
    before the rest. Each choice may have one token in any case.
    """
    sent, extra = _sent(kwargs), dict[str, Any](kwargs.get("extra_body") or {})
    limits = lowered(sent, max(1, max_tokens // _choices(sent)), default_key)
    within = {key: limit for key, limit in limits.items() if key in extra}
    return limits | ({"extra_body": extra | within} if within else {})


def _sent(kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**kwargs, **(kwargs.get("extra_body") or {})}


def _choices(sent: Mapping[str, Any]) -> int:
    wanted = sent.get("n")
    return wanted if type(wanted) is int and wanted > 1 else 1


def response_format(value: Any) -> Any:
    """Return what the API takes: from a pydantic model, a JSON schema, or its own form.

    A schema that can be strict is made so, with every key required.
    """
    if isinstance(value, type):
        schema = _model_schema(value)
        return _strict_format({"name": value.__name__, "schema": schema})
    if not isinstance(value, Mapping):
        return value
    given = cast("Mapping[str, Any]", value)
    if given.get("type") == "json_schema" and "strict" not in given.get(
        "json_schema", {"strict": 1}
    ):
        return _strict_format(given["json_schema"])
    if given.get("type") in {"json_schema", "json_object", "text"}:
        return given
    return _strict_format({"name": str(given.get("title") or "answer"), "schema": given})


def _model_schema(model: type) -> dict[str, Any]:
    make = getattr(model, "model_json_schema", None)
    if make is None:
        raise TypeError(
            f"response_format={model.__name__} is no pydantic model. "
            "Pass one, or a JSON schema as a dict."
        )
    return cast("dict[str, Any]", make())


def _strict_format(described: Mapping[str, Any]) -> dict[str, Any]:
    name = re.sub(r"[^a-zA-Z0-9_-]", "_", str(described.get("name") or "answer"))[:64]
    closed = closed_schema(described["schema"], optional="required")
    strict = {} if closed is None else {"schema": closed, "strict": True}
    return {"type": "json_schema", "json_schema": {**described, "name": name, **strict}}
