"""Budget: the limits as a user writes them, checked once, and turned into a ledger's terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final, Self, Unpack, cast, get_args

from podium.agent.budget._checks import (
    check_choice,
    check_seconds,
    check_share,
    check_whole,
    checked_usd,
    read_usd,
)
from podium.agent.budget._limits import (
    LIMITS,
    NUSD_PER_USD,
    AllotmentKind,
    BudgetLimits,
    OnExceeded,
)
from podium.agent.ledger import Allotment, Fair, Fraction, Granted, Resource, Shared
from podium.agent.prices import PriceTable, load_list_prices
from podium.agent.tokens import TokenCounter
from podium.tools.errors import nearest

TYPE_NAME: Final = "podium.agent.budget.Budget"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Budget:
    """The limits of an agent and all below it; None stands for no limit.

    Raises:
        ValueError: a limit of zero or less, not finite, or options that exclude each other.
        TypeError: a limit of the wrong kind, such as a bool, a float for tokens, or text.
        ImportError: a cost limit without prices, and the package with list prices is missing.
    """

    total_tokens: int | None = None
    """Input and output tokens together, cached and reasoning ones included."""
    input_tokens: int | None = None
    """Tokens sent to models."""
    output_tokens: int | None = None
    """Tokens written by models."""
    cost_usd: Decimal | float | None = None
    """Money; kept as a Decimal. Models without a known price are refused then."""
    requests: int | None = None
    """Model calls."""
    tool_calls: int | None = None
    """Tool calls, those that start an agent included."""
    agents: int | None = None
    """Agents started below."""
    seconds: float | None = None
    """Time from the start of the run; agents below can only have less."""
    reserve_for_answer: int | None = None
    """Tokens kept back for a last call that writes the answer; None leaves it to the agent."""
    strict: bool = False
    """Whether prompts are bounded by their bytes, which no tokenizer exceeds, and not estimated."""
    token_counter: TokenCounter | None = None
    """Counts the tokens of messages and tools, instead of the estimate."""
    prices: PriceTable | None = None
    """What models cost; None takes the list prices when there is a cost limit."""
    min_output_tokens: int = 256
    """The least room for output with which a call is started."""
    on_exceeded: OnExceeded = "stop"
    """Whether the run that hits a limit ends with its partial result, or raises."""
    allotment: AllotmentKind = "shared"
    """How the room is had: drawn from the caller's as needed, granted, or a part of it."""
    share: float | None = None
    """The part of what the caller has left, for `fraction`."""

    def __post_init__(self) -> None:
        """Check everything, and keep money as a Decimal."""
        for name in LIMITS.values():
            if name != "cost_usd":
                check_whole(name, getattr(self, name))
        object.__setattr__(self, "cost_usd", checked_usd(self.cost_usd))
        check_seconds(self.seconds)
        check_whole("reserve_for_answer", self.reserve_for_answer, least=0)
        check_whole("min_output_tokens", self.min_output_tokens)
        check_choice("strict", self.strict, (True, False))
        check_choice("on_exceeded", self.on_exceeded, get_args(OnExceeded))
        check_choice("allotment", self.allotment, get_args(AllotmentKind))
        self._check_together()
        if self.cost_usd is not None and self.prices is None:
            load_list_prices()  # here and not in a run, where it would hold up an event loop

    @classmethod
    def grant(cls, **limits: Unpack[BudgetLimits]) -> Self:
        """Return a budget that is held for a specialist from its start: nobody else can take it.

        What it leaves goes back to its caller. Resources without a limit here are shared.

        Raises:
            ValueError: no limit that could be held, or one that no budget takes.
            TypeError: a limit of the wrong kind.
        """
        return cls(**limits, allotment="grant")

    @classmethod
    def fraction(cls, share: float) -> Self:
        """Return a budget that is granted a part, above 0 and at most 1, of what its caller has.

        Raises:
            ValueError: a share outside.
            TypeError: a share that is no number.
        """
        check_share(share)
        return cls(allotment="fraction", share=share)

    @classmethod
    def fair(cls) -> Self:
        """Return a budget that is granted the same part as each specialist started with it."""
        return cls(allotment="fair")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the budget that `to_dict` described.

        Raises:
            ValueError: the data is of another type, or names a limit that does not exist.
            TypeError: a limit of the wrong kind.
        """
        if data.get("type") != TYPE_NAME:
            raise ValueError(
                f"Data of type {data.get('type')!r} is no budget. Give what Budget.to_dict() "
                f"returned, with the type {TYPE_NAME!r}."
            )
        given: object = data.get("init_parameters") or {}
        if not isinstance(given, Mapping):
            raise ValueError(
                f"A budget in data has init_parameters={given!r}. Write them as names and values."
            )
        parameters = dict(cast("Mapping[str, Any]", given))
        known = {each.name for each in fields(cls)} - {"prices", "token_counter"}
        for name in parameters:
            if name not in known:
                raise ValueError(
                    f"A budget in data has no limit {name!r}.{nearest(str(name), known)} "
                    "Remove it, or correct its name."
                )
        if isinstance(parameters.get("cost_usd"), str):
            parameters["cost_usd"] = read_usd(parameters["cost_usd"])
        return cls(**parameters)

    def to_dict(self) -> dict[str, Any]:
        """Return the budget as plain data; what is as by default is left out.

        Raises:
            ValueError: it has a token counter or prices, which data cannot name.
        """
        for name in ("token_counter", "prices"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"Budget.{name}={getattr(self, name)!r} cannot be written to data, since data "
                    f"never names code. Give the budget to run() instead, or drop {name}."
                )
        parameters = self._set()
        if self.cost_usd is not None:
            parameters["cost_usd"] = str(self.cost_usd)
        return {"type": TYPE_NAME, "init_parameters": parameters}

    def limits(self) -> dict[Resource, int]:
        """Return the limits that a ledger keeps; seconds are not among them."""
        values: dict[Resource, Any] = {
            resource: getattr(self, name) for resource, name in LIMITS.items()
        }
        return {
            resource: int(value * NUSD_PER_USD) if resource == "cost_nusd" else value
            for resource, value in values.items()
            if value is not None
        }

    def allotment_for(self, index: int = 0, count: int = 1) -> Allotment:
        """Return how the ledger gives room to a specialist: the `index`-th, from 0, of `count`."""
        match self.allotment:
            case "grant":
                return Granted(self.limits())
            case "fraction":
                return Fraction(self.share or 1.0)
            case "fair":
                return Fair(index, count)
            case "shared":
                return Shared(self.limits())

    def __repr__(self) -> str:
        """Return how it was made, with what is not as by default."""
        if self.allotment == "fraction":
            return f"Budget.fraction({self.share})"
        name = "Budget" if self.allotment == "shared" else f"Budget.{self.allotment}"
        own = {key: value for key, value in self._set().items() if key != "allotment"}
        shown = (
            f"{key}={value if key == 'cost_usd' else repr(value)}" for key, value in own.items()
        )
        return f"{name}({', '.join(shown)})"

    def _set(self) -> dict[str, Any]:
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}

    def _check_together(self) -> None:
        if self.token_counter is not None and not callable(self.token_counter):
            raise TypeError(
                f"Budget got token_counter={self.token_counter!r}, which cannot be called. "
                "Give a function of (messages, tools) that returns a number of tokens."
            )
        limits = self.limits()
        if self.allotment == "grant" and not limits:
            raise ValueError(
                "Budget.grant() got nothing that can be held. "
                f"Give at least one of {', '.join(LIMITS.values())}."
            )
        if self.allotment in ("fraction", "fair") and limits:
            raise ValueError(
                f"Budget.{self.allotment}() takes its limits from its caller and got {limits}. "
                "Use Budget.grant() for amounts of your own."
            )
        if self.share is not None:
            check_share(self.share)
        if (self.allotment == "fraction") != (self.share is not None):
            raise ValueError(
                f"Budget got allotment={self.allotment!r} with share={self.share!r}. "
                "Use Budget.fraction(share) for a part of the caller's budget."
            )
        kept, total = self.reserve_for_answer, self.total_tokens
        if kept is not None and total is not None and kept >= total:
            raise ValueError(
                f"Budget keeps reserve_for_answer={kept} of total_tokens={total}, which leaves "
                "nothing to work with. Lower the reserve or raise the limit."
            )
