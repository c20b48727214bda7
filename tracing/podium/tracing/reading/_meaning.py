"""What a span means, in whichever vocabulary it was written.

The names are podium's and the present GenAI conventions', the conventions' older ones, those of
OpenInference and of OpenLLMetry. A question that no attribute answers is answered by None.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Literal

from podium.tracing import attributes as names
from podium.tracing._usage import MAX_COUNT, Usage
from podium.tracing.reading._json import as_int

Role = Literal["agent", "workflow", "model", "tool", "hook", "other"]
Attributes = Mapping[str, object]

_ROLES: dict[str, Role] = {
    names.INVOKE_AGENT: "agent",
    "invoke_workflow": "workflow",
    names.CHAT: "model",
    "generate_content": "model",
    "text_completion": "model",
    "embeddings": "model",
    names.EXECUTE_TOOL: "tool",
    names.HOOK: "hook",
    # OpenInference
    "agent": "agent",
    "llm": "model",
    "embedding": "model",
    "tool": "tool",
    # OpenLLMetry
    "workflow": "workflow",
    "completion": "model",
}
"""Words of the attributes below, and first words of span names."""

_KIND_KEYS = (
    names.OPERATION,
    "openinference.span.kind",
    "traceloop.span.kind",
    "llm.request.type",
)
_AGENT_KEYS = (names.AGENT_NAME, "agent.name", "graph.node.id")
_MODEL_KEYS = (
    names.RESPONSE_MODEL,
    names.REQUEST_MODEL,
    "llm.model_name",
    "embedding.model_name",
    "llm.request.model",
)
_TOOL_KEYS = (names.TOOL_NAME, "tool.name")
_NAMED_BY_SPAN = ("traceloop.entity.name",)
_INPUT_KEYS = (
    names.INPUT_TOKENS,
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
)
_OUTPUT_KEYS = (
    names.OUTPUT_TOKENS,
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
)
_CACHED_KEYS = (
    names.CACHED_INPUT_TOKENS,
    "gen_ai.usage.cache_read_input_tokens",
    "llm.token_count.prompt_details.cache_read",
)
_REASONING_KEYS = (names.REASONING_TOKENS, "llm.token_count.completion_details.reasoning")
_CACHE_WRITE_KEYS = (
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "llm.token_count.prompt_details.cache_write",
)
_COST_KEYS = ("llm.cost.total", "gen_ai.usage.cost", "operation.cost")

_MAX_COST_DIGITS = 15
"""No run costs more; larger figures would drown all others, or take them past any float."""


def role_of(name: str, attributes: Attributes) -> Role:
    """Return what kind of work a span is."""
    for key in _KIND_KEYS:
        said = attributes.get(key)
        if isinstance(said, str):
            role = _ROLES.get(said) or _ROLES.get(said.lower())
            if role is not None:
                return role
    if names.HOOK_POINT in attributes:
        return "hook"
    # In older conventions a span with a system and a model was a model call.
    if "gen_ai.system" in attributes and model_of(attributes) is not None:
        return "model"
    return _ROLES.get(name.partition(" ")[0], "other") if " " in name else "other"


def agent_of(attributes: Attributes) -> str | None:
    """Return the name of the agent that a span belongs to."""
    return _text(attributes, *_AGENT_KEYS)


def model_of(attributes: Attributes) -> str | None:
    """Return the model that answered, else the one that was asked."""
    return _text(attributes, *_MODEL_KEYS)


def tool_of(attributes: Attributes) -> str | None:
    """Return the tool that was called."""
    return _text(attributes, *_TOOL_KEYS, *_NAMED_BY_SPAN)


def usage_of(role: Role, attributes: Attributes) -> Usage | None:
    """Return what a span says was used; None when it says nothing and is no model call.

    A model call that does not say it is a request of unknown usage.
    """
    sent, written = _count(attributes, *_INPUT_KEYS), _count(attributes, *_OUTPUT_KEYS)
    is_call = role == "model"
    if sent is None and written is None and not is_call:
        return None
    complete = attributes.get(names.USAGE_COMPLETE) is not False
    return Usage(
        input_tokens=sent or 0,
        output_tokens=written or 0,
        cached_input_tokens=_count(attributes, *_CACHED_KEYS) or 0,
        cache_write_tokens=_count(attributes, *_CACHE_WRITE_KEYS) or 0,
        reasoning_tokens=_count(attributes, *_REASONING_KEYS) or 0,
        requests=1 if is_call else 0,
        # Of an agent, this would include the agents below it.
        cost=cost_of(attributes, names.TOTAL_COST_USD, *_COST_KEYS) if is_call else None,
        # An embedding writes nothing.
        complete=complete and sent is not None,
    )


def cost_of(attributes: Attributes, *keys: str) -> Decimal | None:
    """Return the US dollars under the first of `keys` that holds an amount."""
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            try:
                amount = Decimal(str(value))
            except InvalidOperation:
                continue
            if amount.is_finite() and amount.adjusted() < _MAX_COST_DIGITS:
                return amount
    return None


def _text(attributes: Attributes, *keys: str) -> str | None:
    for key in keys:
        value = attributes.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def _count(attributes: Attributes, *keys: str) -> int | None:
    for key in keys:
        value = attributes.get(key)
        if value is not None and not isinstance(value, bool):
            number = as_int(value)
            if number is not None:
                return min(max(number, 0), MAX_COUNT)
    return None
