"""The content of a model call as a log event, for those who keep content apart from traces."""

from __future__ import annotations

from collections.abc import Mapping

from opentelemetry import _logs

from podium.tracing import attributes as names
from podium.tracing._attribute_values import span_attributes
from podium.tracing._open_span import OpenSpan, quietly
from podium.tracing.content import Capture, captured, content_data


def wants_content() -> bool:
    """Return whether content is recorded anywhere."""
    return captured() is not Capture.NO_CONTENT


@quietly
def emit_content(
    span: OpenSpan, facts: Mapping[str, object], content: Mapping[str, object]
) -> None:
    """Send an event beside a span to where the application sends its logs.

    `facts` are the span's attributes; an event has the content as data and not as text.
    """
    if content and Capture.EVENT_ONLY in captured():
        told = {key: content_data(key, value) for key, value in content.items()}
        _logs.get_logger(names.SCOPE).emit(
            context=span.context,
            event_name=names.CONTENT_EVENT,
            attributes={**span_attributes(facts), **told},  # type: ignore[dict-item]
        )
