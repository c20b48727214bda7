"""How an agent's run ended: in one sentence, in a word, and in a color."""

from __future__ import annotations

from typing import Literal

from podium.tracing._stop_reasons import sentence
from podium.tracing.reading import Ending
from podium.tracing.reading._endings import error_of, limit_told

Tone = Literal["good", "warn", "bad", "plain"]

_BAD = frozenset({"error", "cancelled"})
_CUT_SHORT = ("length", "content_filter", "refusal", "empty_reply", "max_agent_steps", "repeated")


def tone_of(ending: Ending) -> Tone:
    """Return whether a run ended well; `plain` where the record does not tell."""
    reason = ending.reason
    if ending.span.status == "error" or reason in _BAD:
        return "bad"
    if ending.is_natural:
        return "good"
    if reason is None:
        return "plain"
    is_limit = reason.endswith("_exceeded") or reason.startswith(_CUT_SHORT) or ending.limits
    return "warn" if is_limit else "plain"


def word_of(ending: Ending) -> str:
    """Return the ending in a word or two."""
    if ending.reason is None:
        return "failed" if ending.span.status == "error" else "no reason recorded"
    return "answered" if ending.is_natural else ending.reason.replace("_", " ")


def sentence_of(ending: Ending) -> str:
    """Return why a run ended, with the numbers of the limits that were reached."""
    span = ending.span
    if ending.reason is not None:
        said = sentence(ending.reason)
    elif span.status == "error":
        said = f"The run failed: {error_of(span)}."
    elif span.end_ns is None:
        said = "The record has no end of this run: it was still going on, or was killed."
    else:
        said = "The record does not say why the run ended."
    return " ".join((said, *(limit_told(ending, limit) for limit in ending.limits)))
