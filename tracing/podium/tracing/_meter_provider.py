"""The process's one meter provider, and readers that can come and go on it."""

from __future__ import annotations

from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource

from podium.tracing._bounded import Call, Helper
from podium.tracing._metrics import is_set_up
from podium.tracing._quiet import Quiet


class MetricPlace:
    """One place for metrics, from its making on.

    A meter provider that the application has set up is joined; one that takes no readers sends its
    metrics where it did. Without any, one is made.
    """

    def __init__(self, reader: MetricReader, resource: Resource, quiet: Quiet) -> None:
        """Let the reader see what is measured from now on."""
        self._reader = reader
        self._quiet = quiet
        self._helper = Helper()
        if not is_set_up():
            metrics.set_meter_provider(MeterProvider(resource=resource, shutdown_on_exit=False))
        provider = metrics.get_meter_provider()
        self._provider = provider if isinstance(provider, MeterProvider) else None
        if self._provider is not None:
            self._provider.add_metric_reader(reader)

    def begin_flush(self) -> Call:
        """Have what was measured exported."""
        return self._helper.hand_over(self._flush)

    def begin_shutdown(self) -> Call:
        """Have what was measured exported a last time, and the reader shut down."""
        call = self._helper.hand_over(self._shutdown)
        self._helper.leave()
        return call

    def _flush(self) -> bool:
        with self._quiet:
            return self._provider is None or self._reader.force_flush()

    def _shutdown(self) -> None:
        with self._quiet:
            self._reader.shutdown()  # pyright: ignore[reportUnknownMemberType]  # its **kwargs
            if self._provider is not None:
                self._provider.remove_metric_reader(self._reader)
