"""Permission to make one model call: room reserved for it, its output capped, its use charged."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent._sizing import CallNeeds, output_cap, size_call
from podium.agent._spending import Spending
from podium.agent.ledger import Denied, Reservation, Resource
from podium.agent.messages import ChatMessage
from podium.agent.models._output_caps import OutputCaps, output_caps
from podium.agent.prices import dearest_output_per_million, dearest_prompt
from podium.tools import Tool
from podium.tracing import Usage

Kwargs = Mapping[str, Any] | None


@dataclass(slots=True, kw_only=True)
class Permit:
    """One call's room in the ledger."""

    spending: Spending
    """Whose money it is."""
    reservation: Reservation
    """What is held."""
    generation_kwargs: Kwargs
    """The model's parameters, with the output limit in them."""
    cap: int | None
    """The output limit that the ledger set; None when it set none."""
    model: str
    """The model that is asked."""
    messages: Sequence[ChatMessage] = field(default_factory=list[ChatMessage])
    """What is sent, as it is then."""
    tools: Sequence[Tool] = ()
    """What is sent with it."""

    def pay(self, usage: Usage, reply: ChatMessage) -> None:
        """Charge what the call used, give back the rest, and learn from it.

        `reply` is the message that goes into the history.
        """
        self.reservation.settle(_amounts(usage) if usage.complete else None)
        sent, written = usage.input_tokens, usage.output_tokens
        if usage.complete:
            lengths = self.spending.knowledge.lengths_of(self.model)
            lengths.add(written, was_cut=self.was_cut(reply))
        self.spending.bound.note(
            self.messages,
            self.tools,
            sent if usage.complete else None,
            written if usage.complete else None,
            reply=reply,
            response_format=(self.generation_kwargs or {}).get("response_format"),
        )

    def give_back(self, *, did_work: bool) -> None:
        """Free the room of a call that surely did no work; charge one that may have in full."""
        if did_work:
            self.reservation.settle(None)
        else:
            self.reservation.cancel()

    def was_cut(self, reply: ChatMessage) -> bool:
        """Return whether the ledger's own cap cut the reply."""
        return self.cap is not None and reply.meta.get("finish_reason") == "length"


async def ask_for_room(
    spending: Spending,
    generator: object,
    messages: Sequence[ChatMessage],
    kwargs: Kwargs,
    *,
    tools: Sequence[Tool] = (),
    is_last: bool = False,
    on_wait: Callable[[Denied], object] | None = None,
) -> Permit:
    """Reserve room for a call, waiting for it where siblings will give some back.

    `is_last` uses what was kept back for the answer, and waits for nobody. `on_wait` is called with
    what stands in the way, if the call has to wait.

    Raises:
        OutOfBudgetError: there is no room, and none will come.
    """
    caps, account = output_caps(generator), spending.account
    tools = tools or getattr(generator, "tools", None) or ()
    model = str(getattr(generator, "model", type(generator).__name__))
    prompt = spending.bound.bound(
        messages, tools, response_format=(kwargs or {}).get("response_format")
    )
    needs = _needs(spending, caps, model, prompt, kwargs)
    if is_last:
        third = spending.kept.get("tokens", 0) // 3  # the rest of what was kept is for the prompt
        needs = replace(needs, min_output=max(needs.min_output, third))
        size = size_call(account, needs, spending.kept)
        outcome = account.reserve(size.want, size.least, from_reserve=True)
    else:
        outcome = await account.reserve_waiting(lambda: size_call(account, needs), on_wait)
    if isinstance(outcome, Denied):
        raise OutOfBudgetError(outcome)
    cap = output_cap(account, needs, outcome)
    if cap is not None and needs.max_output is not None and cap >= needs.max_output:
        cap = None  # the caller's own limit, or the model's, is the tighter one
    return Permit(
        spending=spending,
        reservation=outcome,
        generation_kwargs=kwargs if cap is None else caps.capped(kwargs, cap),
        cap=cap,
        model=model,
        messages=list(messages),
        tools=tools,
    )


def _needs(
    spending: Spending, caps: OutputCaps, model: str, prompt: int, kwargs: Kwargs
) -> CallNeeds:
    price, most = spending.price, caps.limit(kwargs)
    least = spending.terms.min_output_tokens
    return CallNeeds(
        prompt_tokens=prompt,
        max_output=most,
        expected_output=spending.knowledge.lengths_of(model).expected,
        min_output=least if caps.can_cap or most is None else most,  # what cannot be cut, must fit
        prompt_nusd=None if price is None else dearest_prompt(price, prompt),
        output_nusd_per_million=(0 if price is None else dearest_output_per_million(price, prompt)),
    )


def _amounts(usage: Usage) -> dict[Resource, int]:
    amounts: dict[Resource, int] = {
        "tokens": usage.total_tokens,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "requests": usage.requests,
    }
    if usage.cost is not None:
        amounts["cost_nusd"] = math.ceil(usage.cost * 1_000_000_000)
    return amounts
