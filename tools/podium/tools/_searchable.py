"""SearchableToolset: thousands of tools, of which the model sees those it has searched for."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from podium.tools._bm25 import Bm25Index
from podium.tools._calls import ToolCall
from podium.tools._shapes import is_object
from podium.tools._state import State
from podium.tools._threads import run_in_thread
from podium.tools._tool import Tool
from podium.tools._toolset import Toolset, as_sequence, flatten_tools
from podium.tools.errors import nearest

MAX_FOUND = 20
"""How many tools one search loads at the most, whatever the model asks for."""

FOUND = "From now on you can call:"
"""How a search begins that has loaded tools."""

_DESCRIPTION = (
    "Find tools by what they do, and load them. There are more tools than those you see: search "
    "before you say that something cannot be done. What is found can be called in the next step."
)
_PARAMETERS = {
    "query": "what the tool should do, in a few words, or its name",
    "k": "how many tools to load at the most",
}
_SYNONYMS = {"tool_keywords": "query", "keywords": "query", "limit": "k", "top_k": "k"}
_SUMMARY_CHARS = 160


class SearchableToolset(Toolset):
    """A large catalog of tools behind a `search_tools` tool of its own.

    The model sees the search tool only; what it finds is offered from the next step on, in that run
    and in no other. A catalog with fewer tools than `search_threshold` is offered as it is.
    """

    def __init__(
        self,
        catalog: Sequence[Tool | Toolset] | Toolset,
        *,
        top_k: int = 3,
        search_threshold: int = 8,
        search_tool_name: str = "search_tools",
        search_tool_description: str | None = None,
        search_tool_parameters_description: Mapping[str, str] | None = None,
    ) -> None:
        """Offer `catalog`, which may hold toolsets, of which `top_k` tools are found at a time.

        Of a searchable toolset in it, the tools are taken and its own search is left out.

        `search_tool_parameters_description` replaces what the model reads of `query` and `k`.

        Raises:
            TypeError: `catalog` is no list of tools and toolsets, and no toolset.
            ValueError: two tools share a name, a limit is below 1, or a parameter is unknown.
        """
        super().__init__()
        for name, value in (("top_k", top_k), ("search_threshold", search_threshold)):
            if value < 1:
                raise ValueError(f"SearchableToolset got {name}={value!r}. Give 1 or more.")
        described = dict(search_tool_parameters_description or {})
        for name in described.keys() - _PARAMETERS.keys():
            raise ValueError(
                f"The search tool has no parameter {name!r}.{nearest(name, _PARAMETERS)} "
                "Name one of them."
            )
        self._catalog = _Catalog(catalog, search_tool_name)
        self._top_k, self._threshold = top_k, search_threshold
        self._selected: frozenset[str] | None = None
        self._found: dict[str, Tool] = {}
        self._spec = (search_tool_name, search_tool_description or _DESCRIPTION)
        self._parameters = _search_parameters({**_PARAMETERS, **described}, top_k)
        self._search_tool = self._new_search_tool()

    def add(self, tool: Tool) -> None:
        """Refuse: a catalog is given when the set is made.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            f"Tool {tool.name!r} cannot be added to a SearchableToolset. Put it into the catalog "
            "before, or beside the toolset in the agent's tools, where it is always seen."
        )

    def selectable(self) -> Sequence[Tool]:
        """Return the search tool and the whole catalog."""
        return [self._search_tool, *self._catalog.tools()]

    def reachable(self) -> Sequence[Tool]:
        """Return the search tool and all that it can find, or a small catalog."""
        offered = self._offered()
        return offered if len(offered) < self._threshold else [self._search_tool, *offered]

    def spawn(self, selected: Collection[str] | None = None) -> Toolset:
        """Return a set for one run that has found nothing yet, over the same catalog.

        With `selected`, only the tools of these names can be found; the search tool's name alone
        stands for the whole catalog.
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        if selected is not None and set(selected) != {self._search_tool.name}:
            twin._selected = frozenset(selected)
        twin._found = {}
        twin._search_tool = twin._new_search_tool()
        return twin

    def parts(self) -> Sequence[Tool | Toolset]:
        """Return the catalog's tools and toolsets."""
        return self._catalog.parts

    def warm_up(self) -> None:
        """Get the catalog ready, and the index over it."""
        super().warm_up()
        self._catalog.index()

    async def warm_up_async(self) -> None:
        """Get the catalog ready, and the index over it, in a worker thread."""
        await super().warm_up_async()
        await self._index()

    def __iter__(self) -> Iterator[Tool]:
        """Go through what the model sees: the search tool and what it found, or a small catalog."""
        offered = self._offered()
        if len(offered) < self._threshold:
            return iter(offered)
        return iter([self._search_tool, *self._found.values()])

    def _offered(self) -> Sequence[Tool]:
        """Return the part of the catalog that this run may use."""
        tools, selected = self._catalog.tools(), self._selected
        return tools if selected is None else [one for one in tools if one.name in selected]

    async def _index(self) -> tuple[Sequence[Tool], Bm25Index]:
        if self._catalog.is_ready():
            return self._catalog.index()
        return await run_in_thread(self._catalog.index)

    async def _search(self, query: str, k: int | None = None) -> str:
        """Load the tools that match best, and say which they are."""
        tools, index = await self._index()
        among = None
        if (selected := self._selected) is not None:
            among = [position for position, one in enumerate(tools) if one.name in selected]
        limit = min(max(self._top_k if k is None else k, 1), MAX_FOUND)
        found = [tools[position] for position in index.search(query, limit, among)]
        if not found:
            return (
                f"No tool matches {query[:200]!r}. Search again with other words for what the tool "
                "should do, or go on without one."
            )
        self._found.update({one.name: one for one in found})
        listed = "\n".join(f"- {one.name}: {_summary(one)}" for one in found)
        return f"{FOUND}\n{listed}"

    def _new_search_tool(self) -> Tool:
        name, description = self._spec
        return _SearchTool(name, description, self._parameters, async_function=self._search)


class _SearchTool(Tool):
    """Takes a query also under the names that models know from elsewhere."""

    def prepare(self, call: ToolCall, state: State) -> dict[str, Any]:
        renamed = {_SYNONYMS.get(name, name): value for name, value in call.arguments.items()}
        return super().prepare(dataclasses.replace(call, arguments=renamed), state)


class _Catalog:
    """All the tools, and the index over them, shared by the runs."""

    def __init__(self, catalog: Sequence[Tool | Toolset] | Toolset, search_tool_name: str) -> None:
        self.parts = list(
            _laid_open([catalog] if isinstance(catalog, Toolset) else as_sequence(catalog))
        )
        self._name = search_tool_name
        self._toolsets = [one for one in self.parts if isinstance(one, Toolset)]
        self._known: tuple[list[int], list[Tool]] | None = None
        self._indexed: tuple[list[Tool], Bm25Index] | None = None
        self._lock = threading.Lock()  # one index is built, however many runs begin together
        self._check([one for one in self.parts if type(one) is Toolset or isinstance(one, Tool)])

    def tools(self) -> list[Tool]:
        """Return the tools there are now; toolsets in the catalog may grow."""
        if any(type(one) is not Toolset for one in self._toolsets):
            return self._check(self.parts)
        sizes = [len(one) for one in self._toolsets]  # tools are added to them, never taken away
        if self._known is None or self._known[0] != sizes:
            self._known = sizes, self._check(self.parts)
        return self._known[1]

    def is_ready(self) -> bool:
        """Return whether the index is that of the tools there are now."""
        return self._indexed is not None and self._indexed[0] == self.tools()

    def index(self) -> tuple[list[Tool], Bm25Index]:
        """Return the tools and the index over them, built anew where the tools have changed."""
        with self._lock:
            if self._indexed is None or not self.is_ready():
                tools = self.tools()
                self._indexed = tools, Bm25Index(_described(one) for one in tools)
            return self._indexed

    def _check(self, parts: Sequence[Tool | Toolset]) -> list[Tool]:
        tools = flatten_tools(parts)
        if any(one.name == self._name for one in tools):
            raise ValueError(
                f"A tool of the catalog is named {self._name!r}, as the search tool is. "
                "Rename it, or give another search_tool_name."
            )
        return tools


def _laid_open(parts: Iterable[Tool | Toolset]) -> Iterator[Tool | Toolset]:
    """Yield the parts, but the catalogs of searchable toolsets for those: one search finds all."""
    for one in parts:
        inner = one.parts() if isinstance(one, Toolset) else ()
        if isinstance(one, SearchableToolset) or any(
            isinstance(part, SearchableToolset) for part in inner
        ):
            yield from _laid_open(inner)
        else:
            yield one


def _search_parameters(described: Mapping[str, str], top_k: int) -> dict[str, Any]:
    count = {"type": "integer", "minimum": 1, "maximum": MAX_FOUND, "default": top_k}
    return {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": described["query"]},
            "k": {**count, "description": described["k"]},
        },
        "required": ["query"],
        "additionalProperties": False,
    }


def _described(tool: Tool) -> str:
    """Return the words by which a tool is found; those of its name count twice."""
    parts = [tool.name, tool.name, tool.description]
    for name, schema in tool.parameters["properties"].items():
        parts.append(name)
        if is_object(schema):
            parts.append(str(schema.get("description", "")))
    return " ".join(parts)


def _summary(tool: Tool) -> str:
    first = tool.description.strip().partition("\n")[0]
    return first if len(first) <= _SUMMARY_CHARS else f"{first[:_SUMMARY_CHARS]}…"
