"""The span of a model call, whoever makes it: the loop, a tool or a hook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podium.tracing._open_span import OpenSpan
from podium.tracing._spans import chat_span, set_chat_result

if TYPE_CHECKING:
    from podium.agent._context import RunContext
    from podium.agent.messages import ChatMessage
    from podium.tracing import Usage


def model_name(generator: object) -> str:
    """Return what a generator calls its model, or its own kind."""
    return str(getattr(generator, "model", type(generator).__name__))


def open_chat_span(
    context: RunContext,
    generator: object,
    *,
    step: int | None = None,
    is_streamed: bool = False,
) -> OpenSpan:
    """Start the span of a call: below the agent's in a step, else below what is current."""
    return chat_span(
        model=model_name(generator),
        provider=str(getattr(generator, "provider_name", "custom")),
        agent_name=context.name,
        step=step,
        path=context.path,
        stream=is_streamed,
        server_address=getattr(generator, "server_address", None),
        parent=None if step is None else context.span.context,
    )


def describe_reply(span: OpenSpan, usage: Usage, replies: Sequence[ChatMessage]) -> None:
    """Write what came of the call."""
    meta: Mapping[str, Any] = replies[0].meta if replies else {}
    set_chat_result(
        span,
        usage,
        response_model=meta.get("model"),
        finish_reasons=[str(one.meta.get("finish_reason")) for one in replies],
        response_id=meta.get("id"),
    )


def record_call_made_elsewhere(context: RunContext, model: str, usage: Usage) -> None:
    """Write a span for a call that podium did not make itself, so that its usage is seen too."""
    span = chat_span(
        model=model,
        provider="custom",
        agent_name=context.name,
        step=None,
        path=context.path,
        parent=None,
    )
    set_chat_result(span, usage)
    span.end()
