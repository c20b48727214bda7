"""Why a run ended, as data: the reason, whose limit, the numbers, and what was left undone."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from podium.tracing._stop_reasons import NATURAL, amount, limit_sentence, sentence

Amount = int | float | Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """How a run ended."""

    reason: str
    """The exit reason, such as `text`, `max_agent_steps` or a tool's name."""
    by: str
    """The path of the agent that owns the limit, or that ended by itself."""
    step: int
    """The steps that were completed."""
    path: str | None = None
    """The path of the agent whose run ended; None where it is that of `by`."""
    what: str | None = None
    """The name of the limit that was reached, such as `total_tokens`; None when none was."""
    limit: Amount | None = None
    """The limit, in its own unit."""
    spent: Amount | None = None
    """How much of it was spent."""
    held: Amount | None = None
    """How much of it calls in flight held, or was kept for the answer."""
    unfinished: tuple[str, ...] = ()
    """Names of the tools whose calls were not done."""
    abandoned_threads: int = 0
    """Calls of blocking tools, here and below, that could not be stopped: what they still return
    is dropped."""
    overdraft: Amount = 0
    """How much more than the limit was spent."""
    answered_after_stop: bool = False
    """Whether the text comes from a last call without tools, made after the limit was reached."""
    is_tool_exit: bool = False
    """Whether `reason` is the name of the tool that ended the run."""

    @property
    def is_natural(self) -> bool:
        """Whether the agent finished its work: it answered, or its exit tool succeeded."""
        return self.reason in NATURAL or self.is_tool_exit

    def explain(self) -> str:
        """Return one paragraph that says why the run ended, with the numbers there are."""
        said = [self._reason()]
        if self.limit is not None:
            figures = {"limit": self.limit, "spent": self.spent, "held": self.held}
            said.append(limit_sentence(self.by, self.what or "", reason=self.reason, **figures))
        if self.overdraft:
            said.append(f"That is {amount(self.overdraft)} over the limit.")
        steps = "1 step" if self.step == 1 else f"{self.step} steps"
        said.append(f"{(self.path or self.by)!r} completed {steps}.")
        if self.unfinished:
            said.append(f"Not done: {', '.join(self.unfinished)}.")
        if self.abandoned_threads:
            count = self.abandoned_threads
            blocking = "1 blocking call" if count == 1 else f"{count} blocking calls"
            said.append(f"{blocking} could not be stopped; what comes of that is dropped.")
        if self.answered_after_stop:
            said.append("The answer was written from what had been found, without further tools.")
        return " ".join(said)

    def _reason(self) -> str:
        if self.is_tool_exit:
            return f"The tool {self.reason!r} ended the run."
        return sentence(self.reason)
