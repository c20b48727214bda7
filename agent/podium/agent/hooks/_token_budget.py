"""TokenBudgetHook: stops a run between two model calls when the whole tree has used enough."""

from __future__ import annotations

import logging

from podium.agent.messages import ChatMessage
from podium.tools import State

logger = logging.getLogger(__name__)

FINAL_MESSAGE = "The Agent stopped because the token budget was exceeded."


class TokenBudgetHook:
    """Stops the run before a model call once `max_total_tokens` have been used.

    It counts the run's `token_usage`, agents below included, and looks before each call only: the
    call that goes over the limit has been made by then. For a limit that holds, give the agent a
    `Budget`. Register it at `before_llm`.
    """

    allowed_hook_points = ("before_llm",)

    def __init__(self, *, max_total_tokens: int, add_final_message: bool = False) -> None:
        """Keep the limit, and whether a closing message says why the run ended.

        Raises:
            ValueError: `max_total_tokens` is no whole number of at least 1.
        """
        limit = max_total_tokens
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise ValueError(
                f"TokenBudgetHook got max_total_tokens={limit!r}. "
                "Give a whole number of at least 1."
            )
        self.max_total_tokens = limit
        self.add_final_message = add_final_message

    async def run_async(self, state: State) -> None:
        """Compare what was used with the limit."""
        used = int(state.data["token_usage"].get("total_tokens") or 0)
        if used < self.max_total_tokens:
            return
        logger.warning("Token budget reached: %d of %d tokens used", used, self.max_total_tokens)
        state.set("stop_run", "token_budget_exceeded")
        if self.add_final_message:
            state.set("messages", [ChatMessage.from_assistant(FINAL_MESSAGE)])
