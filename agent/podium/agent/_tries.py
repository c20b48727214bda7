"""The tries of one model call: a failed one is paid for and told before the next one begins."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import anyio

if TYPE_CHECKING:
    from podium.agent.models import ChatGenerator


class OpenCall(Protocol):
    """A model call that a run is making."""

    def failed(self, error: BaseException, *, was_sent: bool = True) -> None:
        """Pay for the try that failed; its room is free again, or charged."""
        ...

    async def retried(self, generator: ChatGenerator) -> Mapping[str, Any] | None:
        """Return the parameters for a try with this generator, once there is room for it."""
        ...


current_call: ContextVar[OpenCall | None] = ContextVar("podium_current_call", default=None)
"""The model call that a generator is answering now; None where no run asked."""


@contextmanager
def before_sending() -> Generator[None]:
    """Say that the try's request is not on its way yet: a try that ends in here costs nothing."""
    try:
        yield
    except BaseException as error:
        call = current_call.get()
        if call is not None:
            call.failed(error, was_sent=False)
        raise


async def next_try(
    error: Exception,
    generator: ChatGenerator,
    generation_kwargs: Mapping[str, Any] | None = None,
    *,
    after_seconds: float = 0.0,
) -> Mapping[str, Any] | None:
    """Say that a try failed, wait, and return the parameters for the next one.

    For generators that try again by themselves, or ask another model: each try takes room of its
    own in the run's budget, and none is held in between. A try that surely did no work is free.
    Where no budget limits the call, and where no run asked, `generation_kwargs` come back.

    Args:
        error: Why the try failed.
        generator: Who is asked next.
        generation_kwargs: The parameters of the call so far.
        after_seconds: How long to wait first.
    """
    call = current_call.get()
    if call is not None:
        call.failed(error)
    await anyio.sleep(after_seconds)
    allowed = await call.retried(generator) if call is not None else None
    return generation_kwargs if allowed is None else allowed
