"""One session with a server: opened, kept and closed by one task, used by others."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
from mcp import Client
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    InputRequiredResult,
)
from pydantic import TypeAdapter

from podium.tools._mcp.definitions import Definition
from podium.tools._mcp.failures import Failures
from podium.tools._mcp.http import http_transport
from podium.tools._mcp.listing import listed_tools
from podium.tools._mcp.screen import Screen
from podium.tools._mcp.servers import ServerInfo, StdioServerInfo
from podium.tools._mcp.stdio import ServerLog, stdio_transport
from podium.tools._text import error_text
from podium.tracing._version import podium_version

logger = logging.getLogger(__name__)

Answer = CallToolResult | InputRequiredResult
OnProgress = ProgressFnT

_ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)
_CLIENT = Implementation(name="podium", version=podium_version())


class Session:
    """One session; `keep` is its life."""

    def __init__(self, server: ServerInfo, connection_timeout: float) -> None:
        """Start without a connection."""
        self.definitions: list[Definition] = []
        """What the server listed when it was last asked."""
        self.is_outdated = False
        """Whether it may list something else by now."""
        self.problem: BaseException | None = None
        """Why it could not be opened, or was lost."""
        self.settled = anyio.Event()
        """Set when it is open, or cannot be."""
        self.closed = anyio.Event()
        """Set when nothing of it is left."""
        self._server = server
        self._connection_timeout = connection_timeout
        self._inner: ClientSession | None = None
        self._over = anyio.Event()
        self._scope = anyio.CancelScope()
        self._calls = 0
        self._is_retired = False

    @property
    def is_usable(self) -> bool:
        """Whether new calls may use it."""
        return self._inner is not None and not self._over.is_set() and not self._is_retired

    async def keep(self) -> None:
        """Open it, keep it until it is over, and close it."""
        try:
            with self._scope:
                async with self._client() as client:
                    self.definitions = await listed_tools(client.session, self._server.label)
                    self._inner = client.session
                    self.settled.set()
                    await self._over.wait()
        except (Exception, BaseExceptionGroup) as error:  # task groups wrap what happens in them
            self.problem = _innermost(error)
            label = self._server.label
            logger.debug("The session with MCP server %r ended: %s", label, error_text(error))
        finally:
            self._over.set()
            self.settled.set()
            self.closed.set()

    async def list_again(self) -> None:
        """Ask the server for its tools once more; until it has answered they count as outdated."""
        self.is_outdated = False  # before it is asked: what changes meanwhile counts again
        try:
            inner = cast("ClientSession", self._inner)
            self.definitions = await listed_tools(inner, self._server.label)
        except BaseException:
            self.is_outdated = True
            raise

    def end(self) -> None:
        """Have it closed now, whatever is under way."""
        self._over.set()
        if self._inner is None:
            self._scope.cancel()

    def retire(self) -> None:
        """Take no new calls; it is closed when those under way have ended."""
        self._is_retired = True
        if not self._calls:
            self.end()

    async def ask(
        self, params: CallToolRequestParams, on_progress: OnProgress | None, *, seconds: float
    ) -> Answer:
        """Send one call and return the answer as the server gave it.

        Not by `call_tool` of the session, which would match the answer against regular
        expressions that the server wrote.
        """
        self._calls += 1
        try:
            return await cast("ClientSession", self._inner).send_request(
                CallToolRequest(params=params),
                _ANSWER,
                request_read_timeout_seconds=seconds,
                progress_callback=on_progress,
            )
        finally:
            self._calls -= 1
            if self._is_retired:
                self.retire()

    @asynccontextmanager
    async def _client(self) -> AsyncGenerator[Client]:
        log = ServerLog(self._server.label, Failures(self._server).quoted)
        if isinstance(self._server, StdioServerInfo):
            transport: Any = stdio_transport(self._server, log)
        else:
            transport = http_transport(self._server, self._connection_timeout, self._over.set)
        screened = self._screened(transport)
        try:
            async with Client(screened, cache=None, client_info=_CLIENT) as client:
                yield client
        except BaseException as error:
            if log.last_words:
                _innermost(error).add_note(log.last_words)
            raise

    @asynccontextmanager
    async def _screened(self, transport: Any) -> AsyncGenerator[tuple[Any, Any]]:
        async with transport as (incoming, outgoing):
            screen = Screen(
                incoming, self._server.label, on_end=self._over.set, on_change=self._note_change
            )
            yield screen, outgoing

    def _note_change(self) -> None:
        self.is_outdated = True


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
