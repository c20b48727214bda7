"""The agents of a trace as the usage tree that a run's result carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from podium.tracing import attributes as names
from podium.tracing._usage import Usage
from podium.tracing._usage_tree import CallUsage, UsageTree
from podium.tracing.reading._span import TraceSpan
from podium.tracing.reading._spending import NO_MODEL, is_agent, own_cost
from podium.tracing.reading._waits import waited_seconds

if TYPE_CHECKING:
    from podium.tracing.reading._trace import Trace

_LOOP = "loop"


@dataclass(slots=True)
class AgentRun:
    """What is gathered about one agent's run."""

    span: TraceSpan
    path: str
    is_top: bool
    below: list[AgentRun] = field(default_factory=list["AgentRun"])
    calls: dict[str, Usage] = field(default_factory=dict[str, Usage])
    tool_calls: int = 0
    model_seconds: float = 0.0
    tool_seconds: float = 0.0
    wait_seconds: float = 0.0


def usage_trees(agents: Iterable[AgentRun]) -> tuple[UsageTree, ...]:
    """Return a tree for each agent that no other agent started, in order of start."""
    return tuple(_built(each for each in agents if each.is_top))


def agent_runs(trace: Trace) -> dict[str, AgentRun]:
    """Return each agent by the id of its span, callers first."""
    agents: dict[str, AgentRun] = {}
    owners: dict[str, AgentRun | None] = {}
    taken: Counter[str] = Counter()
    for span in trace.spans:
        above = trace.parent(span)
        owner = None if above is None else owners[above.span_id]
        if is_agent(span):
            agent = AgentRun(span, _path(span, owner, taken), is_top=owner is None)
            agents[span.span_id] = agent
            if owner is not None:
                owner.below.append(agent)
            owner = agent
        elif owner is not None:
            _time(owner, span)
        owners[span.span_id] = owner
        if owner is not None:
            owner.wait_seconds += waited_seconds(span)
    for each in trace.spendings:
        if each.agent is not None:
            agent = agents[each.agent.span_id]
            model = each.span.model or NO_MODEL
            known = agent.calls.get(model)
            agent.calls[model] = each.usage if known is None else known + each.usage
    return agents


def _path(span: TraceSpan, owner: AgentRun | None, taken: Counter[str]) -> str:
    """Return the path that a span names; else one made of names, numbered where one comes again."""
    said = span.attributes.get(names.AGENT_PATH)
    if isinstance(said, str) and said:
        return said
    name = (span.agent_name or span.name).replace("/", "_")
    path = name if owner is None else f"{owner.path}/{name}"
    taken[path] += 1
    return path if taken[path] == 1 else f"{path}#{taken[path]}"


def _time(owner: AgentRun, span: TraceSpan) -> None:
    if span.role == "model":
        owner.model_seconds += span.duration_ns / 1e9
    elif span.role == "tool":
        owner.tool_calls += 1
        owner.tool_seconds += span.duration_ns / 1e9


def _built(tops: Iterable[AgentRun]) -> list[UsageTree]:
    """Return trees, built from the leaves up, so that no depth is too deep."""
    tops = list(tops)
    order, waiting = list[AgentRun](), list(tops)
    while waiting:
        agent = waiting.pop()
        order.append(agent)
        waiting.extend(agent.below)
    trees: dict[str, UsageTree] = {}
    for agent in reversed(order):
        children = tuple(trees[each.span.span_id] for each in agent.below)
        trees[agent.span.span_id] = _tree(agent, children)
    return [trees[agent.span.span_id] for agent in tops]


def _tree(agent: AgentRun, children: tuple[UsageTree, ...]) -> UsageTree:
    calls = tuple(
        CallUsage(model=model, purpose=_LOOP, usage=used) for model, used in agent.calls.items()
    )
    own = sum((call.usage for call in calls), Usage(tool_calls=agent.tool_calls))
    if own.cost is None:
        own = replace(own, cost=own_cost(agent.span, [each.span for each in agent.below]))
    return UsageTree(
        path=agent.path,
        name=agent.span.agent_name or agent.span.name,
        own=own,
        calls=calls,
        children=children,
        exit_reason=agent.span.stop_reason,
        wall_seconds=agent.span.duration_ns / 1e9,
        model_seconds=agent.model_seconds,
        tool_seconds=agent.tool_seconds,
        wait_seconds=agent.wait_seconds,
    )
