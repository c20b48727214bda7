"""Server-sent events: network reads to JSON values, whatever a server makes of the format."""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from podium.agent.models._openai.json_text import decode
from podium.agent.models._openai.reply_draft import as_mapping

MAX_EVENT_BYTES = 8 * 1024 * 1024
"""What one event may measure; a server that never ends a line would fill the memory otherwise."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class BrokenEventError(ValueError):
    """An event is no JSON although it looks like it; the text is the start of it."""


class EventReader:
    """Reads one stream: give it the network reads as they come, take the events they complete.

    Comments, empty events, events that are no JSON object or list, and fields other than `data`
    are passed over. An event of kind `error` comes out as `{"error": its data}`.
    """

    __slots__ = (
        "_is_document",
        "_is_error",
        "_pending",
        "_pending_bytes",
        "_skips_newline",
        "_tail",
        "is_done",
        "stray",
    )

    def __init__(self, *, is_document: bool = False) -> None:
        """Start before the first byte; a document is one JSON value in the place of events."""
        self._is_document = is_document
        self.is_done = False
        """Whether `[DONE]` has come."""
        self.stray = ""
        """The start of the first line that is no part of an event stream, such as HTML."""
        self._tail = b""
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._is_error = False
        self._skips_newline = False

    def feed(self, data: bytes) -> list[Any]:
        """Return the events that are complete with these bytes.

        Raises:
            BrokenEventError: an event is not the JSON it starts as, or is too long.
        """
        if b"\r" in data or self._skips_newline:
            data = self._with_newlines(data)
        if self._tail:
            data = self._tail + data
        lines = [] if self._is_document else data.split(b"\n")
        self._tail = lines.pop() if lines else data
        if len(self._tail) > MAX_EVENT_BYTES:
            raise BrokenEventError(_start(self._tail))
        events: list[Any] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._take(line[5:], events)
            elif not line:
                self._end_event(events)
            elif line.startswith(b"{"):
                self._take(line, events)  # an error put into the stream as bare JSON
            elif line.startswith(b"event:"):
                self._is_error = line[6:].strip() == b"error"
            elif line.startswith(_BYTE_ORDER_MARK + b"data:"):
                self._take(line[8:], events)  # the mark may open the stream
            else:
                self._note_stray(line)
        return events

    def close(self) -> list[Any]:
        """Return the events in what stands after the last line ending: it may be missing.

        What is cut off in the middle is passed over: the stream then lacks its end anyway.

        Raises:
            BrokenEventError: a document is no JSON.
        """
        if self._is_document:
            return self._document()
        events: list[Any] = []
        if self._tail.startswith((b"data:", b"{")):
            self._take(self._tail.removeprefix(b"data:"), events)
        else:
            self._note_stray(self._tail)
        return events

    def _document(self) -> list[Any]:
        try:
            document = decode(self._tail)
        except ValueError as error:
            raise BrokenEventError(_start(self._tail)) from error
        self.is_done = True
        return [document]

    def _take(self, payload: bytes, events: list[Any]) -> None:
        if self.is_done:
            return  # or it would depend on the network's reads whether this still counts
        if self._pending:
            self._keep(payload)
            return
        try:
            # The cache would otherwise grow by every id and token that passes.
            event = from_json(payload, cache_strings="keys")
        except ValueError:
            self._take_odd(payload.strip(), events)
        else:
            self._put(event, events)

    def _take_odd(self, payload: bytes, events: list[Any]) -> None:
        """Take what is no strict JSON: the end, keep-alives, odd JSON, or a part of an event."""
        if payload.startswith(b"[DONE]"):
            self.is_done = True
        elif payload.startswith((b"{", b"[")):
            try:
                self._put(decode(payload), events)
            except ValueError:
                self._keep(payload)
        elif payload and self._is_error:
            self._put(payload.decode("utf-8", "replace"), events)

    def _keep(self, payload: bytes) -> None:
        self._pending.append(payload)
        self._pending_bytes += len(payload)
        if self._pending_bytes > MAX_EVENT_BYTES:
            raise BrokenEventError(_start(self._pending[0]))

    def _put(self, event: Any, events: list[Any]) -> None:
        if self._is_error:
            self._is_error = False
            event = {"error": as_mapping(event).get("error") or event}
        events.append(event)

    def _end_event(self, events: list[Any]) -> None:
        if self._pending:
            payload = b"\n".join(self._pending)
            self._pending, self._pending_bytes = [], 0
            try:
                self._put(decode(payload), events)
            except ValueError as error:
                raise BrokenEventError(_start(payload)) from error
        self._is_error = False

    def _note_stray(self, line: bytes) -> None:
        if not self.stray and not line.startswith((b":", b"id", b"retry")):
            self.stray = _start(line)

    def _with_newlines(self, data: bytes) -> bytes:
        """Return the bytes with LF for CRLF and CR, also where a CRLF is cut by the read."""
        if self._skips_newline and data.startswith(b"\n"):
            data = data[1:]
        self._skips_newline = data.endswith(b"\r") if data else self._skips_newline
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _start(data: bytes) -> str:
    return data[:80].decode("utf-8", "replace")
