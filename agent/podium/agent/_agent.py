"""Agent: the immutable definition of one agent, and the ways to run it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from podium.agent._definition import check_definition, check_variables
from podium.agent._portal import run_from_sync
from podium.agent._prompting import Prompts
from podium.agent._stream import RunStream
from podium.agent.messages import ChatMessage
from podium.tools import StateSchema, Tool, Toolset
from podium.tools.errors import nearest

if TYPE_CHECKING:
    from podium.agent._output import OutputContract
    from podium.agent._result import AgentResult
    from podium.agent.budget import Budget
    from podium.agent.hooks import HookPoint
    from podium.agent.models import ChatGenerator, StreamingCallback

Tools = Sequence[Tool | Toolset] | Toolset
Messages = str | Sequence[ChatMessage]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Agent:
    """An agent: a chat model in a loop with tools.

    A definition holds nothing of a run, so one agent serves any number of runs at once. Change it
    with `clone`.

    >>> from podium.agent.testing import ScriptedChatGenerator
    >>> Agent(chat_generator=ScriptedChatGenerator(["Hello!"])).run("Hi").text
    'Hello!'

    Raises:
        ValueError: a name, limit, state key, prompt or hook point that cannot be.
        TypeError: a generator, tool or hook of the wrong kind.
    """

    chat_generator: ChatGenerator
    """The model."""
    name: str = "agent"
    """Who it is in paths, spans and events: letters, digits, `_` and `-`."""
    description: str = ""
    """What it is good for; what a coordinator reads before it delegates."""
    tools: Tools | None = None
    """What it may call."""
    system_prompt: str | None = None
    """Its instructions: text, or a Jinja template whose variables become inputs of `run`."""
    user_prompt: str | None = None
    """A template for a user message that is put after the caller's messages."""
    required_variables: Sequence[str] | str | None = "*"
    """Prompt variables that must be given: `*` for all, a list, or None for none."""
    exit_conditions: Sequence[str] | None = None
    """Tools whose success ends the run, besides an answer in text; None means `["text"]`."""
    state_schema: StateSchema | None = None
    """What tools and hooks share in a run: `{key: {"type": T, "handler": merge function}}`."""
    max_agent_steps: int = 100
    """Model calls after which the run ends, each with the tools it asked for."""
    streaming_callback: StreamingCallback | None = None
    """Called with each chunk as it comes; given, the model streams."""
    raise_on_tool_invocation_failure: bool = False
    """Whether a failing tool raises, instead of being told to the model."""
    tool_concurrency_limit: int = 4
    """Tool calls of one step that run at the same time."""
    tool_streaming_callback_passthrough: bool = False
    """Whether tools and agents below get the streaming callback too."""
    hooks: Mapping[HookPoint, Sequence[Any]] | None = None
    """Hooks by point."""
    budget: Budget | None = None
    """What the agent and all below it may spend."""
    output_type: Any = None
    """What the answer must be: a pydantic model or any type pydantic validates."""

    variables: frozenset[str] = field(init=False)
    """The prompts' variables."""
    mandatory_variables: frozenset[str] = field(init=False)
    """The prompts' variables that every run must give."""
    shows_budget: bool = field(init=False)
    """Whether a prompt says what is left of the budget."""
    exit_tools: frozenset[str] = field(init=False)
    """The exit conditions that are tools."""
    contract: OutputContract | None = field(init=False)
    """The validator of the output type."""
    _prompts: Prompts = field(init=False)

    max_depth: int | None = field(init=False, default=None)
    """How deep agents may nest below this one; None leaves it to the caller or the default of 8."""
    answers_when_stopped: bool = field(init=False, default=False)
    """Whether a run that a limit ended makes one more call, without tools, for an answer."""

    def __post_init__(self) -> None:
        """Check the definition and build what all its runs share."""
        check_definition(self)
        contract = self._output_contract()
        prompts = Prompts(
            self.system_prompt,
            self.user_prompt,
            self.required_variables,
            (self.preface(), contract.instruction_for(self.chat_generator) if contract else ""),
        )
        check_variables(self.name, prompts.variables, self.state_schema or {})
        self._derive(
            _prompts=prompts,
            variables=prompts.variables,
            mandatory_variables=prompts.mandatory,
            shows_budget=prompts.shows_budget,
            exit_tools=frozenset(self.exit_conditions or ()) - {"text"},
            contract=contract,
        )

    def run(
        self,
        messages: Messages,
        streaming_callback: StreamingCallback | None = None,
        *,
        generation_kwargs: Mapping[str, Any] | None = None,
        tools: Tools | Sequence[str] | None = None,
        hook_context: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
        **inputs: Any,
    ) -> AgentResult:
        """Run the agent and return its result; `run_async` says more.

        Works in a script, in a thread, in a sync tool of another agent (whose run it joins), and
        while an event loop is running in this thread, which it then blocks.
        """
        return run_from_sync(
            lambda: self.run_async(
                messages,
                streaming_callback,
                generation_kwargs=generation_kwargs,
                tools=tools,
                hook_context=hook_context,
                budget=budget,
                **inputs,
            ),
            what=f"run() of agent {self.name!r}",
        )

    async def run_async(
        self,
        messages: Messages,
        streaming_callback: StreamingCallback | None = None,
        *,
        generation_kwargs: Mapping[str, Any] | None = None,
        tools: Tools | Sequence[str] | None = None,
        hook_context: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
        **inputs: Any,
    ) -> AgentResult:
        """Run the agent and return its result.

        Args:
            messages: The conversation, oldest first, or a string for one user message. Not changed.
            streaming_callback: Replaces the agent's own for this run.
            generation_kwargs: Parameters for the model, merged key by key over its own.
            tools: Replaces the agent's tools for this run; strings pick from them by name. Where
                a name is not known, toolsets that must connect first do so before the run begins.
            hook_context: Whatever hooks need of this request; reaches the agents below too.
            budget: What this run may spend, besides what the agent's own budget says.
            **inputs: Values of prompt variables and state keys.

        Raises:
            TypeError: wrong kinds of messages or tools, or an input that does not exist.
            ValueError: a prompt variable is missing, or an unknown tool is picked.
            AgentError: the model failed, or no answer fitted the output type. This, and whatever
                user code raises, carries what the run had as `error.partial`.
        """
        from podium.agent._execute import execute  # the engine loads with the first run
        from podium.agent._lifecycle import warm_up_to_pick
        from podium.agent._start import RunOptions, start_run

        options = RunOptions(
            streaming_callback=streaming_callback,
            generation_kwargs=generation_kwargs,
            tools=tools,
            hook_context=hook_context,
            budget=budget,
        )
        await warm_up_to_pick(self, tools)
        return await execute(start_run(self, messages, inputs, options))

    def stream(
        self,
        messages: Messages,
        streaming_callback: StreamingCallback | None = None,
        *,
        generation_kwargs: Mapping[str, Any] | None = None,
        tools: Tools | Sequence[str] | None = None,
        hook_context: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
        **inputs: Any,
    ) -> RunStream:
        """Return a run whose events can be read while it goes on; parameters as in `run_async`.

        Use it as `async with agent.stream(...) as run:`, then `async for event in run:`, then
        `run.result`. Leaving the block early cancels the run.
        """
        from podium.agent._start import RunOptions

        options = RunOptions(
            streaming_callback=streaming_callback,
            generation_kwargs=generation_kwargs,
            tools=tools,
            hook_context=hook_context,
            budget=budget,
        )
        return RunStream(self, messages, inputs, options)

    def clone(self, **overrides: Any) -> Self:
        """Return a copy with some constructor arguments replaced; what is not replaced is shared.

        Raises:
            TypeError: an override that is no constructor argument.
        """
        known = {one.name for one in dataclasses.fields(self) if one.init}
        for name in overrides:
            if name not in known:
                raise TypeError(
                    f"Agent.clone takes no {name!r}.{nearest(name, known)} Use one of them."
                )
        return dataclasses.replace(self, **overrides)

    def hooks_at(self, point: HookPoint) -> Sequence[Any]:
        """Return the hooks of a point, in the order in which they run."""
        return self.hooks.get(point, ()) if self.hooks else ()

    def toolbox(self) -> Tools:
        """Return everything the agent may call."""
        return self.tools if self.tools is not None else ()

    def preface(self) -> str:
        """Return plain text that stands before the system prompt; empty for none."""
        return ""

    def prompted(
        self, messages: Sequence[ChatMessage], inputs: Mapping[str, Any]
    ) -> list[ChatMessage]:
        """Return the conversation with the rendered prompts around it."""
        return self._prompts.around(messages, inputs, self.name)

    def warm_up(self) -> None:
        """Prepare tools, hooks and model; runs do it by themselves."""
        run_from_sync(self.warm_up_async, what=f"warm_up() of agent {self.name!r}")

    async def warm_up_async(self) -> None:
        """Prepare tools, hooks and model, those that can be."""
        from podium.agent._lifecycle import call_on_parts

        await call_on_parts(self, "warm_up")

    def close(self) -> None:
        """Close what tools, hooks and model hold open; the agent can be used again."""
        run_from_sync(self.close_async, what=f"close() of agent {self.name!r}")

    async def close_async(self) -> None:
        """Close what tools, hooks and model hold open, on this event loop."""
        from podium.agent._lifecycle import call_on_parts

        await call_on_parts(self, "close")

    def __repr__(self) -> str:
        """Return the kind and the name; never prompts or keys."""
        return f"{type(self).__name__}(name={self.name!r})"

    def _output_contract(self) -> OutputContract | None:
        if self.output_type is None:
            return None
        from podium.agent._output import OutputContract

        return OutputContract(self.output_type)

    def _derive(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)
