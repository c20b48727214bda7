"""Which calls of one step may run together: one that reads state waits for those that write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class TouchesState(Protocol):
    """What the plan needs to know of a tool."""

    @property
    def reads(self) -> frozenset[str]:
        """State keys its arguments come from."""
        ...

    @property
    def writes(self) -> frozenset[str]:
        """State keys its result goes to."""
        ...

    @property
    def takes_state(self) -> bool:
        """Whether it gets the whole state, and so may read and write every key."""
        ...


def plan_batches(tools: Sequence[TouchesState]) -> list[list[int]]:
    """Return batches of positions into `tools`, in the order to run them.

    Calls of one batch may run in parallel; a batch starts when the one before has ended and its
    writes are merged. A reader comes after all writers of the same step, whatever their order. Two
    writers of one key share a batch: their results are merged in call order. Where calls wait for
    each other in a circle, the first of them runs alone.
    """
    waiting = list(range(len(tools)))
    if not any(_touches(tool) for tool in tools):
        return [waiting] if waiting else []
    batches: list[list[int]] = []
    while waiting:
        free = [
            one
            for one in waiting
            if not any(_waits_for(tools[one], tools[other]) for other in waiting if other != one)
        ]
        batch = free or waiting[:1]
        batches.append(batch)
        waiting = [position for position in waiting if position not in batch]
    return batches


def _touches(tool: TouchesState) -> bool:
    return bool(tool.takes_state or tool.reads or tool.writes)


def _waits_for(reader: TouchesState, writer: TouchesState) -> bool:
    """Return whether `reader` must see what `writer` writes."""
    if reader.takes_state:
        return bool(writer.takes_state or writer.writes)
    if writer.takes_state:
        return bool(reader.reads)
    return bool(reader.reads & writer.writes)
