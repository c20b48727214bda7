"""OpenTelemetry's own log lines about places for spans: each is said once, not for every batch.

An exporter whose endpoint is dead writes several lines for each batch, and a full queue one for
each span. While podium works with a processor or an exporter in some thread, such a line passes
once; the same lines of the application's own exporters are left alone.
"""

from __future__ import annotations

import logging
import threading
from types import TracebackType

_LOGGERS = (
    "opentelemetry.exporter.otlp.common.http",
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.sdk._shared_internal",
    "opentelemetry.sdk.metrics._internal.export",
    "opentelemetry.sdk.trace.export",
)


class _Here(threading.local):
    """Which of podium's places the code of this thread works for, if any."""

    place: Quiet | None = None


_here = _Here()


class _Once(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return _here.place is None or _here.place.lets_pass(record)


_once = _Once()


class Quiet:
    """Around the work for one place for spans; made once for the place."""

    def __init__(self, *, says_why_itself: bool = False) -> None:
        """Look at the lines from now on; with `says_why_itself` none of an exporter passes."""
        self._says_why_itself = says_why_itself
        self._said: set[str] = set()
        self.status: int | None = None
        """The last status an endpoint refused with, as its exporter said it."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(_once)  # one that is there is not added again

    def lets_pass(self, record: logging.LogRecord) -> bool:
        """Return whether a line is new."""
        if self._says_why_itself and not record.name.endswith("_shared_internal"):
            given = record.args if isinstance(record.args, tuple) else ()
            self.status = next((one for one in given if type(one) is int), self.status)
            return False
        line = str(record.msg)
        is_new = line not in self._said
        self._said.add(line)
        return is_new

    def __enter__(self) -> None:
        """Begin to work for the place in this thread."""
        _here.place = self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """End it."""
        _here.place = None
