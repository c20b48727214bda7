"""The account of the run that code belongs to: for tools and hooks that ask models themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from podium.agent._chat_span import record_call_made_elsewhere
from podium.agent._context import RunContext, current_run
from podium.agent._effects import ModelRequest
from podium.agent._metered_call import call_metered
from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent.errors import AgentError, BudgetExceededError
from podium.agent.messages import ChatMessage

if TYPE_CHECKING:
    from podium.agent.budget import BudgetView
    from podium.agent.models import ChatGenerator
    from podium.tracing import Usage


def current_account() -> RunAccount:
    """Return the account of the run that calls this tool or hook.

    Raises:
        AgentError: no run is going on here.
    """
    context = current_run.get()
    if context is None:
        raise AgentError(
            f"current_account() found {context}: no agent runs here, so there is no account. "
            "Call it inside a tool or a hook."
        )
    return RunAccount(context)


class RunAccount:
    """What a tool or hook charges its own model calls to; they count for the agent that runs it."""

    def __init__(self, context: RunContext) -> None:
        """Stand for a run; `current_account` makes it."""
        self._context = context

    @property
    def path(self) -> str:
        """The path of the agent that pays."""
        return self._context.path

    @property
    def budget(self) -> BudgetView | None:
        """What is left; None when nothing limits the run."""
        spending = self._context.spending
        return None if spending is None else spending.view(self._context.deadline)

    def record(
        self, usage: Mapping[str, Any] | None, *, model: str, purpose: str = "tool"
    ) -> Usage:
        """Count a model call that was made elsewhere, by the usage its provider reported.

        It is charged to the budget although nothing was reserved for it; prefer `ask`.
        """
        spending = self._context.spending
        cost = spending.cost if spending is not None else None
        used = self._context.meter.record_call(usage, model=model, purpose=purpose, cost=cost)
        if spending is not None:
            spending.charge(used)
        record_call_made_elsewhere(self._context, model, used)
        return used

    async def ask(
        self,
        generator: ChatGenerator,
        messages: str | Sequence[ChatMessage],
        *,
        generation_kwargs: Mapping[str, Any] | None = None,
        purpose: str = "tool",
    ) -> ChatMessage:
        """Ask a model within the run's budget: room is reserved first and the reply is capped.

        Raises:
            BudgetExceededError: there is no room for the call.
        """
        conversation = [ChatMessage.from_user(messages)] if isinstance(messages, str) else messages
        context = self._context
        request = ModelRequest(
            generator=generator,
            messages=conversation,
            tools=(),
            generation_kwargs=generation_kwargs,
            streaming_callback=None,
        )
        own = context.spending and context.spending.for_generator(generator)
        try:
            made = await call_metered(context, request, own, purpose=purpose)
        except OutOfBudgetError as stop:
            raise BudgetExceededError(stop.told()) from stop
        return made.reply
