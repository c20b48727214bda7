"""What it takes to build a thousand tools, and to find one among ten thousand."""

from __future__ import annotations

import gc
import json
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Annotated, Any, Literal

import anyio

from podium.tools import SearchableToolset, Tool, tool

TOOLS, CATALOG, SEARCHES, ROUNDS = 1_000, 10_000, 200, 5
_WORDS = (
    "account address amount archive article backup balance booking branch budget calendar campaign"
    " card catalog channel client comment contact contract country credit currency customer"
    " delivery device discount document employee event export file flight folder forecast hotel"
    " image import index invoice issue item job label language letter license limit list location"
    " log machine mail map market meeting member message meter model network news note number"
    " offer office order owner package page parcel partner password payment phone photo plan"
    " policy price product profile project query rate receipt record region report request review"
    " role room route rule sale schedule score sensor server service session setting shift site"
    " stock store student supplier survey table tag task tax team template term test ticket time"
    " token topic track trade train transfer trip unit user vehicle version video visit voucher"
    " warehouse weather web week zone"
).split()


def thousand_functions() -> list[Callable[..., Any]]:
    """Return functions that each have choices of their own, so that no schema is like another."""
    return [_function(number) for number in range(TOOLS)]


def _function(number: int) -> Callable[..., Any]:
    def find(
        query: Annotated[str, "the words to look for"],
        order: str = "new",
        limit: int = 10,
        tags: list[str] | None = None,
    ) -> str:
        """Find what matches.

        Args:
            order: which comes first
            limit: how many
        """
        return query

    find.__name__ = f"find_{number}"
    find.__annotations__["order"] = Literal["new", "old", f"by_{number}"]
    return find


def large_catalog() -> list[Tool]:
    """Return ten thousand tools with names, descriptions and parameters of their own."""
    chance = random.Random(7)
    return [_tool(number, chance) for number in range(CATALOG)]


def _tool(number: int, chance: random.Random) -> Tool:
    words = chance.choices(_WORDS, k=18)
    described = " ".join(words[2:12])
    parameters = {name: {"type": "string", "description": f"the {name}"} for name in words[12:15]}
    return Tool(
        f"{words[0]}_{words[1]}_{number}", f"Work on {described}.", {"properties": parameters}, dict
    )


async def measure() -> dict[str, float]:
    """Return seconds of CPU, and bytes."""
    functions, catalog = thousand_functions(), large_catalog()
    tool(functions[0])  # what is loaded with the first one
    schemas = min(_seconds(lambda: [tool(one) for one in functions]) for _ in range(ROUNDS))
    gc.collect()
    tracemalloc.start()
    tools = SearchableToolset(catalog)
    tools.warm_up()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    build = min(_seconds(lambda: SearchableToolset(catalog).warm_up()) for _ in range(ROUNDS))
    searches = [await _search(tools, number) for number in range(SEARCHES)]
    return {
        "schemas": schemas,
        "build": build,
        "search": statistics.median(searches),
        "slowest": max(searches),
        "held": held,
    }


async def _search(tools: SearchableToolset, number: int) -> float:
    query = " ".join(random.Random(number).choices(_WORDS, k=6))
    run = tools.spawn()
    started = time.process_time()
    found = await run[0].invoke_async(query=f"work on the {query}")
    assert found.count("\n- ") == 3
    return time.process_time() - started


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    print(json.dumps(anyio.run(measure)))
