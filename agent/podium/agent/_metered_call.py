"""One model call that is seen and paid for: its span, its usage and its room in the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from podium.agent._chat_span import ChatRecord, model_name
from podium.agent._history import with_unique_ids
from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent._tries import current_call
from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.tracing import attributes as names
from podium.tracing._span_events import note_budget, note_fallback, note_retry

if TYPE_CHECKING:
    from podium.agent._context import RunContext
    from podium.agent._effects import ModelRequest
    from podium.agent._permit import Permit
    from podium.agent._spending import Spending
    from podium.agent.models import ChatGenerator
    from podium.tracing import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredReply:
    """What came of a call."""

    reply: ChatMessage
    """The model's reply, the first one if it gave several; empty if it gave none."""
    usage: Usage
    """What the try that succeeded used."""
    was_cut: bool
    """Whether the budget's own cap cut the reply."""


async def call_metered(
    context: RunContext,
    request: ModelRequest,
    spending: Spending | None,
    *,
    purpose: str,
    step: int | None = None,
) -> MeteredReply:
    """Make a model call for the run of `context`, once there is room for it.

    `step` is the step of the loop that asks; None for the calls of tools and hooks.

    Raises:
        OutOfBudgetError: there is no room, and none will come.
    """
    call = _Call(context, request, spending, purpose)
    kwargs = await call.retried(request.generator)
    if kwargs is not None:
        request = replace(request, generation_kwargs=kwargs)
    record = ChatRecord(context, request, step)
    if record.is_watched and request.streaming_callback is not None:
        request = replace(request, streaming_callback=record.streaming_callback)
    mark = current_call.set(call)
    try:
        with record.span.current():
            replies = await context.tree.effects.call_model(request)
        made = call.answered(replies)
        record.answered(made.usage, replies)
    except BaseException as error:
        call.failed(error)
        record.failed(error)
        raise
    finally:
        current_call.reset(mark)
        record.span.end()
    return made


class _Call:
    """A call under way: the try that goes on, and the room it has."""

    __slots__ = (
        "_context",
        "_failures",
        "_is_open",
        "_permit",
        "_purpose",
        "_request",
        "_spending",
        "_started",
    )

    def __init__(
        self, context: RunContext, request: ModelRequest, spending: Spending | None, purpose: str
    ) -> None:
        """Begin no try yet."""
        self._context = context
        self._request = request
        self._spending = spending
        self._purpose = purpose
        self._permit: Permit | None = None
        self._is_open = False
        self._started = 0.0
        self._failures: list[tuple[BaseException, float]] = []

    async def retried(self, generator: ChatGenerator) -> Mapping[str, Any] | None:
        """Return the parameters for a try with this generator, once there is room for it.

        None where nothing limits the call, and nothing is to be changed.
        """
        clock = self._context.tree.effects.monotonic
        self._tell_failure(generator)
        if self._spending is not None:
            if generator is not self._request.generator:
                self._spending = self._spending.for_generator(generator)
            self._permit = await self._ask_for_room(self._spending, generator)
        if generator is not self._request.generator:
            self._request = replace(self._request, generator=generator)
        self._is_open, self._started = True, clock()
        return None if self._permit is None else self._permit.generation_kwargs

    async def _ask_for_room(self, spending: Spending, generator: ChatGenerator) -> Permit:
        from podium.agent._permit import ask_for_room  # the ledger loads with the first budget

        # What was kept back for the answer is taken once.
        is_last = self._purpose == "final_answer" and self._permit is None
        context, clock = self._context, self._context.tree.effects.monotonic
        began, blocked = clock(), list[OutOfBudgetError]()
        try:
            return await ask_for_room(
                spending,
                generator,
                self._request.messages,
                self._request.generation_kwargs,
                tools=self._request.tools,
                is_last=is_last,
                on_wait=lambda denied: blocked.append(OutOfBudgetError(denied)),
            )
        except OutOfBudgetError as stop:
            if not is_last:  # which is asked for again, with a shorter prompt
                note_budget(context.span, names.BUDGET_DENIED, stop.ending())
            raise
        finally:
            waited = clock() - began
            context.meter.add_wait(waited)
            for hold in blocked:
                note_budget(context.span, names.BUDGET_WAIT, hold.ending(), waited_seconds=waited)

    def _tell_failure(self, generator: ChatGenerator) -> None:
        """Say on the call's span why there is another try, by the same model or the next one."""
        if not self._failures:
            return
        (error, failed_at), attempt = self._failures[-1], len(self._failures)
        status = error.status if isinstance(error, ModelError) else None
        failure = error if status is None else str(status)
        before, delay = self._request.generator, self._context.tree.effects.monotonic() - failed_at
        # A generator that falls back on others stands for the first of them.
        if _place(generator) == _place(before):
            note_retry(failure, attempt=attempt, delay_seconds=delay, model=model_name(before))
        else:
            note_fallback(
                failure, attempt=attempt, model=model_name(before), next_model=model_name(generator)
            )

    def failed(self, error: BaseException, *, was_sent: bool = True) -> None:
        """Free the room of a try that surely did no work; one that may have is charged in full."""
        if not self._is_open:
            return
        self._is_open = False
        self._failures.append((error, self._context.tree.effects.monotonic()))
        did_work = was_sent and not (isinstance(error, ModelError) and error.was_refused)
        if did_work:
            self._record(None, model_name(self._request.generator))
        if self._permit is not None:
            self._permit.give_back(did_work=did_work)

    def answered(self, replies: Sequence[ChatMessage]) -> MeteredReply:
        """Charge what the try used, and return what came of it."""
        reply = with_unique_ids(replies[0] if replies else ChatMessage.from_assistant())
        model = str(reply.meta.get("model") or model_name(self._request.generator))
        usage = self._record(reply.meta.get("usage"), model)
        self._is_open, permit = False, self._permit
        if permit is not None:
            permit.pay(usage, reply)
        was_cut = permit is not None and permit.was_cut(reply)
        return MeteredReply(reply=reply, usage=usage, was_cut=was_cut)

    def _record(self, raw_usage: object, model: str) -> Usage:
        return self._context.meter.record_call(
            raw_usage,
            model=model,
            purpose=self._purpose,
            seconds=self._context.tree.effects.monotonic() - self._started,
            cost=self._spending.cost if self._spending is not None else None,
        )


def _place(generator: object) -> tuple[str, object]:
    return model_name(generator), getattr(generator, "server_address", None)
