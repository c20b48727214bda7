"""Messages to and from a server that is a process: its pipes, its log, its end.

The transport of the `mcp` package reads lines of any length, at a cost that grows with the square
of it, and prints what the server says on the terminal. This one does neither.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from subprocess import PIPE
from typing import cast

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from podium.tools._mcp.servers import StdioServerInfo, text_of
from podium.tools._mcp.weight import Weight
from podium.tools.errors import MCPConnectionError

logger = logging.getLogger(__name__)

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]

GRACE_SECONDS = 2.0
"""How long a server may take to end by itself once its input is closed, and again once told to."""
_POLL_SECONDS = 0.01
_LOG_LINE_CHARS = 2_000
_LAST_WORDS = 5  # lines of a server's log that tell why it ended
_SEND_SECONDS = 0.5  # for what was to be sent, when the session closes

_ID = re.compile(rb'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,64}")')


class ServerLog:
    """What the server writes to its standard error: logged, the last lines kept for errors."""

    def __init__(self, label: str, quoted: Callable[[str], str]) -> None:
        """Start with nothing said; `quoted` makes text safe to show."""
        self._label = label
        self._quoted = quoted
        self._lines: deque[str] = deque(maxlen=_LAST_WORDS)

    async def follow(self, stream: ByteReceiveStream) -> None:
        """Log what comes, line by line, until the server closes it."""
        rest = b""
        async for chunk in stream:
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._note(line)
            rest = rest[-_LOG_LINE_CHARS:]
        self._note(rest)

    @property
    def last_words(self) -> str:
        """The last lines, as one."""
        return " | ".join(self._lines)

    def _note(self, line: bytes) -> None:
        text = self._quoted(line.decode("utf-8", "replace"))
        if text:
            self._lines.append(text)
            logger.info("MCP server %r: %s", self._label, text)


@asynccontextmanager
async def stdio_transport(server: StdioServerInfo, log: ServerLog) -> AsyncGenerator[Streams]:
    """Start the server and give the streams of its messages; when left, the server has ended.

    Raises:
        MCPConnectionError: the program is not there or cannot be started.
    """
    process = await _started(server)
    to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    sent_all = anyio.Event()

    async def read() -> None:
        async with to_session:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                await _deliver(cast("ByteReceiveStream", process.stdout), to_session)

    async def write() -> None:
        try:
            async with from_session:
                await _send_lines(cast("ByteSendStream", process.stdin), from_session)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await to_session.aclose()  # nothing can be asked any more, so nothing will be answered
        finally:
            sent_all.set()

    async def listen() -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await log.follow(cast("ByteReceiveStream", process.stderr))

    async with anyio.create_task_group() as tasks:
        for task in (read, write, listen):
            tasks.start_soon(task)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):  # or the process would outlive us
                incoming.close()
                outgoing.close()
                with anyio.move_on_after(_SEND_SECONDS):
                    await sent_all.wait()
                await _end(process)
            tasks.cancel_scope.cancel()


async def _started(server: StdioServerInfo) -> Process:
    environment = get_default_environment() | {
        name: text_of(value) for name, value in (server.env or {}).items()
    }
    command = shutil.which(server.command, path=environment.get("PATH"))
    if command is None:
        raise MCPConnectionError(
            f"MCP server {server.label!r} cannot be started: there is no program "
            f"{server.command!r:.80}. Install it, or give its full path."
        )
    try:
        with anyio.CancelScope(shield=True):  # half started, nobody would end it
            return await anyio.open_process(
                [command, *server.args],
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env=environment,
                cwd=server.cwd,
                start_new_session=True,  # Ctrl-C is for us, and what it starts ends with it
            )
    except (OSError, ValueError) as error:
        raise MCPConnectionError(
            f"MCP server {server.label!r} cannot be started: {error!s:.120}. "
            "Check its command, arguments and folder."
        ) from error
    raise AssertionError("a shield swallows nothing")


async def _deliver(
    stdout: ByteReceiveStream, to_session: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    """Pass on each line of the server as a message; one too heavy is dropped as it comes in."""
    line, weight = bytearray(), Weight()
    excess: str | None = None
    async for chunk in stdout:
        pieces = chunk.split(b"\n")
        for number, piece in enumerate(pieces):
            if excess is None:
                excess = weight.add(piece)
                line += piece
            if number < len(pieces) - 1:
                message = _parsed(bytes(line), excess)
                if message is not None:
                    await to_session.send(message)
                line, excess = bytearray(), None
                weight.reset()


def _parsed(line: bytes, excess: str | None) -> SessionMessage | None:
    """Return the message on a line; what cannot be read fails the call it answers, if it says."""
    if not line.strip():
        return None
    problem = excess
    if problem is None:
        try:
            return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError:
            problem = "it is not a JSON-RPC message"
    found = _ID.search(line[:200]) or _ID.search(line[-200:])
    logger.debug("A line of an MCP server was dropped (%s): %.200r", problem, line)
    if found is None:
        return None
    name = found.group(1).decode("utf-8", "replace")
    answered: int | str = name.strip('"') if name.startswith('"') else int(name)
    data = ErrorData(code=INTERNAL_ERROR, message=f"The server's answer was dropped: {problem}.")
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=answered, error=data))


async def _send_lines(
    stdin: ByteSendStream, from_session: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    async for item in from_session:
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        await stdin.send(text.encode() + b"\n")


async def _end(process: Process) -> None:
    """Close the server's input, wait, then end it and whatever it has started."""
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    if stdin is not None:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await stdin.aclose()
    if not await _has_ended(process):
        await _terminate(process)
        await _has_ended(process)
    for stream in (stdout, stderr):
        if stream is not None:
            with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await stream.aclose()
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if transport is not None:
        transport.close()  # a grandchild that holds the pipes would keep asyncio's side open


async def _terminate(process: Process) -> None:
    if os.name == "posix":
        await terminate_posix_process_tree(process, GRACE_SECONDS)
    else:
        process.kill()


async def _has_ended(process: Process) -> bool:
    """Wait for the end of the process, not of its pipes, which a grandchild may hold open."""
    with anyio.move_on_after(GRACE_SECONDS):
        while process.returncode is None:  # noqa: ASYNC110  # no event tells this alone
            await anyio.sleep(_POLL_SECONDS)
    return process.returncode is not None
