"""The process's one meter provider, and readers that can come and go on it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from weakref import WeakKeyDictionary

from opentelemetry import metrics
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, ExemplarFilter, MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource

from podium.tracing._bounded import Call, Helper
from podium.tracing._metrics import is_set_up, unread
from podium.tracing._quiet import Quiet


class MetricPlace:
    """One place for metrics, from its making on.

    A meter provider that the application has set up is joined; one that takes no readers sends its
    metrics where it did. Without any, one is made.
    """

    def __init__(
        self,
        reader: MetricReader,
        resource: Resource,
        quiet: Quiet,
        name: str,
        give_up: Callable[[], None] | None = None,
    ) -> None:
        """Let the reader see what is measured from now on; log lines call the place by `name`.

        `give_up` ends a shutdown that is not done in time.
        """
        self._reader, self._give_up = reader, give_up
        self._quiet = quiet
        self._helper = Helper(name)
        self._provider = _joined(reader, resource)

    def begin_flush(self) -> Call:
        """Have what was measured exported."""
        return self._helper.hand_over(self._flush)

    def begin_shutdown(self) -> Call:
        """Have what was measured exported a last time, and the reader shut down."""
        call = self._helper.hand_over(self._shutdown, self._give_up)
        self._helper.leave()
        return call

    def _flush(self) -> bool:
        with self._quiet:
            return self._provider is None or self._reader.force_flush()

    def _shutdown(self) -> None:
        with self._quiet:
            self._reader.shutdown()  # pyright: ignore[reportUnknownMemberType]  # its **kwargs
            if self._provider is not None:
                _left(self._reader, self._provider)


# How many readers podium has on the provider it made; guarded by the lock.
_readers: WeakKeyDictionary[MeterProvider, int] = WeakKeyDictionary()
_lock = threading.Lock()


def _joined(reader: MetricReader, resource: Resource) -> MeterProvider | None:
    with _lock:
        if not (is_set_up() or _readers):
            made = MeterProvider(
                resource=resource, exemplar_filter=_exemplars(), shutdown_on_exit=False
            )
            metrics.set_meter_provider(made)
            _readers[made] = 0
        provider = metrics.get_meter_provider()
        if not isinstance(provider, MeterProvider):
            return None
        provider.add_metric_reader(reader)
        if provider in _readers:
            _readers[provider] += 1
            unread.discard(provider)
        return provider


def _left(reader: MetricReader, provider: MeterProvider) -> None:
    with _lock:
        if provider in _readers:
            _readers[provider] -= 1
            if not _readers[provider]:
                unread.add(provider)
        provider.remove_metric_reader(reader)


def _exemplars() -> ExemplarFilter | None:
    """Return no exemplars, unless they are asked for: they cost as much as the rest."""
    is_asked = "OTEL_METRICS_EXEMPLAR_FILTER" in os.environ
    return None if is_asked else AlwaysOffExemplarFilter()
