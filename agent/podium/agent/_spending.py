"""What a run may spend: its account in the ledger, its time, and what its tree knows of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from podium.agent._learned_factors import LearnedFactors
from podium.agent._out_of_budget import OutOfBudgetError
from podium.agent._prompt_bound import PromptBound
from podium.agent._sizing import ReplyLengths
from podium.agent.budget import Budget, BudgetView
from podium.agent.budget._limits import EXIT_REASONS, LIMITS, NUSD_PER_USD
from podium.agent.errors import DelegationError
from podium.agent.ledger import Account, Allotment, Amounts, Denied, Granted, Resource
from podium.agent.models._output_caps import output_caps
from podium.agent.models._protocol import models_behind
from podium.agent.prices import GenAIPrices, ModelPrice, PriceTable, cost_of
from podium.tracing import Usage
from podium.tracing import attributes as names
from podium.tracing._span_events import note_budget
from podium.tracing._stop_reasons import amount, limit_sentence

if TYPE_CHECKING:
    from podium.agent._agent import Agent
    from podium.agent._context import RunContext

ANSWER_TOKENS = 1_500
"""What a coordinator keeps back for its answer, if that is less than the part below."""
HUGE = 10**15
"""More of anything than any limit."""
ANSWER_PART = 20
"""One part in so many of a limit is kept back for the answer."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the runs of one tree have learned about models; shared by all of them."""

    factors: LearnedFactors = field(default_factory=LearnedFactors)
    """By how much prompts exceed their estimates."""
    lengths: dict[str, ReplyLengths] = field(default_factory=dict[str, ReplyLengths])
    """How long replies are, by model."""

    def lengths_of(self, model: str) -> ReplyLengths:
        """Return what is known of a model's replies."""
        return self.lengths.setdefault(model, ReplyLengths())


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """One run's money bag."""

    account: Account
    """What it and all below it may use."""
    generator: object
    """Whose calls `bound` and `price` are for: the run's first model."""
    terms: Budget
    """How calls are bounded: the run's own budget, or the nearest above."""
    bound: PromptBound
    """Bounds this run's prompts."""
    knowledge: Knowledge
    """What the tree knows of models."""
    prices: PriceTable | None
    """What models cost, where somebody asked."""
    price: ModelPrice | None
    """What the run's model costs; None when nobody knows or asked."""
    kept: Amounts
    """What is kept back for the answer."""
    raises: bool
    """Whether running into a limit of this run raises."""
    others: dict[int, Spending] = field(default_factory=dict[int, "Spending"], repr=False)
    """The same for each model that was asked, by identity; each holds its own alive."""

    def tightest(self) -> Denied:
        """Return what stands in the way of one token more: what caps the run's replies."""
        everything: Amounts = {"tokens": HUGE, "output_tokens": HUGE, "cost_nusd": HUGE}
        denied = self.account.blocking(everything)
        assert denied is not None  # a reply was cut, so something limits it
        return denied

    def for_generator(self, generator: object) -> Spending:
        """Return the same account for calls of this generator, which need not be the run's own.

        Raises:
            ValueError: money is limited and the model has no known price.
        """
        known = self.others.get(id(generator))
        if known is None:
            table, price = _price(generator, self.account, self.prices)
            bound = PromptBound(
                str(getattr(generator, "model", "")),
                factors=self.knowledge.factors,
                token_counter=self.terms.token_counter,
                strict=self.bound.is_strict,
            )
            known = replace(self, generator=generator, bound=bound, prices=table, price=price)
            self.others[id(generator)] = known
        return known

    def charge(self, usage: Usage) -> None:
        """Charge what was used without a reservation."""
        amounts: dict[Resource, int] = {
            "tokens": usage.total_tokens,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "requests": usage.requests,
        }
        if usage.cost is not None:
            amounts["cost_nusd"] = math.ceil(usage.cost * NUSD_PER_USD)
        self.account.charge(amounts)

    def take_tool_call(self) -> OutOfBudgetError | None:
        """Charge one tool call; returns what stands against it, if anything does."""
        taken = self.account.reserve({"tool_calls": 1})
        if isinstance(taken, Denied):
            return OutOfBudgetError(taken)
        taken.settle({"tool_calls": 1})
        return None

    def own_limits(self) -> list[dict[str, Any]]:
        """Return each limit that the run itself has, with its figures, as `ending_of` does."""
        account = self.account
        return [
            ending_of(
                Denied(
                    path=account.path,
                    resource=resource,
                    limit=limit,
                    spent=account.settled(resource),
                    held=account.held(resource),
                    could_fit_later=False,
                )
            )
            for resource in LIMITS
            if (limit := account.limit(resource)) is not None
        ]

    def view(self, deadline: float | None = None) -> BudgetView:
        """Return the figures for hooks and prompts; `deadline` is a time of the monotonic clock."""
        return BudgetView(self.account, deadline=deadline)

    def cost(self, usage: Usage) -> Decimal | None:
        """Return what a call cost; None when its price is not known."""
        return None if self.price is None else cost_of(usage, self.price)


def open_spending(
    agent: Agent,
    path: str,
    budgets: tuple[Budget, ...],
    parent: RunContext | None,
    siblings: tuple[int, int],
) -> Spending | None:
    """Return what a run may spend; None when nothing limits it.

    `budgets` are those given for the run, the first of them being its allotment from the caller;
    all of them hold.

    Raises:
        DelegationError: the run above has no room for one more agent, or for the grant.
        ValueError: money is limited and the model has no known price, or a strict budget meets a
            model whose output cannot be limited.
    """
    above = parent.spending if parent is not None else None
    if above is None and not any(budget.limits() or budget.prices for budget in budgets):
        return None
    account = _account(path, budgets, above, siblings)
    for budget in budgets[1:]:
        _tighten(account, budget)
    terms = budgets[-1] if budgets else above.terms if above else Budget()
    try:
        tables = [one.prices for one in budgets if one.prices is not None]
        table = tables[0] if tables else above.prices if above is not None else None
        models = models_behind(agent.chat_generator)
        (table, price), *_ = [_price(model, account, table) for model in models]
        for model in models:
            _check_caps(model, agent.name, terms)
    except ValueError:
        account.close()
        raise
    knowledge = above.knowledge if above is not None else Knowledge()
    spending = Spending(
        account=account,
        generator=models[0],
        terms=terms,
        bound=PromptBound(
            str(getattr(models[0], "model", "")),
            factors=knowledge.factors,
            token_counter=terms.token_counter,
            strict=terms.strict or (above is not None and above.terms.strict),
        ),
        knowledge=knowledge,
        prices=table,
        price=price,
        kept=account.set_aside(_answer_room(agent, account, terms if budgets else None)),
        raises=any(budget.on_exceeded == "raise" for budget in budgets),
    )
    spending.others[id(models[0])] = spending
    return spending


def figures_at_start(
    budgets: Sequence[Budget], above: Spending | None
) -> dict[str, int | Decimal | None]:
    """Return what a run that is about to start has left, by the names that prompts use."""
    figures: dict[str, int | Decimal | None] = {}
    for resource, name in LIMITS.items():
        known = [limits[resource] for one in budgets if resource in (limits := one.limits())]
        if above is not None and (left := above.account.available(resource)) is not None:
            known.append(max(0, left))
        least = min(known, default=None)
        is_money = resource == "cost_nusd" and least is not None
        figures[f"{name}_left"] = Decimal(least or 0) / NUSD_PER_USD if is_money else least
    return figures


def ending_of(denied: Denied) -> dict[str, Any]:
    """Return the facts of the ending that a denial means."""
    what = denied.resource
    return {
        "reason": EXIT_REASONS[denied.resource],
        "by": denied.path,
        "what": LIMITS[denied.resource],
        "limit": _in_its_unit(what, denied.limit),
        "spent": _in_its_unit(what, denied.spent),
        "held": _in_its_unit(what, denied.held),
        "overdraft": _in_its_unit(what, max(0, denied.spent - denied.limit)),
    }


def _in_its_unit(resource: Resource, counted: int) -> int | Decimal:
    return Decimal(counted) / NUSD_PER_USD if resource == "cost_nusd" else counted


def _account(
    path: str, budgets: tuple[Budget, ...], above: Spending | None, siblings: tuple[int, int]
) -> Account:
    first = budgets[0] if budgets else None
    if above is None:
        return Account.root(path, first.limits() if first is not None else {})
    allotment = first.allotment_for(*siblings) if first is not None else None
    opened = above.account.open_child(path, allotment)
    if isinstance(opened, Denied):
        note_budget(None, names.BUDGET_DENIED, ending_of(opened))  # on the call that would start it
        raise DelegationError(
            f"No agent can be started at {path!r}: {_no_room(opened, allotment)} "
            "Go on with what you have."
        )
    return opened


def _no_room(denied: Denied, allotment: Allotment | None) -> str:
    facts, what = ending_of(denied), LIMITS[denied.resource]
    numbers = {key: facts[key] for key in ("limit", "spent", "held")}
    said = limit_sentence(denied.path, what, reason=None, **numbers)
    wanted = allotment.amounts.get(denied.resource) if isinstance(allotment, Granted) else None
    if wanted is None:
        return said
    return f"{said} That leaves no room to grant {amount(_in_its_unit(denied.resource, wanted))}."


def _price(
    generator: object, account: Account, table: PriceTable | None
) -> tuple[PriceTable | None, ModelPrice | None]:
    is_limited = account.room("cost_nusd") is not None
    if table is None and is_limited:
        table = GenAIPrices()
    if table is None:
        return None, None
    model = str(getattr(generator, "model", type(generator).__name__))
    price = table.price(model, _provider(generator))
    if price is None and is_limited:
        raise ValueError(
            f"{account.path!r} has a cost limit, and the price of its model {model!r} is not "
            "known. Give it: Budget(prices=FixedPrices({...})), or limit tokens instead."
        )
    return table, price


def _provider(generator: object) -> str | None:
    """Return where the model is served: its address where it has one, else its provider's name."""
    address = getattr(generator, "api_base_url", None)
    return str(address) if address else getattr(generator, "provider_name", None)


def _check_caps(generator: object, name: str, terms: Budget) -> None:
    caps = output_caps(generator)
    if terms.strict and not caps.is_hard and caps.maximum is None:
        raise ValueError(
            f"Agent {name!r} has a strict budget, and {type(generator).__name__} "
            "cannot limit its output. Use a generator that can, or drop strict=True."
        )


def _tighten(account: Account, budget: Budget) -> None:
    lower: dict[Resource, int] = {
        resource: limit
        for resource, limit in budget.limits().items()
        if (present := account.limit(resource)) is None or limit < present
    }
    account.lower_limits(lower)


def _answer_room(agent: Agent, account: Account, terms: Budget | None) -> dict[Resource, int]:
    """Return what to keep back for the answer: as the budget says, or a coordinator's default."""
    asked = terms.reserve_for_answer if terms is not None else None
    if asked is not None:
        # Who wants an answer wants a request for it; the only one is better used to begin with.
        has_requests = (account.limit("requests") or 0) > 1
        return {"tokens": asked, **({"requests": 1} if has_requests else {})} if asked else {}
    if not agent.answers_when_stopped:
        return {}
    tokens, cost = account.limit("tokens"), account.limit("cost_nusd")
    kept: dict[Resource, int] = {}
    if tokens is not None:
        kept["tokens"] = min(ANSWER_TOKENS, tokens // ANSWER_PART)
    if cost is not None:
        kept["cost_nusd"] = cost // ANSWER_PART
    return kept
