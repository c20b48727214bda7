"""One model call that is seen and paid for: its span, its usage and its room in the budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podium.agent._chat_span import describe_reply, model_name, open_chat_span
from podium.agent._history import with_unique_ids
from podium.agent.messages import ChatMessage

if TYPE_CHECKING:
    from podium.agent._context import RunContext
    from podium.agent._effects import ModelRequest
    from podium.agent._permit import Permit
    from podium.agent._spending import Spending
    from podium.tracing import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredReply:
    """What came of a call."""

    reply: ChatMessage
    """The model's reply, the first one if it gave several; empty if it gave none."""
    usage: Usage
    """What the call used."""
    was_cut: bool
    """Whether the budget's own cap cut the reply."""


async def ask_permit(
    context: RunContext,
    spending: Spending | None,
    request: ModelRequest,
    *,
    is_last: bool = False,
) -> Permit | None:
    """Return room for a call, once there is some; None where nothing limits it.

    `is_last` uses what was kept back for the answer.

    Raises:
        OutOfBudgetError: there is no room, and none will come.
    """
    if spending is None:
        return None
    from podium.agent._permit import ask_for_room  # the ledger loads with the first budget

    clock = context.tree.effects.monotonic
    began = clock()
    try:
        return await ask_for_room(
            spending,
            request.generator,
            request.messages,
            request.generation_kwargs,
            tools=request.tools,
            is_last=is_last,
        )
    finally:
        context.meter.add_wait(clock() - began)


async def call_metered(
    context: RunContext,
    request: ModelRequest,
    permit: Permit | None,
    *,
    purpose: str,
    step: int | None = None,
) -> MeteredReply:
    """Make the call for the run of `context`, with the output limit of its permit.

    The permit is used up, whatever happens.

    `step` is the step of the loop that asks; None for the calls of tools and hooks.
    """
    effects, meter, generator = context.tree.effects, context.meter, request.generator
    if permit is not None:
        request = replace(request, generation_kwargs=permit.generation_kwargs)
    span = open_chat_span(
        context, generator, step=step, is_streamed=request.streaming_callback is not None
    )
    started = effects.monotonic()
    try:
        with span.current():
            replies = await effects.call_model(request)
        reply = with_unique_ids(replies[0] if replies else ChatMessage.from_assistant())
        payer = permit.spending if permit is not None else context.spending
        usage = meter.record_call(
            reply.meta.get("usage"),
            model=str(reply.meta.get("model") or model_name(generator)),
            purpose=purpose,
            seconds=effects.monotonic() - started,
            cost=payer.cost if payer is not None else None,
        )
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
    return MeteredReply(
        reply=reply, usage=usage, was_cut=permit is not None and permit.was_cut(reply)
    )
