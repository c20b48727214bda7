"""One question put to the team, watched while it is worked on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from podium.agent import Agent, AgentError, AgentResult, Budget, RunEvent, ToolCallFinished


@dataclass(slots=True)
class Outcome:
    """What is known about a question; filled while the team works, so that a stop loses nothing."""

    question: str
    result: AgentResult | None = None
    """The result, a partial one when the run was stopped; None when it had not begun."""
    findings: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Which specialist said what, in the order in which they finished."""
    problem: str = ""
    """What went wrong; empty when nothing did."""
    was_interrupted: bool = False
    """Whether the user stopped it."""

    @property
    def is_complete(self) -> bool:
        """Whether the coordinator has finished its work."""
        return self.result is not None and self.result.stop.is_natural and not self.problem

    @property
    def has_answer(self) -> bool:
        """Whether it has written an answer, be it from what was found when a limit stopped it."""
        wrote_after = self.result is not None and self.result.stop.answered_after_stop
        return self.is_complete or (wrote_after and not self.problem)


async def research(
    team: Agent,
    outcome: Outcome,
    watch: Callable[[RunEvent], None] = lambda event: None,
    budget: Budget | None = None,
) -> None:
    """Put the question to the team and fill `outcome`; `watch` is called with every event.

    An error of the run is told in the outcome. When cancelled, the outcome holds what there was.
    """
    run = team.stream(outcome.question, budget=budget)
    try:
        await team.warm_up_async()  # a budget's seconds are for work, and not for loading
        async with run:
            async for event in run:
                watch(event)
                if isinstance(event, ToolCallFinished) and event.depth == 0 and not event.error:
                    outcome.findings.append((event.call.tool_name, event.result))
    except Exception as error:
        outcome.problem = f"{type(error).__name__}: {error}"
    finally:
        with contextlib.suppress(AgentError):  # the run had not begun
            outcome.result = run.result
