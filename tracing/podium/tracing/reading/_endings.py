"""How each agent's run ended, as its span says it, and what failed first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.tracing import attributes as names
from podium.tracing._stop_reasons import NATURAL, limit_sentence
from podium.tracing.reading._span import TraceSpan
from podium.tracing.reading._spending import is_agent

if TYPE_CHECKING:
    from podium.tracing.reading._trace import Trace

_BUDGET, _LIMIT = names.budget_key("*", "limit").split("*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The limit that ended a run, in its own unit."""

    what: str
    """Such as `total_tokens`."""
    limit: object
    """How much was allowed."""
    spent: object = None
    """How much of it was used up."""
    held: object = None
    """How much of it calls in flight held, or was kept for the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How one agent's run ended."""

    span: TraceSpan
    """The run."""
    path: str
    """Where the agent stands, such as `coordinator/research#2`."""
    reason: str | None
    """The exit reason; None where the record has none: the run goes on, failed or is foreign."""
    by: str | None
    """The path of the agent that owns the limit, where the record says it."""
    limits: tuple[Limit, ...] = ()
    """The limits that were reached, with their numbers."""

    @property
    def is_natural(self) -> bool:
        """Whether the agent answered."""
        return self.reason in NATURAL and self.span.status != "error"


def endings(trace: Trace) -> tuple[Ending, ...]:
    """Return the ending of each agent's run, callers first."""
    paths = trace.agent_paths
    return tuple(
        _ending(span, paths[span.span_id]) for span in trace.spans if span.span_id in paths
    )


def first_errors(trace: Trace) -> tuple[TraceSpan, ...]:
    """Return the spans that failed while nothing below them had: where errors came from."""
    passed_on: set[str] = set()
    for span in trace.spans:
        above = trace.parent(span)
        if span.status == "error" and above is not None:
            passed_on.add(above.span_id)
    return tuple(
        span for span in trace.spans if span.status == "error" and span.span_id not in passed_on
    )


def error_of(span: TraceSpan) -> str:
    """Return what a span says about its failure: the kind of error, and its text if known."""
    told = next((event for event in span.events if names.EXCEPTION_TYPE in event.attributes), None)
    facts: Mapping[str, object] = {} if told is None else told.attributes
    kind = span.attributes.get(names.ERROR_TYPE) or facts.get(names.EXCEPTION_TYPE)
    text = span.status_message or facts.get(names.EXCEPTION_MESSAGE)
    return ": ".join(str(each) for each in (kind, text) if each) or "an error without a name"


def limit_told(ending: Ending, limit: Limit) -> str:
    """Return in a sentence how far one of the limits that ended a run was used up."""
    return limit_sentence(
        ending.by or ending.path,
        "US dollars" if limit.what == "cost_usd" else limit.what.replace("_", " "),
        reason=ending.reason,
        limit=limit.limit,
        spent=limit.spent,
        held=limit.held,
    )


def agent_above(trace: Trace, span: TraceSpan) -> TraceSpan | None:
    """Return the agent in whose run a span stands."""
    return next((each for each in trace.ancestors(span) if is_agent(each)), None)


def _ending(span: TraceSpan, path: str) -> Ending:
    by = span.attributes.get(names.STOP_BY)
    return Ending(
        span=span,
        path=path,
        reason=span.stop_reason,
        by=by if isinstance(by, str) else None,
        limits=_limits(span.attributes),
    )


def _limits(attributes: Mapping[str, object]) -> tuple[Limit, ...]:
    whats = [
        key.removeprefix(_BUDGET).removesuffix(_LIMIT)
        for key in attributes
        if key.startswith(_BUDGET) and key.endswith(_LIMIT)
    ]
    return tuple(
        Limit(
            what=what,
            limit=attributes[names.budget_key(what, "limit")],
            spent=attributes.get(names.budget_key(what, "spent")),
            held=attributes.get(names.budget_key(what, "held")),
        )
        for what in whats
    )
