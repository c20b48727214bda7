"""The one connection behind a server's tools: usable from any thread and any event loop."""

from __future__ import annotations

import importlib.util
import math
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from podium.tools._extras import missing_extra
from podium.tools._mcp.servers import (
    ServerInfo,
    SSEServerInfo,
    StdioServerInfo,
    StreamableHttpServerInfo,
)
from podium.tools._mcp.thread import Future, LoopThread

if TYPE_CHECKING:
    from podium.tools._mcp.definitions import Definition
    from podium.tools._mcp.link import Link
    from podium.tools._mcp.results import MCPResult
    from podium.tools._mcp.session import OnProgress

ResultT = TypeVar("ResultT")


class Connection:
    """What holds a server's session, in a thread that exists while it is needed."""

    def __init__(
        self, server: ServerInfo, connection_timeout: float, invocation_timeout: float
    ) -> None:
        """Connect nothing yet.

        Raises:
            ImportError: the extra that this needs is not installed.
            TypeError: the server is described by something else than a server info.
            ValueError: a timeout is not above zero.
        """
        if importlib.util.find_spec("mcp") is None:
            raise missing_extra("talking to an MCP server", "mcp", "mcp")
        if not isinstance(server, StdioServerInfo | StreamableHttpServerInfo | SSEServerInfo):
            raise TypeError(
                f"server_info is a {type(server).__name__}, which describes no MCP server. "
                "Pass a StdioServerInfo, StreamableHttpServerInfo or SSEServerInfo."
            )
        for name, value in (
            ("connection_timeout", connection_timeout),
            ("invocation_timeout", invocation_timeout),
        ):
            if not (isinstance(value, int | float) and 0 < value < math.inf):
                raise ValueError(
                    f"MCP server {server.label!r}: {name} is {value!r}. Give seconds above 0."
                )
        self.server = server
        self._timeouts = (connection_timeout, invocation_timeout)
        self._lock = threading.Lock()  # guards the start and the end of the thread
        self._open: _Open | None = None
        self._pinned: list[Definition] | None = None

    def definitions(self) -> Future[list[Definition]]:
        """Return what the server's tools are; connects if need be."""
        return self._submit(lambda link: self._kept(link.definitions()))

    def latest(self) -> Future[list[Definition]]:
        """Accept what the server's tools have become, and return that."""
        return self._submit(lambda link: self._kept(link.latest()))

    def call(
        self, definition: Definition, arguments: dict[str, Any], on_progress: OnProgress | None
    ) -> Future[MCPResult]:
        """Call a tool; cancelling the future cancels the call, also on the server."""
        return self._submit(lambda link: link.call(definition, arguments, on_progress))

    @property
    def changes(self) -> Mapping[str, str]:
        """What became of tools that are not what they were first listed as, by name."""
        link = self._open.link if self._open is not None else None
        return {} if link is None else link.changes

    def close(self) -> None:
        """Close the session and end its thread; it opens again with the next call."""
        with self._lock:
            opened, self._open = self._open, None
        if opened is not None and opened.thread.is_usable:
            try:
                if opened.link is not None:
                    opened.thread.submit(opened.link.close).result()
            finally:
                opened.thread.stop()

    def _submit(self, use: Callable[[Link], Coroutine[Any, Any, ResultT]]) -> Future[ResultT]:
        with self._lock:
            if self._open is None or not self._open.thread.is_usable:
                self._open = _Open(LoopThread(self.server.label))
            opened = self._open

            async def work() -> ResultT:
                return await use(self._link(opened))

            return opened.thread.submit(work)

    def _link(self, opened: _Open) -> Link:
        """Return the link, made on its own loop: loading `mcp` takes most of a second."""
        from podium.tools._mcp.link import Link

        if opened.link is None:
            opened.link = Link(self.server, opened.thread, self._timeouts, self._pinned)
        return opened.link

    async def _kept(self, asked: Awaitable[list[Definition]]) -> list[Definition]:
        """Remember what the server is held to, also when the thread has ended."""
        self._pinned = await asked
        return self._pinned


@contextmanager
def closed_on_failure(connection: Connection) -> Generator[None]:
    """Close a connection when the block fails, since nobody else will get to hold it."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


@dataclass(slots=True)
class _Open:
    """A thread and, once it has been used, the link on its loop."""

    thread: LoopThread
    link: Link | None = None
