"""Which calls of one step run together: readers of state come after its writers."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from podium.tools._schedule import plan_batches


@dataclass(frozen=True)
class Touch:
    """What a tool does to the state."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    takes_state: bool = False


FREE = Touch()
READS = Touch(reads=frozenset({"a"}))
WRITES = Touch(writes=frozenset({"a"}))
READS_OTHER = Touch(reads=frozenset({"b"}))
TAKES_ALL = Touch(takes_state=True)
A_TO_B = Touch(frozenset({"a"}), frozenset({"b"}))
B_TO_A = Touch(frozenset({"b"}), frozenset({"a"}))


@pytest.mark.parametrize(
    ("tools", "batches"),
    [
        ([], []),
        ([FREE, FREE], [[0, 1]]),
        ([READS, READS], [[0, 1]]),
        ([WRITES, WRITES], [[0, 1]]),
        ([READS, WRITES, FREE], [[1, 2], [0]]),
        ([READS_OTHER, WRITES], [[0, 1]]),
        ([A_TO_B, READS_OTHER, WRITES], [[2], [0], [1]]),
        ([A_TO_B, B_TO_A], [[0], [1]]),
        ([TAKES_ALL, FREE], [[0, 1]]),
        ([TAKES_ALL, WRITES], [[1], [0]]),
        ([READS, TAKES_ALL], [[1], [0]]),
        ([TAKES_ALL, TAKES_ALL], [[0], [1]]),
    ],
)
def test_a_reader_waits_for_what_it_reads(tools: list[Touch], batches: list[list[int]]) -> None:
    assert plan_batches(tools) == batches
