"""Generators that a tool returned, read to the end while the call is still running."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

MAX_GENERATED_ITEMS = 1_000
"""How many items of a generator are read; what more there may be is not asked for."""

_MORE = f"[cut here: only the first {MAX_GENERATED_ITEMS:,} items were read]"


def drain(value: Any) -> Any:
    """Return the items of an iterator as a list, so that its errors are the call's; else `value`.

    Files are left alone: they iterate, but are not a stream of results.
    """
    stream: object = value
    if not isinstance(stream, Iterator) or hasattr(value, "read"):
        return value
    items: list[Any] = []
    for item in value:
        if len(items) == MAX_GENERATED_ITEMS:
            items.append(_MORE)
            break
        items.append(item)
    if inspect.isgenerator(value):
        value.close()
    return items


async def drain_async(value: Any) -> Any:
    """Return the items of an async iterator as a list; else `value`."""
    stream: object = value
    if not isinstance(stream, AsyncIterator):
        return value
    items: list[Any] = []
    try:
        async for item in value:
            if len(items) == MAX_GENERATED_ITEMS:
                items.append(_MORE)
                break
            items.append(item)
    finally:
        if inspect.isasyncgen(value):
            await value.aclose()
    return items
