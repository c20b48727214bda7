"""Asking the model: one logical call, with its span, its usage and its chunks."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Any

from podium.agent._effects import ModelRequest
from podium.agent._history import with_unique_ids
from podium.agent._output import output_options
from podium.agent._run_state import RunState
from podium.agent.events import BudgetChanged, ReasoningDelta, TextDelta
from podium.agent.messages import ChatMessage
from podium.agent.models import StreamingCallback
from podium.agent.streaming import ComponentInfo, StreamingChunk
from podium.tools import Tool
from podium.tracing import Usage
from podium.tracing._spans import chat_span, set_chat_result

EMPTY_RETRIES = 2
"""How often an empty reply is asked for again, before the run gives up on it."""


async def ask_model(run: RunState, tools: Sequence[Tool], *, purpose: str = "loop") -> ChatMessage:
    """Return the model's reply, which is in the conversation then.

    An empty reply is no answer: it is dropped and asked for again, at most twice. If the last try
    is empty too it is returned, but stays out of the conversation.
    """
    reply = await _call(run, tools, purpose)
    for _ in range(EMPTY_RETRIES):
        if not _is_empty(reply):
            break
        reply = await _call(run, tools, purpose)
    if not _is_empty(reply):
        run.add(reply)
    return reply


async def _call(run: RunState, tools: Sequence[Tool], purpose: str) -> ChatMessage:
    context, generator = run.context, run.agent.chat_generator
    listener = _listener(run)
    model = str(getattr(generator, "model", type(generator).__name__))
    effects = context.tree.effects
    span = chat_span(
        model=model,
        provider=str(getattr(generator, "provider_name", "custom")),
        agent_name=context.name,
        step=run.step_count + 1,
        path=context.path,
        stream=listener is not None,
        server_address=getattr(generator, "server_address", None),
        parent=context.span.context,
    )
    request = ModelRequest(
        generator=generator,
        messages=run.messages,
        tools=tools,
        generation_kwargs=output_options(run.agent, run.generation_kwargs),
        streaming_callback=listener,
    )
    started = effects.monotonic()
    try:
        with span.current():
            replies = await effects.call_model(request)
        reply = replies[0] if replies else ChatMessage.from_assistant()
        usage = context.meter.record_call(
            reply.meta.get("usage"),
            model=str(reply.meta.get("model") or model),
            purpose=purpose,
            seconds=effects.monotonic() - started,
        )
        set_chat_result(
            span,
            usage,
            response_model=reply.meta.get("model"),
            finish_reasons=[str(one.meta.get("finish_reason")) for one in replies],
            response_id=reply.meta.get("id"),
        )
    except BaseException as error:
        span.fail(error)
        raise
    finally:
        span.end()
    _tell(run, usage)
    await context.wait_for_reader()
    return with_unique_ids(reply)


def _tell(run: RunState, usage: Usage) -> None:
    data, meter = run.state.data, run.context.meter
    data["token_usage"] = meter.token_usage
    if usage.total_tokens:
        data["context_tokens"] = usage.total_tokens
    if run.context.tree.channel is not None:
        run.context.emit(BudgetChanged, run.step_count + 1, usage=meter.own)


def _is_empty(reply: ChatMessage) -> bool:
    text = reply.text
    return not (
        (text and not text.isspace())
        or reply.tool_calls
        or reply.meta.get("refusal")
        or reply.meta.get("finish_reason") in {"length", "content_filter"}
    )


def _listener(run: RunState) -> StreamingCallback | None:
    """Return what the generator calls with each chunk; None when nobody wants chunks."""
    context, callback = run.context, run.streaming_callback
    channel, step = context.tree.channel, run.step_count + 1
    if channel is None and callback is None:
        return None
    source = ComponentInfo("Agent", context.path)

    def listen(chunk: StreamingChunk) -> Awaitable[None] | None:
        if channel is not None:
            if chunk.content:
                context.emit(TextDelta, step, text=chunk.content)
            elif chunk.reasoning is not None:
                context.emit(ReasoningDelta, step, text=chunk.reasoning.reasoning_text)
        waiting: Any = None
        if callback is not None:
            waiting = callback(replace(chunk, component_info=source))
        if channel is not None and channel.is_full:
            return _in_turn(waiting, channel.wait_for_room())
        return waiting if waiting is not None and inspect.isawaitable(waiting) else None

    return listen


async def _in_turn(*awaitables: Any) -> None:
    for awaitable in awaitables:
        if inspect.isawaitable(awaitable):
            await awaitable
