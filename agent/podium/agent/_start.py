"""From what a caller passes to a run that can begin: checked, rendered, placed in its tree."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from anyio.lowlevel import current_token

from podium.agent._channel import EventChannel
from podium.agent._context import DEFAULT_MAX_DEPTH, RunContext, TreeContext, current_run
from podium.agent._definition import (
    check_budget,
    check_inputs,
    check_streaming_callback,
    check_tools,
)
from podium.agent._effects import LIVE, Effects
from podium.agent._history import is_valid, repaired
from podium.agent._prompting import BUDGET
from podium.agent._run_state import RUN_KEYS, RunState
from podium.agent.errors import DelegationError
from podium.agent.messages import ChatMessage
from podium.tools import State, Toolset
from podium.tools._toolset import (
    flatten_tools,
    reachable_tools,
    selectable_tools,
    spawned,
)
from podium.tools.errors import nearest
from podium.tracing._metrics import is_set_up as is_measured
from podium.tracing._open_span import NO_SPAN, OpenSpan, tracing_enabled
from podium.tracing._spans import agent_span
from podium.tracing._usage_tree import UsageMeter

if TYPE_CHECKING:
    from podium.agent._agent import Agent, Messages, Tools
    from podium.agent._spending import Spending
    from podium.agent.budget import Budget
    from podium.agent.models import StreamingCallback


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What a caller sets for one run."""

    streaming_callback: StreamingCallback | None = None
    """Replaces the agent's own."""
    generation_kwargs: Mapping[str, Any] | None = None
    """Parameters for the model."""
    tools: Tools | Sequence[str] | None = None
    """Replaces the agent's tools, or picks from them by name."""
    hook_context: Mapping[str, Any] | None = None
    """What hooks need of this request."""
    budget: Budget | None = None
    """What this run may spend, besides what the agent's own budget says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a run stands: below which run, started by which tool call, heard by whom."""

    parent: RunContext | None = None
    """The run above it."""
    cause: str | None = None
    """The tool call that starts it."""
    path: str | None = None
    """The path reserved for it; None takes the next."""
    channel: EventChannel | None = None
    """Where its events go; None leaves that to the run above it."""
    effects: Effects = LIVE
    """The seam to the world, when it is the outermost."""
    budget: Budget | None = None
    """What the run above allots to it."""
    siblings: tuple[int, int] = (0, 1)
    """Which of the agents started together it is, from 0, and how many they are."""


def start_run(
    agent: Agent,
    messages: Messages,
    inputs: Mapping[str, Any],
    options: RunOptions,
    place: Place | None = None,
) -> RunState:
    """Return a run that is ready for its loop; nothing outside has been touched.

    Without a `place` it joins the run that the calling code belongs to, if there is one.

    Raises:
        TypeError: wrong kinds of messages or tools, or an unknown input.
        ValueError: a missing prompt variable, or an unknown tool name.
        DelegationError: the run would stand too deep in its tree, go round in a circle, or have no
            room in the budget above it.
    """
    check_budget(agent.name, options.budget)
    check_streaming_callback(agent.name, options.streaming_callback)
    conversation = _conversation(messages)
    check_inputs(agent, inputs)
    tools = _chosen_tools(agent, options.tools)
    reachable_tools(tools)  # two of one name are refused before a span is open
    place = place or Place(parent=current_run.get())
    values = {name: inputs[name] for name in inputs if name in agent.variables}
    if agent.shows_budget:
        values[BUDGET] = _figures(_budgets(agent, options, place), place.parent)
    prompted = agent.prompted(conversation, values)
    if not is_valid(prompted):
        prompted = repaired(prompted)
    task = next((message.text for message in reversed(prompted) if message.text), "")
    context = _context(agent, task, options, place)
    return RunState(
        agent=agent,
        context=context,
        state=_state(agent, prompted, inputs, tools, context),
        tools=tools,
        generation_kwargs=options.generation_kwargs,
        given=tuple(prompted),
    )


def _conversation(messages: object) -> Sequence[ChatMessage]:
    if isinstance(messages, str):
        return [ChatMessage.from_user(messages)]
    if isinstance(messages, list | tuple):
        listed = cast("Sequence[object]", messages)
        odd = [one for one in listed if not isinstance(one, ChatMessage)]
        if not odd:
            return cast("Sequence[ChatMessage]", listed)
        wrong = f"a list with {odd[0]!r:.40} in it"
    elif isinstance(messages, ChatMessage):
        wrong = "one ChatMessage and not a list"
    else:
        wrong = f"{messages!r:.60}"
    raise TypeError(
        f"messages is {wrong}. Pass a string, or a list of ChatMessage such as "
        "[ChatMessage.from_user('...')]."
    )


def _chosen_tools(agent: Agent, chosen: Tools | Sequence[str] | None) -> Tools:
    if chosen is None:
        return spawned(agent.toolbox())
    if not isinstance(chosen, list | tuple | Toolset):
        raise TypeError(
            f"tools is a {type(chosen).__name__}: {chosen!r:.80}. Pass a list of tools or of names."
        )
    names = [one for one in chosen if isinstance(one, str)]
    if not names:
        check_tools(agent.chat_generator, cast("Tools", chosen))
        return spawned(cast("Tools", chosen))
    if len(names) != len(chosen):
        raise TypeError(f"tools mixes names and tools: {chosen!r:.120}. Pass one or the other.")
    known = {tool.name for tool in selectable_tools(agent.toolbox())}
    for name in names:
        if name not in known:
            raise ValueError(
                f"Agent {agent.name!r} has no tool {name!r}.{nearest(name, known)} "
                "Pass the tool itself, or the name of one that the agent has."
            )
    return spawned(agent.toolbox(), frozenset(names))


def _context(agent: Agent, task: str, options: RunOptions, place: Place) -> RunContext:
    parent, loop = place.parent, current_token()
    if parent is None:
        tree = TreeContext(
            run_id=uuid.uuid4().hex,
            effects=place.effects,
            channel=place.channel,
            loop=loop,
            is_watched=tracing_enabled() or is_measured(),
        )
        depth, path, hook_context = 0, agent.name, options.hook_context or {}
        limit = DEFAULT_MAX_DEPTH if agent.max_depth is None else agent.max_depth
    else:
        if parent.tree.loop != loop:
            parent = parent.without_events()
        tree, depth = parent.tree, parent.depth + 1
        if place.channel is not None:  # somebody reads this run by itself
            tree = replace(tree, channel=place.channel, loop=loop)
        _check_place(agent, task, parent)
        path = place.path or parent.child_path(agent.name)
        limit = parent.max_depth
        if agent.max_depth is not None:
            limit = min(limit, depth + agent.max_depth)
        hook_context = parent.hook_context if options.hook_context is None else options.hook_context
    budgets = _budgets(agent, options, place)
    spending = _spending(agent, path, budgets, parent, place.siblings)
    seconds = min((one.seconds for one in budgets if one.seconds is not None), default=None)
    return RunContext(
        tree=tree,
        name=agent.name,
        path=path,
        depth=depth,
        max_depth=limit,
        parent=parent,
        asked=(id(agent), task),
        cause=place.cause,
        meter=UsageMeter(path, agent.name, parent.meter if parent is not None else None),
        span=_open_span(agent, tree, path, depth) if tree.is_watched else NO_SPAN,
        spending=spending,
        seconds=seconds,
        deadline=_deadline(seconds, tree, parent),
        hook_context=hook_context,
        streaming_callback=options.streaming_callback or agent.streaming_callback,
    )


def _open_span(agent: Agent, tree: TreeContext, path: str, depth: int) -> OpenSpan:
    return agent_span(
        name=agent.name,
        description=agent.description,
        path=path,
        depth=depth,
        run_id=tree.run_id,
        parent=None,  # the current span: the tool call's that started it, or the caller's own
    )


def _deadline(seconds: float | None, tree: TreeContext, parent: RunContext | None) -> float | None:
    """Return when the time of this run is over, its own or that of a run above it."""
    own = None if seconds is None else tree.effects.monotonic() + seconds
    ends = [end for end in (own, parent.deadline if parent else None) if end is not None]
    return min(ends, default=None)


def _budgets(agent: Agent, options: RunOptions, place: Place) -> tuple[Budget, ...]:
    return tuple(one for one in (place.budget, agent.budget, options.budget) if one is not None)


def _figures(budgets: tuple[Budget, ...], parent: RunContext | None) -> Mapping[str, Any]:
    from podium.agent._spending import figures_at_start  # the ledger loads when it is asked for

    return figures_at_start(budgets, parent.spending if parent is not None else None)


def _spending(
    agent: Agent,
    path: str,
    budgets: tuple[Budget, ...],
    parent: RunContext | None,
    siblings: tuple[int, int],
) -> Spending | None:
    if not budgets and (parent is None or parent.spending is None):
        return None
    from podium.agent._spending import open_spending  # the ledger loads with the first budget

    return open_spending(agent, path, budgets, parent, siblings)


def _check_place(agent: Agent, task: str, parent: RunContext) -> None:
    """Refuse a run that would stand too deep, or ask again what is being worked on above it."""
    if parent.depth + 1 > parent.max_depth:
        raise DelegationError(
            f"Agent {agent.name!r} would run at depth {parent.depth + 1} below {parent.path!r}, "
            f"and {parent.max_depth} is the limit. Answer without it, or raise max_depth of the "
            "outermost coordinator."
        )
    if parent.is_asked_above((id(agent), task)):
        raise DelegationError(
            f"Agent {agent.name!r} is already at work on this same task above {parent.path!r}, so "
            "asking it again would go round in a circle. Answer it here, or ask for a part of it."
        )


def _state(
    agent: Agent,
    messages: list[ChatMessage],
    inputs: Mapping[str, Any],
    tools: Tools,
    context: RunContext,
) -> State:
    schema = {**RUN_KEYS, **(agent.state_schema or {})}
    given = {name: _copied(inputs[name]) for name in inputs if name in schema}
    return State(
        schema,
        {
            **given,
            "messages": messages,
            "step_count": 0,
            "token_usage": {},
            "context_tokens": 0,
            "tool_call_counts": {tool.name: 0 for tool in flatten_tools(tools)},
            "exit_reason": None,
            "stop_run": None,
            "continue_run": False,
            "tools": [],
            "hook_context": context.hook_context,
            "budget": None if context.spending is None else context.spending.view(context.deadline),
        },
    )


def _copied(value: Any) -> Any:
    """Copy what the caller passed, so that the run's changes stay its own; a lock stays itself."""
    try:
        return copy.deepcopy(value)
    except Exception:  # locks, sockets and clients have no copy
        return value
