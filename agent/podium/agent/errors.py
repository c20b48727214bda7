"""Errors of agents and their models; the root of all is in podium.tools.errors.

    PodiumError
    ├── PromptError             (podium.agent.prompts) a template is broken or was refused
    └── AgentError              an agent cannot go on; `partial` holds what it had
        ├── ModelError          the model's provider failed or answered nonsense
        ├── OutputError         no answer fitted the agent's output type
        ├── BudgetExceededError a limit ended a run whose budget says to raise
        └── DelegationError     an agent was asked to run too deep, or in a circle

Every error that leaves a run, also one of user code, carries `partial`: the result up to there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium.tools import PodiumError

if TYPE_CHECKING:
    from podium.agent._result import AgentResult

__all__ = ["AgentError", "BudgetExceededError", "DelegationError", "ModelError", "OutputError"]


class AgentError(PodiumError):
    """An agent could not go on."""

    partial: AgentResult | None = None
    """The messages, usage and ending up to the error; None before a run has begun."""


class ModelError(AgentError):
    """A model's provider failed, or its answer made no sense."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        partial_text: str = "",
        is_retryable: bool = False,
        was_refused: bool = False,
        retry_after_seconds: float | None = None,
    ) -> None:
        """Keep the message and the facts."""
        super().__init__(message)
        self.status = status
        """The HTTP status; None when no answer came."""
        self.code = code
        """The provider's code for the error."""
        self.partial_text = partial_text
        """The text that had been streamed when the reply broke off."""
        self.is_retryable = is_retryable
        """Whether the same call may succeed later; retries of its own are already used up."""
        self.was_refused = was_refused
        """Whether the provider charges nothing for it: not reached, or its own word that the call
        was refused or failed (a status of 4xx, 500, 503 or 529). A gateway's word is not enough:
        behind a 502 or 504 the work may go on."""
        self.retry_after_seconds = retry_after_seconds
        """How long the provider asks to wait before the next try; None when it does not say."""


class OutputError(AgentError, ValueError):
    """No answer fitted the agent's output type."""

    def __init__(self, message: str, *, last_raw: str, attempts: int) -> None:
        """Keep the message, the last answer as it came, and the number of answers."""
        super().__init__(message)
        self.last_raw = last_raw
        self.attempts = attempts

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling with the facts."""
        return (_rebuild_output_error, (str(self), self.last_raw, self.attempts))


class BudgetExceededError(AgentError):
    """A limit ended a run whose budget has `on_exceeded="raise"`; `partial.stop` says which."""


class DelegationError(AgentError):
    """An agent was asked to run too deep in the tree, or on what is at work above it."""


def keep_partial(
    error: BaseException, partial: AgentResult | None, *, where: str | None = None
) -> None:
    """Attach what a run had, and where it was, to the error that ended it; never raises."""
    try:
        error.partial = partial  # type: ignore[attr-defined]  # of user code's errors, too
        if where is not None:
            error.add_note(where)
    except Exception:  # a frozen dataclass, say; the error matters more than what it carries
        return


def _rebuild_output_error(message: str, last_raw: str, attempts: int) -> OutputError:
    return OutputError(message, last_raw=last_raw, attempts=attempts)
