"""The six points of a run at which hooks are called, and what a hook is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, get_args, runtime_checkable

from podium.tools import State
from podium.tools.errors import nearest

HookPoint = Literal["before_run", "before_llm", "before_tool", "after_tool", "on_exit", "after_run"]
"""When a hook is called: once at the start, around each step's model and tools, when the agent is
about to leave by itself, and once at the end."""

HOOK_POINTS: tuple[HookPoint, ...] = get_args(HookPoint)
"""All points, in the order in which a run reaches them."""


@runtime_checkable
class Hook(Protocol):
    """An object with `run(state)`, or `run_async(state)`, or both; its only means is the state.

    May have `allowed_hook_points: tuple[str, ...]` to say where it makes sense, and `warm_up`,
    `close` or their async forms.
    """

    def run(self, state: State) -> None:
        """Look at the run's state, and change it to change the run."""
        ...


def check_hooks(hooks: Mapping[HookPoint, Sequence[object]]) -> None:
    """Refuse hooks that could never run.

    Raises:
        ValueError: an unknown point, or a hook at a point it does not allow.
        TypeError: a bare function, or an object without `run`.
    """
    if not isinstance(hooks, Mapping):
        raise TypeError(
            f"hooks is a {type(hooks).__name__}: {hooks!r:.60}. Give a dict of lists by hook "
            "point, as in hooks={'before_llm': [my_hook]}."
        )
    for point, listed in hooks.items():
        if point not in HOOK_POINTS:
            raise ValueError(
                f"There is no hook point {point!r}.{nearest(point, HOOK_POINTS)} Use one of them."
            )
        if isinstance(listed, str) or not isinstance(listed, Sequence):
            raise TypeError(
                f"hooks[{point!r}] is a {type(listed).__name__}. Give a list of hooks, as in "
                f"hooks={{{point!r}: [my_hook]}}."
            )
        for one in listed:
            _check_hook(point, one)


def _check_hook(point: str, candidate: object) -> None:
    has_run = callable(getattr(candidate, "run", None))
    if not has_run and not callable(getattr(candidate, "run_async", None)):
        hint = "Decorate it with @hook." if callable(candidate) else "Give it run(state)."
        raise TypeError(f"hooks[{point!r}] holds {candidate!r}, which is not a hook. {hint}")
    allowed: tuple[str, ...] | None = getattr(candidate, "allowed_hook_points", None)
    if allowed is not None and point not in allowed:
        raise ValueError(
            f"{type(candidate).__name__} cannot be used at {point!r}: it allows "
            f"{', '.join(allowed)}. Register it there."
        )
