"""A run that is read while it goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self

import anyio

from podium.agent._channel import EventChannel
from podium.agent._result import AgentResult
from podium.agent.errors import AgentError
from podium.agent.messages import ChatMessage

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from podium.agent._agent import Agent, Messages
    from podium.agent._run_state import RunState
    from podium.agent._start import RunOptions
    from podium.agent.events import RunEvent


class RunStream:
    """One run of an agent, as events; made by `Agent.stream`.

    The run goes on in the background while the block is open. At most a bounded number of events
    wait to be read: a slow reader slows the run. Leaving the block, also by `break` or an error,
    cancels what is left of the run and waits until nothing of it is left.
    """

    def __init__(
        self, agent: Agent, messages: Messages, inputs: Mapping[str, Any], options: RunOptions
    ) -> None:
        """Keep what to run; the run starts when the block is entered."""
        self._agent, self._messages, self._inputs, self._options = agent, messages, inputs, options
        self._channel = EventChannel()
        self._group: TaskGroup | None = None
        self._scope: anyio.CancelScope | None = None  # holds the run alone, not the reader
        self._run: RunState | None = None
        self._result: AgentResult | None = None
        self._error: Exception | None = None

    async def __aenter__(self) -> Self:
        """Check the arguments and start the run; errors in them are raised here."""
        from podium.agent._context import current_run
        from podium.agent._lifecycle import warm_up_to_pick
        from podium.agent._start import Place, start_run

        if self._group is not None:
            raise AgentError(
                f"This stream of agent {self._agent.name!r} was entered twice. "
                "Call agent.stream() again for another run."
            )
        await warm_up_to_pick(self._agent, self._options.tools)
        place = Place(parent=current_run.get(), channel=self._channel)
        self._run = start_run(self._agent, self._messages, self._inputs, self._options, place)
        self._group = await anyio.create_task_group().__aenter__()
        self._scope = anyio.CancelScope()
        self._group.start_soon(self._work, self._run, self._scope)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Cancel what is left, wait for its end, and raise the run's error if nobody saw it."""
        assert self._group is not None and self._scope is not None
        self._channel.close()
        self._scope.cancel()
        # The block's own error is not shown to the group, which would wrap it in a group of errors.
        await self._group.__aexit__(None, None, None)
        if self._error is not None and kind is None:
            raise self._take_error()

    def __aiter__(self) -> AsyncIterator[RunEvent]:
        """Return the events, in order; ends when the run has ended."""
        return self

    async def __anext__(self) -> RunEvent:
        """Return the next event; raises the run's error after the last one."""
        if self._group is None:  # nothing would ever come
            raise AgentError(
                f"The stream of agent {self._agent.name!r} is read before its run has begun. Write "
                "`async with agent.stream(...) as run:` around `async for event in run:`."
            )
        event = await self._channel.get()
        if event is not None:
            return event
        if self._error is not None:
            raise self._take_error()
        raise StopAsyncIteration

    @property
    def result(self) -> AgentResult:
        """The result; a cancelled run has a partial one with the reason `cancelled`.

        Raises:
            AgentError: the run has not ended; read its events to the end first.
        """
        if self._result is None:
            raise AgentError(
                f"The run of agent {self._agent.name!r} has not ended, so it has no result yet. "
                "Read its events to the end first, or cancel it."
            )
        return self._result

    @property
    def messages(self) -> list[ChatMessage]:
        """The conversation so far, or at the end; a copy."""
        return list(self._run.messages) if self._run is not None else []

    def cancel(self) -> None:
        """Stop the run; the events then end soon, and `result` holds what it had."""
        if self._scope is not None:
            self._scope.cancel()

    if not TYPE_CHECKING:  # type checkers refuse these by themselves

        def __enter__(self) -> NoReturn:
            """Refuse `with` and `for`, and say what to write instead."""
            raise TypeError(
                f"The stream of agent {self._agent.name!r} is asynchronous. Write `async with "
                "agent.stream(...) as run:` and `async for event in run:`, or call agent.run(...)."
            )

        __exit__ = __iter__ = __enter__

    async def _work(self, run: RunState, scope: anyio.CancelScope) -> None:
        from podium.agent._execute import execute

        with scope:
            try:
                self._result = await execute(run)
            except Exception as error:
                self._error = error
                self._result = getattr(error, "partial", None)
            except BaseException as error:  # cancellation: keep what there is, and let it pass
                self._result = getattr(error, "partial", None)
                raise
            finally:
                self._channel.close()

    def _take_error(self) -> Exception:
        error, self._error = self._error, None
        assert error is not None
        return error
