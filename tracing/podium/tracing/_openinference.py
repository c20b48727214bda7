"""OpenInference's names for what a span says: those that Phoenix and Arize read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from podium.tracing import attributes as names

_KINDS = {names.INVOKE_AGENT: "AGENT", names.CHAT: "LLM", names.EXECUTE_TOOL: "TOOL"}
_RENAMED = {
    names.PROVIDER: ("llm.provider", "llm.system"),
    names.INPUT_TOKENS: ("llm.token_count.prompt",),
    names.OUTPUT_TOKENS: ("llm.token_count.completion",),
    names.CACHED_INPUT_TOKENS: ("llm.token_count.prompt_details.cache_read",),
    names.CACHE_WRITE_TOKENS: ("llm.token_count.prompt_details.cache_write",),
    names.REASONING_TOKENS: ("llm.token_count.completion_details.reasoning",),
}
"""Of model calls alone: Phoenix would count an agent's own tokens a second time."""
_OF_TOOLS = {
    names.TOOL_NAME: "tool.name",
    names.TOOL_DESCRIPTION: "tool.description",
    names.TOOL_CALL_ID: "tool.id",
    names.TOOL_ARGUMENTS: "tool.parameters",
}
_PARAMETERS = "gen_ai.request."
_MAX_MESSAGES = 50


def openinference_attributes(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a finished span says, by OpenInference's names."""
    operation = str(written.get(names.OPERATION, ""))
    told: dict[str, Any] = {"openinference.span.kind": _KINDS.get(operation, "CHAIN")}
    if names.AGENT_NAME in written:
        told["agent.name"] = written[names.AGENT_NAME]
    if operation == names.INVOKE_AGENT:
        told |= _graph_node(str(written.get(names.AGENT_PATH, "")))
        told |= _value("input", written.get(names.INPUT_MESSAGES))
        told |= _value("output", written.get(names.OUTPUT_MESSAGES))
    elif operation == names.CHAT:
        told |= _model_call(written)
    elif operation == names.EXECUTE_TOOL:
        told |= {_OF_TOOLS[key]: written[key] for key in _OF_TOOLS if key in written}
        told |= _value("input", written.get(names.TOOL_ARGUMENTS))
        told |= _value("output", written.get(names.TOOL_RESULT))
    return told


def _graph_node(path: str) -> dict[str, Any]:
    """Say where an agent stands: Phoenix draws the team from this."""
    above, _, own = path.rpartition("/")
    node = {"graph.node.id": path, "graph.node.name": own}
    return {**node, "graph.node.parent_id": above} if above else node


def _model_call(written: Mapping[str, Any]) -> dict[str, Any]:
    told = {new: written[key] for key in _RENAMED if key in written for new in _RENAMED[key]}
    asked = written.get(names.REQUEST_MODEL)
    told["llm.request.model_name"] = asked
    told["llm.response.model_name"] = written.get(names.RESPONSE_MODEL)
    told["llm.model_name"] = written.get(names.RESPONSE_MODEL) or asked
    told["llm.cost.total"] = written.get(names.TOTAL_COST_USD)
    if names.INPUT_TOKENS in written:
        both = (written[names.INPUT_TOKENS], written.get(names.OUTPUT_TOKENS, 0))
        told["llm.token_count.total"] = sum(both)
    reasons = written.get(names.FINISH_REASONS)
    told["llm.finish_reason"] = reasons[0] if reasons else None
    parameters = {
        key.removeprefix(_PARAMETERS): value
        for key, value in written.items()
        if key.startswith(_PARAMETERS) and key != names.REQUEST_MODEL
    }
    told["llm.invocation_parameters"] = json.dumps(parameters) if parameters else None
    for side, key in (("input", names.INPUT_MESSAGES), ("output", names.OUTPUT_MESSAGES)):
        told |= _value(side, written.get(key))
        told |= _messages(f"llm.{side}_messages", written.get(key))
    return {key: value for key, value in told.items() if value is not None}


def _value(side: str, text: object) -> dict[str, Any]:
    if text is None:
        return {}
    is_json = str(text)[:1] in ("{", "[")
    kind = "application/json" if is_json else "text/plain"
    return {f"{side}.value": text, f"{side}.mime_type": kind}


def _messages(prefix: str, text: object) -> dict[str, Any]:
    """Return the messages of a JSON text one by one; nothing where it was cut and is no JSON."""
    try:
        messages: object = json.loads(str(text)) if text is not None else []
    except ValueError:
        return {}
    told: dict[str, Any] = {}
    listed = cast("list[object]", messages) if isinstance(messages, list) else []
    for place, message in enumerate(listed[:_MAX_MESSAGES]):
        if isinstance(message, dict):
            told.update(_message(f"{prefix}.{place}.message", cast("dict[str, Any]", message)))
    return told


def _message(prefix: str, message: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield f"{prefix}.role", str(message.get("role"))
    said: list[str] = []
    calls = 0
    for part in message.get("parts") or ():
        match part.get("type"):
            case "text":
                said.append(str(part.get("content")))
            case "tool_call":
                call = f"{prefix}.tool_calls.{calls}.tool_call"
                calls += 1
                yield f"{call}.id", str(part.get("id"))
                yield f"{call}.function.name", str(part.get("name"))
                yield f"{call}.function.arguments", json.dumps(part.get("arguments"))
            case "tool_call_response":
                yield f"{prefix}.tool_call_id", str(part.get("id"))
                said.append(str(part.get("response")))
            case _:
                pass
    if said:
        yield f"{prefix}.content", "\n".join(said)
