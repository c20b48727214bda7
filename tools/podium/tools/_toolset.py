"""Toolset: tools that belong together; and one flat list of all the tools an agent is given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from typing import cast

from podium.tools._tool import Tool


class Toolset:
    """Tools that are given to an agent, started and closed together."""

    def __init__(self, tools: Sequence[Tool] = ()) -> None:
        """Hold `tools`, in their order.

        Raises:
            TypeError: `tools` is no list, or something in it is no Tool.
            ValueError: two tools have the same name.
        """
        self._tools: list[Tool] = []
        for one in _as_sequence(tools):
            self.add(_as_tool(one))

    def add(self, tool: Tool) -> None:
        """Take in one more tool.

        Raises:
            TypeError: it is no Tool.
            ValueError: there is one of its name already.
        """
        _check_unique([*self._tools, _as_tool(tool)])
        self._tools.append(tool)

    def spawn(self, selected: Collection[str] | None = None) -> Toolset:
        """Return the toolset for one run: itself, or only the tools whose names are selected."""
        if selected is None:
            return self
        return Toolset([one for one in self if one.name in selected])

    def warm_up(self) -> None:
        """Get every tool ready."""
        for one in self:
            one.warm_up()

    async def warm_up_async(self) -> None:
        """Get every tool ready."""
        for one in self:
            await one.warm_up_async()

    def close(self) -> None:
        """Close every tool, the last one first; all are closed even if one fails."""
        with ExitStack() as stack:
            for one in self:
                stack.callback(one.close)

    async def close_async(self) -> None:
        """Close every tool, the last one first; all are closed even if one fails."""
        async with AsyncExitStack() as stack:
            for one in self:
                stack.push_async_callback(one.close_async)

    def __iter__(self) -> Iterator[Tool]:
        """Go through the tools in their order."""
        return iter(list(self._tools))

    def __len__(self) -> int:
        """Return how many tools there are."""
        return len(self._tools)

    def __getitem__(self, index: int) -> Tool:
        """Return the tool at a position."""
        return self._tools[index]

    def __contains__(self, item: object) -> bool:
        """Return whether a tool, or a tool of this name, is in the set."""
        return any(one is item or one.name == item for one in self)

    def __repr__(self) -> str:
        """Show the tools' names."""
        return f"<{type(self).__name__} {', '.join(one.name for one in self)}>"


def flatten_tools(tools: Sequence[Tool | Toolset] | Toolset | None) -> list[Tool]:
    """Return every tool in `tools`, with the toolsets opened, in order.

    Raises:
        TypeError: `tools` is a lone tool or a function, or has something else than tools in it.
        ValueError: two tools have the same name.
    """
    if tools is None:
        return []
    flat: list[Tool] = []
    for one in tools if isinstance(tools, Toolset) else _as_sequence(tools):
        flat.extend(one if isinstance(one, Toolset) else [_as_tool(one)])
    _check_unique(flat)
    return flat


def _as_sequence(tools: object) -> Iterable[Tool | Toolset]:
    if isinstance(tools, list | tuple | Toolset):
        return cast("Iterable[Tool | Toolset]", tools)
    if isinstance(tools, Tool):
        mend = f"Put it in a list, as in tools=[{tools.name}]."
    elif callable(tools):
        mend = "Decorate the function with @tool, and put it in a list."
    else:
        mend = "Pass a list of tools, or a Toolset."
    raise TypeError(f"tools is {tools!r:.80}, not a list. {mend}")


def _as_tool(item: object) -> Tool:
    if isinstance(item, Tool):
        return item
    mend = (
        "Decorate the function with @tool."
        if callable(item)
        else "Make a tool of it first, with @tool or Tool(...)."
    )
    raise TypeError(f"{item!r:.80} is among the tools, but is no Tool. {mend}")


def _check_unique(tools: Sequence[Tool]) -> None:
    seen: dict[str, Tool] = {}
    for one in tools:
        if one.name in seen:
            raise ValueError(
                f"Two tools are named {one.name!r}{_origins(seen[one.name], one)}, so a call could "
                "mean either. Rename one, as in @tool(name=...) or MCPToolset(..., prefix=...)."
            )
        seen[one.name] = one


def _origins(first: Tool, second: Tool) -> str:
    if first.origin == second.origin:
        return ""
    return f", one from {first.origin} and one from {second.origin}"
