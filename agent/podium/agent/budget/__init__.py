"""Budgets: how much an agent and all below it may use.

from podium.agent import Budget

Budget(total_tokens=60_000, cost_usd=0.50, seconds=120)  # for an agent or a run
Budget.grant(total_tokens=8_000)                         # a specialist's own, held for it
Budget.fraction(0.25)                                    # a part of what its caller has left
Budget.fair()                                            # the same for each of a batch
"""

from podium.agent.budget._budget import Budget
from podium.agent.budget._limits import EXIT_REASONS, LIMITS, TIME_BUDGET_EXCEEDED, BudgetLimits
from podium.agent.budget._view import BudgetView

__all__ = ["EXIT_REASONS", "LIMITS", "TIME_BUDGET_EXCEEDED", "Budget", "BudgetLimits", "BudgetView"]
