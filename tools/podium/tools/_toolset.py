"""Toolset: tools that belong together; and one flat list of all the tools an agent is given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from typing import cast

from podium.tools._tool import Tool


class Toolset:
    """Tools that are given to an agent, started and closed together.

    `a + b` is a toolset of both. A subclass whose tools come and go overrides `__iter__`, which is
    asked again before each step; one that keeps something for a run overrides `spawn`.
    """

    def __init__(self, tools: Sequence[Tool] = ()) -> None:
        """Hold `tools`, in their order.

        Raises:
            TypeError: `tools` is no list, or something in it is no Tool.
            ValueError: two tools have the same name.
        """
        self._tools: list[Tool] = [_as_tool(one) for one in as_sequence(tools)]
        _check_unique(self._tools)

    def add(self, tool: Tool) -> None:
        """Take in one more tool.

        Raises:
            TypeError: it is no Tool.
            ValueError: there is one of its name already.
        """
        _check_unique([*self._tools, _as_tool(tool)])
        self._tools.append(tool)

    def selectable(self) -> Sequence[Tool]:
        """Return every tool that a run may pick by name, also those that are not shown at first."""
        return list(self)

    def reachable(self) -> Sequence[Tool]:
        """Return every tool that a run may come to call, also those that are not shown at first."""
        return list(self)

    def spawn(self, selected: Collection[str] | None = None) -> Toolset:
        """Return the toolset for one run: itself, or only the tools whose names are selected."""
        return self if selected is None else _Picked(self.spawn(), selected)

    def parts(self) -> Sequence[Tool | Toolset]:
        """Return what is got ready and closed with the set."""
        return list(self._tools)

    def warm_up(self) -> None:
        """Get every tool ready."""
        for one in _living(self.parts()):
            one.warm_up()

    async def warm_up_async(self) -> None:
        """Get every tool ready."""
        for one in _living(self.parts()):
            await one.warm_up_async()

    def close(self) -> None:
        """Close every tool, the last one first; all are closed even if one fails."""
        with ExitStack() as stack:
            for one in _living(self.parts()):
                stack.callback(one.close)

    async def close_async(self) -> None:
        """Close every tool, the last one first; all are closed even if one fails."""
        async with AsyncExitStack() as stack:
            for one in _living(self.parts()):
                stack.push_async_callback(one.close_async)

    def __add__(self, other: Tool | Toolset | Sequence[Tool | Toolset]) -> Toolset:
        """Return a toolset of this one and a tool, a toolset or a list of them.

        Raises:
            TypeError: `other` is, or holds, something else.
            ValueError: two tools have the same name.
        """
        return _Joined(
            [self, *as_sequence([other] if isinstance(other, Tool | Toolset) else other)]
        )

    def __iter__(self) -> Iterator[Tool]:
        """Go through the tools in their order."""
        return iter(list(self._tools))

    def __len__(self) -> int:
        """Return how many tools there are."""
        return len(list(iter(self)))

    def __getitem__(self, index: int) -> Tool:
        """Return the tool at a position."""
        return list(self)[index]

    def __contains__(self, item: object) -> bool:
        """Return whether a tool, or a tool of this name, is in the set."""
        return any(one is item or one.name == item for one in self)

    def __repr__(self) -> str:
        """Show the tools' names."""
        return f"<{type(self).__name__} {', '.join(one.name for one in self)}>"


class _Joined(Toolset):
    """Toolsets and tools as one; each keeps its own ways."""

    def __init__(self, parts: Sequence[Tool | Toolset]) -> None:
        super().__init__()
        self._parts: list[Tool | Toolset] = [
            inner for one in parts for inner in (one._parts if isinstance(one, _Joined) else [one])
        ]
        known = [one for one in self._parts if type(one) is Toolset or not isinstance(one, Toolset)]
        flatten_tools(known)  # the others may have to connect before they know their tools

    def add(self, tool: Tool) -> None:
        flatten_tools([*self._parts, _as_tool(tool)])
        self._parts.append(tool)

    def selectable(self) -> Sequence[Tool]:
        return selectable_tools(self._parts)

    def reachable(self) -> Sequence[Tool]:
        return reachable_tools(self._parts)

    def spawn(self, selected: Collection[str] | None = None) -> Toolset:
        return _Joined(spawned(self._parts, selected))

    def parts(self) -> Sequence[Tool | Toolset]:
        return list(self._parts)

    def __iter__(self) -> Iterator[Tool]:
        return iter(flatten_tools(self._parts))


class _Picked(Toolset):
    """The tools of a set that have one of the names, for as long as the set has them."""

    def __init__(self, source: Toolset, names: Collection[str]) -> None:
        super().__init__()
        self._source, self._names = source, frozenset(names)

    def add(self, tool: Tool) -> None:
        self._source.add(tool)
        self._names |= {tool.name}

    def parts(self) -> Sequence[Tool | Toolset]:
        return [self._source]

    def __iter__(self) -> Iterator[Tool]:
        return (one for one in self._source if one.name in self._names)


def spawned(
    tools: Sequence[Tool | Toolset] | Toolset, selected: Collection[str] | None = None
) -> list[Tool | Toolset]:
    """Return `tools` for one run, or those of them whose names are selected, in their order."""
    return [
        one.spawn(selected) if isinstance(one, Toolset) else one
        for one in ([tools] if isinstance(tools, Toolset) else tools)
        if selected is None or isinstance(one, Toolset) or one.name in selected
    ]


def selectable_tools(tools: Sequence[Tool | Toolset] | Toolset) -> list[Tool]:
    """Return every tool in `tools` that a run may pick by name."""
    found: list[Tool] = []
    for one in [tools] if isinstance(tools, Toolset) else tools:
        found.extend(one.selectable() if isinstance(one, Toolset) else [one])
    return found


def reachable_tools(tools: Sequence[Tool | Toolset] | Toolset) -> list[Tool]:
    """Return every tool in `tools` that a run may come to call.

    Raises:
        ValueError: two of them have the same name.
    """
    found: list[Tool] = []
    for one in [tools] if isinstance(tools, Toolset) else tools:
        found.extend(one.reachable() if isinstance(one, Toolset) else [one])
    _check_unique(found)
    return found


def _living(parts: Sequence[Tool | Toolset]) -> list[Tool | Toolset]:
    """Return the parts that have something to get ready or to close; plain tools have not."""
    return [one for one in parts if type(one) is not Tool]


def flatten_tools(tools: Sequence[Tool | Toolset] | Toolset | None) -> list[Tool]:
    """Return every tool in `tools`, with the toolsets opened, in order.

    Raises:
        TypeError: `tools` is a lone tool or a function, or has something else than tools in it.
        ValueError: two tools have the same name.
    """
    if tools is None:
        return []
    flat: list[Tool] = []
    for one in tools if isinstance(tools, Toolset) else as_sequence(tools):
        flat.extend(one if isinstance(one, Toolset) else [_as_tool(one)])
    _check_unique(flat)
    return flat


def as_sequence(tools: object) -> Iterable[Tool | Toolset]:
    """Return `tools`, which may be a list or a toolset.

    Raises:
        TypeError: it is neither.
    """
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
    if callable(item):
        mend = "Decorate the function with @tool."
    elif hasattr(item, "chat_generator"):
        mend = "Make a tool of the agent: podium.orchestration.AgentTool(agent)."
    else:
        mend = "Make a tool of it first, with @tool or Tool(...)."
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
