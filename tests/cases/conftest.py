"""Every run of these tests must add up."""

from tree_invariants import every_run_adds_up

__all__ = ["every_run_adds_up"]
