"""Asking the model: one logical call, with its room in the budget, its span and its usage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from podium.agent._chat_span import describe_reply, model_name, open_chat_span
from podium.agent._chunks import chunk_listener
from podium.agent._effects import ModelRequest
from podium.agent._history import with_unique_ids
from podium.agent._output import output_options
from podium.agent._run_state import RunState
from podium.agent.events import BudgetChanged
from podium.agent.messages import ChatMessage
from podium.tools import Tool
from podium.tracing import Usage

if TYPE_CHECKING:
    from podium.agent._permit import Permit

EMPTY_RETRIES = 2
"""How often an empty reply is asked for again, before the run gives up on it."""


async def ask_model(
    run: RunState,
    tools: Sequence[Tool],
    *,
    purpose: str = "loop",
    messages: Sequence[ChatMessage] | None = None,
) -> ChatMessage:
    """Return the model's reply to the conversation, or to `messages`; it is added to the former.

    An empty reply is no answer: it is dropped and asked for again, at most twice. If the last try
    is empty too it is returned, but stays out of the conversation.

    Raises:
        OutOfBudgetError: the budget has no room for the call.
    """
    sent = run.messages if messages is None else messages
    reply = await _call(run, sent, tools, purpose)
    for _ in range(EMPTY_RETRIES):
        if not _is_empty(reply):
            break
        reply = await _call(run, sent, tools, purpose)
    if not _is_empty(reply):
        run.add(reply)
    return reply


async def _call(
    run: RunState, messages: Sequence[ChatMessage], tools: Sequence[Tool], purpose: str
) -> ChatMessage:
    context, generator = run.context, run.agent.chat_generator
    effects, listener = context.tree.effects, chunk_listener(run)
    permit = await _permit(run, messages, tools, purpose)
    span = open_chat_span(
        context, generator, step=run.step_count + 1, is_streamed=listener is not None
    )
    request = ModelRequest(
        generator=generator,
        messages=messages,
        tools=tools,
        generation_kwargs=permit.generation_kwargs if permit else _options(run),
        streaming_callback=listener,
    )
    started = effects.monotonic()
    try:
        with span.current():
            replies = await effects.call_model(request)
        reply = with_unique_ids(replies[0] if replies else ChatMessage.from_assistant())
        usage = _record(run, reply, purpose, effects.monotonic() - started)
        describe_reply(span, usage, replies)
    except BaseException as error:
        if permit is not None:
            permit.give_back(error)
        span.fail(error)
        raise
    finally:
        span.end()
    if permit is not None:
        permit.pay(usage, reply)
        run.cut_by_budget = permit.was_cut(reply)
    _tell(run, usage)
    await context.wait_for_reader()
    return reply


async def _permit(
    run: RunState, messages: Sequence[ChatMessage], tools: Sequence[Tool], purpose: str
) -> Permit | None:
    spending, generator = run.context.spending, run.agent.chat_generator
    if spending is None:
        return None
    from podium.agent._permit import ask_for_room  # the ledger loads with the first budget

    clock, meter = run.context.tree.effects.monotonic, run.context.meter
    is_last, began = purpose == "final_answer", clock()
    try:
        return await ask_for_room(
            spending, generator, messages, _options(run), tools=tools, is_last=is_last
        )
    finally:
        meter.add_wait(clock() - began)


def _options(run: RunState) -> Any:
    return output_options(run.agent, run.generation_kwargs)


def _record(run: RunState, reply: ChatMessage, purpose: str, seconds: float) -> Usage:
    return run.context.meter.record_call(
        reply.meta.get("usage"),
        model=str(reply.meta.get("model") or model_name(run.agent.chat_generator)),
        purpose=purpose,
        seconds=seconds,
        cost=run.context.spending.cost if run.context.spending is not None else None,
    )


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
