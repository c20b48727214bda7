"""Getting parts ready and putting them away: tools, hooks and the model."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Literal

from podium.tools import Tool
from podium.tools._threads import run_in_thread
from podium.tools._toolset import reachable_tools, selectable_tools

if TYPE_CHECKING:
    from podium.agent._agent import Agent, Tools

Call = Literal["warm_up", "close"]


async def call_on_parts(agent: Agent, call: Call) -> None:
    """Call `warm_up` or `close` on each part of an agent once, in its async form if it has one.

    All parts are closed even if one fails; the first error comes out then.
    """
    parts = list({id(part): part for part in _parts(agent)}.values())
    if call == "warm_up":
        for part in parts:
            await call_on_part(part, call)
        reachable_tools(agent.toolbox())  # only now toolsets that connect know what they hold
        return
    async with AsyncExitStack() as stack:  # runs them last in, first out, whatever fails
        for part in reversed(parts):
            stack.push_async_callback(call_on_part, part, call)


async def warm_up_tools(tools: Tools) -> None:
    """Prepare the tools that need it; the plain ones cost nothing."""
    for tool in tools if isinstance(tools, list | tuple) else [tools]:
        if type(tool) is not Tool:
            await call_on_part(tool, "warm_up")


async def warm_up_to_pick(agent: Agent, chosen: Tools | Sequence[str] | None) -> None:
    """Prepare the agent's tools if one is picked by a name that is not known before."""
    if isinstance(chosen, list | tuple):
        names = {one for one in chosen if isinstance(one, str)}
        if names.difference(tool.name for tool in selectable_tools(agent.toolbox())):
            await warm_up_tools(agent.toolbox())


def _parts(agent: Agent) -> Iterator[object]:
    tools = agent.toolbox()
    yield from tools if isinstance(tools, list | tuple) else [tools]
    for listed in (agent.hooks or {}).values():
        yield from listed
    yield agent.chat_generator


async def call_on_part(part: object, call: Call) -> None:
    """Call `warm_up` or `close` on one part, in its async form if it has one."""
    run_async = getattr(part, f"{call}_async", None)
    if run_async is not None:
        outcome = run_async()
        if inspect.isawaitable(outcome):
            await outcome
        return
    run = getattr(part, call, None)
    if callable(run):
        await run_in_thread(run)
