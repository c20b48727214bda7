"""The spans of a run: an agent, a model call, a tool call, a hook, and what came of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from opentelemetry.context import Context

from podium.tracing import attributes as names
from podium.tracing._open_span import OpenSpan, open_span
from podium.tracing._usage import Usage


def agent_span(
    *,
    name: str,
    description: str,
    path: str,
    depth: int,
    run_id: str,
    parent: Context | None,
) -> OpenSpan:
    """Start the span of one agent's run."""
    return open_span(
        f"{names.INVOKE_AGENT} {name}",
        kind="internal",
        parent=parent,
        attributes={
            names.OPERATION: names.INVOKE_AGENT,
            names.AGENT_NAME: name,
            names.AGENT_DESCRIPTION: description or None,
            names.AGENT_PATH: path,
            names.AGENT_DEPTH: depth,
            names.RUN_ID: run_id,
        },
    )


def chat_facts(
    *,
    model: str,
    provider: str,
    agent_name: str,
    step: int | None,
    path: str,
    stream: bool = False,
    server_address: str | None = None,
    server_port: int | None = None,
) -> dict[str, object]:
    """Return what is known of a model call before it is made."""
    return {
        names.OPERATION: names.CHAT,
        names.PROVIDER: provider,
        names.REQUEST_MODEL: model,
        names.REQUEST_STREAM: stream or None,
        names.SERVER_ADDRESS: server_address,
        names.SERVER_PORT: server_port,
        names.AGENT_NAME: agent_name,
        names.AGENT_PATH: path,
        names.STEP: step,
    }


def chat_span(facts: Mapping[str, object], parent: Context | None) -> OpenSpan:
    """Start the span of one model call, its retries included; `facts` as of `chat_facts`."""
    name = f"{names.CHAT} {facts[names.REQUEST_MODEL]}"
    return open_span(name, kind="client", parent=parent, attributes=facts)


def tool_span(
    *,
    tool_name: str,
    description: str,
    call_id: str | None,
    agent_name: str,
    step: int,
    path: str,
    parent: Context | None,
    target: str | None = None,
) -> OpenSpan:
    """Start the span of one tool call by `agent_name`; `target` is the agent it delegates to."""
    return open_span(
        f"{names.EXECUTE_TOOL} {tool_name} {target}"
        if target
        else f"{names.EXECUTE_TOOL} {tool_name}",
        kind="internal",
        parent=parent,
        attributes={
            names.OPERATION: names.EXECUTE_TOOL,
            names.TOOL_NAME: tool_name,
            names.TOOL_TYPE: "function",
            names.TOOL_DESCRIPTION: description or None,
            names.TOOL_CALL_ID: call_id,
            names.TRANSFER_TARGET: target,
            names.TRANSFER_MODE: names.RETURN_TO_CALLER if target else None,
            names.AGENT_NAME: agent_name,
            names.AGENT_PATH: path,
            names.STEP: step,
        },
    )


def hook_span(
    *, point: str, hook_name: str, agent_name: str, path: str, parent: Context | None
) -> OpenSpan:
    """Start the span of one hook."""
    return open_span(
        f"{names.HOOK} {point} {hook_name}",
        kind="internal",
        parent=parent,
        attributes={
            names.HOOK_POINT: point,
            names.HOOK_NAME: hook_name,
            names.AGENT_NAME: agent_name,
            names.AGENT_PATH: path,
        },
    )


def set_chat_result(
    span: OpenSpan,
    usage: Usage,
    *,
    response_model: str | None = None,
    finish_reasons: Sequence[str] = (),
    response_id: str | None = None,
    first_chunk_seconds: float | None = None,
) -> None:
    """Write what came of a model call; `first_chunk_seconds` of a streamed one."""
    if span.recording:
        span.update(
            {
                **_usage_attributes(usage),
                names.TOTAL_COST_USD: usage.cost,
                names.TIME_TO_FIRST_CHUNK: first_chunk_seconds,
                names.RESPONSE_MODEL: response_model,
                names.RESPONSE_ID: response_id,
                names.FINISH_REASONS: finish_reasons or None,
            }
        )


def set_agent_result(
    span: OpenSpan,
    *,
    own: Usage,
    total: Usage,
    stop_reason: str,
    steps: int,
    stop_by: str | None = None,
) -> None:
    """Write how an agent's run ended and what it used: itself, and with everything below it."""
    if span.recording:
        span.update(
            {
                **_usage_attributes(own),
                names.TOTAL_INPUT_TOKENS: total.input_tokens,
                names.TOTAL_OUTPUT_TOKENS: total.output_tokens,
                names.TOTAL_TOKENS: total.total_tokens,
                names.TOTAL_COST_USD: total.cost,
                names.USAGE_COMPLETE: None if total.complete else False,
                names.STOP_REASON: stop_reason,
                names.STOP_BY: stop_by,
                names.STEPS: steps,
            }
        )


def describe_limit(span: OpenSpan, what: str, limit: object, spent: object, held: object) -> None:
    """Write the numbers of the limit that ended a run."""
    if span.recording:
        figures: dict[Literal["limit", "spent", "held"], object] = {
            "limit": limit,
            "spent": spent,
            "held": held,
        }
        span.update({names.budget_key(what, figure): value for figure, value in figures.items()})


def _usage_attributes(usage: Usage) -> dict[str, object]:
    if not (usage.complete or usage.total_tokens):
        return {names.USAGE_COMPLETE: False}
    return {
        names.INPUT_TOKENS: usage.input_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.CACHED_INPUT_TOKENS: usage.cached_input_tokens or None,
        names.CACHE_WRITE_TOKENS: usage.cache_write_tokens or None,
        names.REASONING_TOKENS: usage.reasoning_tokens or None,
        names.USAGE_COMPLETE: None if usage.complete else False,
    }
