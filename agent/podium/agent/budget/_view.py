"""What is left of a budget, for hooks and prompts: figures to read, nothing to change."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal

from podium.agent.budget._limits import LIMITS, NUSD_PER_USD
from podium.agent.ledger import Account, Resource


class BudgetView:
    """What an agent, with all below it, has spent and has left, as things are now.

    What is left counts all limits, its own and those above; None stands for no limit. What calls
    under way hold, and what is kept for the answer, is not left.
    """

    __slots__ = ("_account", "_clock", "_deadline")

    def __init__(
        self,
        account: Account,
        *,
        deadline: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Look at an account; `deadline` is a time of `clock`."""
        self._account = account
        self._deadline = deadline
        self._clock = clock

    @property
    def total_tokens_left(self) -> int | None:
        """Input and output tokens that can still be used."""
        return self._left("tokens")

    @property
    def total_tokens_spent(self) -> int:
        """Input and output tokens that were used."""
        return self._account.settled("tokens")

    @property
    def input_tokens_left(self) -> int | None:
        """Tokens that can still be sent."""
        return self._left("input_tokens")

    @property
    def input_tokens_spent(self) -> int:
        """Tokens that were sent."""
        return self._account.settled("input_tokens")

    @property
    def output_tokens_left(self) -> int | None:
        """Tokens that can still be written."""
        return self._left("output_tokens")

    @property
    def output_tokens_spent(self) -> int:
        """Tokens that were written."""
        return self._account.settled("output_tokens")

    @property
    def cost_usd_left(self) -> Decimal | None:
        """US dollars that can still be spent."""
        left = self._left("cost_nusd")
        return None if left is None else Decimal(left) / NUSD_PER_USD

    @property
    def cost_usd_spent(self) -> Decimal:
        """US dollars that were spent, on models whose price is known."""
        return Decimal(self._account.settled("cost_nusd")) / NUSD_PER_USD

    @property
    def requests_left(self) -> int | None:
        """Model calls that can still be made."""
        return self._left("requests")

    @property
    def requests_spent(self) -> int:
        """Model calls that were made."""
        return self._account.settled("requests")

    @property
    def tool_calls_left(self) -> int | None:
        """Tool calls that can still be made."""
        return self._left("tool_calls")

    @property
    def tool_calls_spent(self) -> int:
        """Tool calls that were made."""
        return self._account.settled("tool_calls")

    @property
    def agents_left(self) -> int | None:
        """Agents that can still be started."""
        return self._left("agents")

    @property
    def agents_spent(self) -> int:
        """Agents that were started."""
        return self._account.settled("agents")

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the deadline, its own or one above."""
        return None if self._deadline is None else max(0.0, self._deadline - self._clock())

    def as_dict(self) -> dict[str, int | float | Decimal | None]:
        """Return all figures by name."""
        names = [f"{figure}_{kind}" for figure in LIMITS.values() for kind in ("left", "spent")]
        return {name: getattr(self, name) for name in (*names, "seconds_left")}

    def __repr__(self) -> str:
        """Return what is limited and what of it is left."""
        left = {
            name: value
            for name, value in self.as_dict().items()
            if name.endswith("_left") and value is not None
        }
        return f"BudgetView({', '.join(f'{name}={value}' for name, value in left.items())})"

    def _left(self, resource: Resource) -> int | None:
        left = self._account.available(resource)
        return None if left is None else max(0, left)
