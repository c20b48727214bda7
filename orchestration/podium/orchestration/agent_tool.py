"""AgentTool: an agent as a tool of another, which is all that delegation needs."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from podium.agent import Agent, AgentResult, ChatMessage
from podium.agent._definition import check_budget
from podium.agent._findings import excerpt, findings_in
from podium.orchestration.errors import SpecialistError
from podium.tools import CallContext, ContentPart, Tool
from podium.tools._text import error_text

if TYPE_CHECKING:
    from podium.agent.budget import Budget

_TASK = "task"
"""The one parameter that every specialist has."""
MOST_FOUND_CHARS = 4_000
"""How much goes up of what the tools of a specialist found that could not answer."""


@runtime_checkable
class SupportsRun(Protocol):
    """Anything that can be run like an agent: it takes messages and inputs, returns a result."""

    @property
    def name(self) -> str:
        """Who it is."""
        ...

    @property
    def description(self) -> str:
        """What it is good for."""
        ...

    async def run_async(self, messages: Sequence[ChatMessage], **inputs: Any) -> Mapping[str, Any]:
        """Return a result with at least `last_message` or `messages`."""
        ...


class AgentTool(Tool):
    """A tool that hands a task to an agent and gives back its final answer.

    The model fills `task`, and one property for each mandatory prompt variable of the agent that no
    state key supplies. The task becomes a single user message of a fresh conversation, and the
    value of a prompt variable `task` where there is one. What the agent's run uses, and where it
    stands, is seen in the caller's usage tree, events and trace.
    """

    def __init__(
        self,
        agent: Agent | SupportsRun,
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: dict[str, Any] | None = None,
        inputs_from_state: Mapping[str, str] | None = None,
        outputs_to_state: Mapping[str, Mapping[str, Any]] | None = None,
        outputs_to_string: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
        timeout_seconds: float | None = None,
        max_calls: int | None = None,
        return_direct: bool = False,
    ) -> None:
        """Build the tool from the agent.

        Args:
            agent: The specialist.
            name: The tool's name; the agent's by default.
            description: What the caller's model reads; the agent's by default.
            parameters: A JSON schema instead of the generated one; must have `task`.
            inputs_from_state: `{state key: input of the agent}`, hidden from the model.
            outputs_to_state: `{state key: {"source": key of the agent's result}}`.
            outputs_to_string: How the result becomes text, instead of the final answer.
            budget: What the specialist may spend: `Budget(...)` out of its caller's,
                `Budget.grant(...)`, `Budget.fraction(...)` or `Budget.fair()`.
            timeout_seconds: After which the specialist is stopped; what it found goes up.
            max_calls: Calls in one run of the caller; further ones are refused.
            return_direct: Whether the specialist's answer ends the caller's run.

        Raises:
            TypeError: `agent` cannot be run like an agent.
            ValueError: no description, or a name, limit or mapping that cannot be.
        """
        _check(agent, description)
        check_budget(agent.name, budget)
        self.agent = agent
        self.budget = _in_time(budget, timeout_seconds) if isinstance(agent, Agent) else budget
        super().__init__(
            name or agent.name,
            description or agent.description,
            parameters or _schema(agent, set((inputs_from_state or {}).values())),
            async_function=self._delegate,
            inputs_from_state=inputs_from_state,
            outputs_to_state=outputs_to_state,
            outputs_to_string=outputs_to_string,
            # An agent minds its time itself, so that what it found is kept.
            timeout_seconds=None if isinstance(agent, Agent) else timeout_seconds,
            max_calls=max_calls,
        )
        self.target_name = agent.name
        self.return_direct = return_direct
        self._gives_text = outputs_to_string is None

    def with_max_calls(self, max_calls: int) -> AgentTool:
        """Return a copy with another limit; the agent is shared."""
        twin = copy.copy(self)
        twin.max_calls = max_calls
        return twin

    async def _delegate(
        self, task: str, _call_context: CallContext, **inputs: Any
    ) -> Mapping[str, Any]:
        """Run the agent below the run that calls it, and return its result.

        The context's name has an underscore because `context` is what many prompts call a variable.
        """
        messages = [ChatMessage.from_user(task)]
        try:
            if isinstance(self.agent, Agent):
                if _TASK in self.agent.variables:
                    inputs[_TASK] = task
                return await self._run_below(self.agent, messages, inputs, _call_context)
            return await self.agent.run_async(messages, **inputs)
        except Exception as error:
            wrote = _partial_text(error)
            raise SpecialistError(
                f"Specialist {self.name!r} failed: {error_text(error)}"
                + (f" Before that it had written: {wrote}" if wrote else ""),
                tool_name=self.name,
            ) from error

    async def _run_below(
        self,
        agent: Agent,
        messages: list[ChatMessage],
        inputs: Mapping[str, Any],
        context: CallContext,
    ) -> AgentResult:
        from podium.agent._execute import execute  # the engine loads with the first run
        from podium.agent._start import Place, RunOptions, start_run

        place = Place(
            parent=context.run,
            cause=context.call.id,
            path=context.child_path,
            budget=self.budget,
            siblings=context.siblings,
        )
        options = RunOptions(streaming_callback=context.streaming_callback)
        return await execute(start_run(agent, messages, inputs, options, place))

    def partial_content(self, error: BaseException) -> str | None:
        """Return what the specialist had found when it was cut short."""
        partial = getattr(error, "partial", None)
        return _answer_with_note(partial) if isinstance(partial, AgentResult) else None

    def result_content(self, value: Any) -> str | tuple[ContentPart, ...]:
        """Return the final answer's text, with a note when the specialist did not end naturally."""
        if not self._gives_text:
            return super().result_content(value)
        if isinstance(value, AgentResult):
            return _answer_with_note(value)
        result = cast("Mapping[str, Any]", value)
        last = result.get("last_message")
        return (last.text or "") if isinstance(last, ChatMessage) else super().result_content(value)


def _in_time(budget: Budget | None, seconds: float | None) -> Budget | None:
    if seconds is None:
        return budget
    from podium.agent.budget import Budget  # loads with the first budget

    if budget is None:
        return Budget(seconds=seconds)
    return replace(budget, seconds=min(seconds, budget.seconds or seconds))


def _check(agent: object, description: str | None) -> None:
    if not isinstance(agent, SupportsRun):
        raise TypeError(
            f"AgentTool got {agent!r}, which cannot be run like an agent. "
            "Pass an Agent, or an object with name, description and run_async(messages)."
        )
    if not (description or agent.description):
        raise ValueError(
            f"AgentTool of {agent.name!r} has no description, so no model could know its use. "
            "Give the agent a description, or pass description=."
        )


def _answer_with_note(result: AgentResult) -> str:
    """Return a specialist's answer for its caller; an unnatural ending is told in brackets."""
    text = result.text
    stop = result.stop
    if stop.is_natural:
        return text
    found = text or excerpt(findings_in(result.new_messages), MOST_FOUND_CHARS)
    note = f"[Incomplete, the specialist stopped early ({stop.reason}): {stop.explain()}]"
    return f"{found}\n{note}" if found else note


def _partial_text(error: Exception) -> str:
    partial = getattr(error, "partial", None)
    text = partial.text if isinstance(partial, AgentResult) else ""
    return text[:2_000]


def _schema(agent: Agent | SupportsRun, supplied: set[str]) -> dict[str, Any]:
    """Return the schema of all inputs; those that the state supplies are hidden by `Tool`."""
    needed = agent.mandatory_variables if isinstance(agent, Agent) else frozenset[str]()
    visible = sorted(needed - supplied - {_TASK})
    task = {"type": "string", "description": "What to do, with everything needed to do it."}
    return {
        "type": "object",
        "properties": {
            _TASK: task,
            **{name: {"type": "string", "description": f"Value of {name}."} for name in visible},
            **{name: {} for name in sorted(supplied)},
        },
        "required": [_TASK, *visible],
        "additionalProperties": False,
    }
