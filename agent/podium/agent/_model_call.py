"""Asking the model: one logical call, with its room in the budget, its span and its usage."""

from __future__ import annotations

from collections.abc import Sequence

from podium.agent._chunks import chunk_listener
from podium.agent._effects import ModelRequest
from podium.agent._metered_call import call_metered
from podium.agent._output import output_options
from podium.agent._run_state import RunState
from podium.agent.events import BudgetChanged
from podium.agent.messages import ChatMessage
from podium.tools import Tool
from podium.tracing import Usage

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
    context = run.context
    request = ModelRequest(
        generator=run.agent.chat_generator,
        messages=messages,
        tools=tools,
        generation_kwargs=output_options(run.agent, run.generation_kwargs),
        streaming_callback=chunk_listener(run),
    )
    made = await call_metered(
        context, request, context.spending, purpose=purpose, step=run.step_count + 1
    )
    run.cut_by_budget = made.was_cut
    _tell(run, made.usage)
    await context.wait_for_reader()
    return made.reply


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
