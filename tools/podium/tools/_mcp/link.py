"""The way to one server: a session when it is needed, another one when that is lost."""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping
from typing import Any

import anyio
from mcp import MCPError as ProtocolError
from mcp_types import CONNECTION_CLOSED, CallToolRequestParams, InputRequiredResult
from pydantic import ValidationError

from podium.tools._json_check import misfits
from podium.tools._mcp.definitions import Definition, changes
from podium.tools._mcp.failures import Failures
from podium.tools._mcp.http import BROKEN, REFUSED, UNDELIVERED
from podium.tools._mcp.results import MCPResult, result_of_call
from podium.tools._mcp.servers import ServerInfo
from podium.tools._mcp.session import Answer, OnProgress, Session
from podium.tools._mcp.thread import LoopThread
from podium.tools.errors import MCPConnectionError
from podium.tracing._text import printable

logger = logging.getLogger(__name__)


class Link:
    """The way to one server; all of it runs on the loop of its thread."""

    def __init__(
        self,
        server: ServerInfo,
        thread: LoopThread,
        timeouts: tuple[float, float],
        pinned: list[Definition] | None,
    ) -> None:
        """Open nothing yet.

        `timeouts` are for connecting and for a call, in seconds; `pinned` is what the server is
        held to, None for what it lists first.
        """
        self._server = server
        self._thread = thread
        self._connection_timeout, self._invocation_timeout = timeouts
        self._failures = Failures(server)
        self._opening = anyio.Lock()  # so that calls that come together open one session
        self._current: Session | None = None
        self._sessions: set[Session] = set()
        self._lost = 0  # sessions lost or not opened since a call last had a result
        self._pinned = pinned
        self._changes: dict[str, str] = {}

    async def definitions(self) -> list[Definition]:
        """Return what the server's tools are, as they were first listed."""
        await self._session()
        return self._pinned or []

    async def latest(self) -> list[Definition]:
        """Hold the server to what it lists now, and return that."""
        if self._current is not None:
            self._current.is_outdated = True
        self._pinned = list((await self._session()).definitions)
        self._changes = {}
        return self._pinned

    @property
    def changes(self) -> Mapping[str, str]:
        """What became of tools that are not what they were first listed as, by name."""
        return self._changes

    async def call(
        self, definition: Definition, arguments: dict[str, Any], on_progress: OnProgress | None
    ) -> MCPResult:
        """Call a tool and return what came.

        A call that certainly never reached the server is sent once more, in a new session.

        Raises:
            MCPError: the server cannot be reached, does not answer in time, or refuses.
        """
        params = CallToolRequestParams(name=definition.name, arguments=arguments)
        try:
            try:
                answer = await self._ask(params, on_progress)
            except ProtocolError as error:
                if error.code != UNDELIVERED:
                    raise
                answer = await self._ask(params, on_progress)
        except (ProtocolError, ValidationError) as error:
            seconds = self._invocation_timeout
            raise self._failures.of_call(error, definition.name, seconds) from None
        self._lost = 0
        return self._read(answer, definition)

    async def close(self) -> None:
        """Close every session and wait until they are closed."""
        sessions = list(self._sessions)
        for session in sessions:
            session.end()
        for session in sessions:
            await session.closed.wait()

    async def _ask(self, params: CallToolRequestParams, on_progress: OnProgress | None) -> Answer:
        session = await self._session()
        if params.name in self._changes:
            raise self._failures.of_change(params.name, self._changes[params.name])
        try:
            return await session.ask(params, on_progress, seconds=self._invocation_timeout)
        except ProtocolError as error:
            if error.code == CONNECTION_CLOSED and not session.is_usable:
                raise self._failures.of_loss(params.name) from None
            if error.code in (UNDELIVERED, BROKEN, REFUSED):
                session.retire()
            raise

    async def _session(self) -> Session:
        async with self._opening:
            if self._current is None or not self._current.is_usable:
                if self._current is not None:
                    self._current.retire()
                    self._current, self._lost = None, self._lost + 1
                self._current = await self._opened_patiently()
            elif self._current.is_outdated:
                await self._list_again(self._current)
            return self._current

    async def _opened_patiently(self) -> Session:
        """Open a session; once there was one, try again for a while when that fails."""
        left = 0 if self._pinned is None else self._server.max_retries
        while True:
            if self._lost > 1:
                delay = self._server.base_delay * 2.0 ** min(self._lost - 2, 30)
                await anyio.sleep(min(delay, self._server.max_delay))
            try:
                return await self._opened()
            except MCPConnectionError:
                self._lost += 1
                if not left:
                    raise
                left -= 1

    async def _opened(self) -> Session:
        session = Session(self._server, self._connection_timeout)
        self._sessions.add(session)
        self._thread.spawn(lambda: self._keep(session))
        try:
            with anyio.fail_after(self._connection_timeout):
                await session.settled.wait()
        except TimeoutError:
            raise self._failures.of_time(self._connection_timeout) from None
        finally:
            if not session.settled.is_set():
                session.end()
        if not session.is_usable:
            raise self._failures.of_opening(session.problem) from None
        self._hold_to(session.definitions)
        return session

    async def _list_again(self, session: Session) -> None:
        """Look at what the server lists now: once for a call, however often it says it changed."""
        try:
            with anyio.fail_after(self._connection_timeout):
                await session.list_again()
        except (TimeoutError, ProtocolError, ValidationError) as error:
            session.retire()
            late = isinstance(error, TimeoutError)
            failures, seconds = self._failures, self._connection_timeout
            raise (failures.of_time(seconds) if late else failures.of_opening(error)) from None
        self._hold_to(session.definitions)

    async def _keep(self, session: Session) -> None:
        try:
            await session.keep()
        finally:
            self._sessions.discard(session)

    def _hold_to(self, listed: list[Definition]) -> None:
        """Compare what is listed now with what was first listed, and say what differs."""
        if self._pinned is None:
            self._pinned = list(listed)
            return
        known, self._changes = self._changes, changes(self._pinned, listed)
        for name, what in self._changes.items():
            if known.get(name) == what:
                continue
            logger.warning(
                "Tool %r of MCP server %r is not called any more: %s since it was first listed",
                printable(name, limit=80),
                self._server.label,
                what,
            )

    def _read(self, answer: Answer, definition: Definition) -> MCPResult:
        if isinstance(answer, InputRequiredResult):
            raise self._failures.of_question(definition.name)
        output = definition.output_schema
        check = None if output is None else functools.partial(misfits, output)
        result = result_of_call(answer, check)
        if answer.is_error:
            raise self._failures.of_tool(definition.name, result.text)
        return result
