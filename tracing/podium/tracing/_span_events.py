"""What happens within a span: tries of a model call that failed, and what a budget held up.

A retry belongs to the call that it repeats, so it is an event on the one span of that call. Whoever
retries need not know the span: it is the current one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from opentelemetry import trace

from podium.tracing import attributes as names
from podium.tracing._open_span import OpenSpan, quietly


@quietly
def note_retry(
    error: BaseException | str,
    *,
    attempt: int,
    delay_seconds: float | None = None,
    model: str | None = None,
) -> None:
    """Say on the current model call's span that a try failed and the call is made again.

    `error` is what failed, or the name of its kind; its text may be private and stays out.
    `attempt` counts the tries that failed, from 1.
    """
    _current().event(
        names.RETRY,
        {
            names.RETRY_ATTEMPT: attempt,
            names.RETRY_DELAY_SECONDS: delay_seconds,
            names.REQUEST_MODEL: model,
            names.ERROR_TYPE: _kind(error),
        },
    )


@quietly
def note_fallback(
    error: BaseException | str, *, attempt: int, model: str, next_model: str | None
) -> None:
    """Say on the current model call's span that a model failed and the next one is asked.

    `attempt` counts the models that failed, from 1; `next_model` is None when none is left.
    """
    _current().event(
        names.FALLBACK,
        {
            names.RETRY_ATTEMPT: attempt,
            names.REQUEST_MODEL: model,
            names.FALLBACK_MODEL: next_model,
            names.ERROR_TYPE: _kind(error),
        },
    )


@quietly
def note_budget(
    span: OpenSpan | None,
    event: Literal["podium.budget.wait", "podium.budget.denied"],
    limit: Mapping[str, object],
    *,
    waited_seconds: float | None = None,
) -> None:
    """Say on a span, or on the current one, that a limit held something up.

    `limit` has `by` (whose it is), `what` (which it is), and its `limit`, `spent` and `held`.
    """
    what = str(limit["what"])
    (span or _current()).event(
        event,
        {
            names.BUDGET_BY: limit["by"],
            names.BUDGET_WHAT: what,
            names.budget_key(what, "limit"): limit["limit"],
            names.budget_key(what, "spent"): limit["spent"],
            names.budget_key(what, "held"): limit["held"],
            names.BUDGET_WAITED_SECONDS: waited_seconds,
        },
    )


def _current() -> OpenSpan:
    return OpenSpan.of(trace.get_current_span())


def _kind(error: BaseException | str) -> str:
    return error if isinstance(error, str) else type(error).__name__
