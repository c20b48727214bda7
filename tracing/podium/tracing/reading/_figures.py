"""What a trace adds up to: by agent path, by model and by tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from podium.tracing._usage import Usage
from podium.tracing.reading._span import TraceSpan
from podium.tracing.reading._spending import NO_AGENT, NO_MODEL, NO_TOOL, Spending

if TYPE_CHECKING:
    from podium.tracing.reading._trace import Trace

By = Literal["path", "model", "tool"]


def usage_by(trace: Trace, by: By) -> dict[str, Usage]:
    """Return what was used, each token under one key: the sum is the same for all three."""
    if by == "path":
        return _by_path(trace)
    key = _model if by == "model" else _tool
    found: dict[str, Usage] = {}
    for each in trace.spendings:
        known = found.get(key(each))
        found[key(each)] = each.usage if known is None else known + each.usage
    return found


def _by_path(trace: Trace) -> dict[str, Usage]:
    # The usage trees know what only agents' spans say, such as the cost.
    found: dict[str, Usage] = {}
    for tree in trace.usage_trees():
        for node in tree.walk():
            found[node.path] = found.get(node.path, Usage()) + node.own
    ownerless = [each.usage for each in trace.spendings if each.agent is None]
    if ownerless:
        found[NO_AGENT] = sum(ownerless[1:], ownerless[0])
    return found


def _model(spending: Spending) -> str:
    return spending.span.model or NO_MODEL


def _tool(spending: Spending) -> str:
    return spending.tool or NO_TOOL


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the spans of one agent, model or tool add up to."""

    calls: int
    """Runs of the agent, calls of the model or tool."""
    seconds: float
    """From start to end, summed; what ran at the same time counts in full."""
    errors: int
    """How many failed."""
    usage: Usage
    """What was used: own of an agent; in its calls of a model; below its calls of a tool."""
    endings: Mapping[str, int]
    """How often runs of the agent ended for each reason."""


Subject = tuple[By, str]


def figures(trace: Trace) -> dict[Subject, Figures]:
    """Return the figures of each agent path, model and tool, in order of first start."""
    paths = trace.agent_paths
    spans: dict[Subject, list[TraceSpan]] = {}
    for span in trace.spans:
        subject = _subject(span, paths)
        if subject is not None:
            spans.setdefault(subject, []).append(span)
    used = {by: usage_by(trace, by) for by in ("path", "model", "tool")}
    return {
        subject: _figures(members, used[subject[0]].get(subject[1], Usage()))
        for subject, members in spans.items()
    }


def _subject(span: TraceSpan, paths: Mapping[str, str]) -> Subject | None:
    if span.span_id in paths:
        return "path", paths[span.span_id]
    match span.role:
        case "model":
            return "model", span.model or NO_MODEL
        case "tool":
            return "tool", span.tool_name or span.name
        case _:
            return None


def _figures(spans: list[TraceSpan], usage: Usage) -> Figures:
    reasons = [span.stop_reason for span in spans if span.stop_reason is not None]
    return Figures(
        calls=len(spans),
        seconds=sum(span.duration_ns for span in spans) / 1e9,
        errors=sum(span.status == "error" for span in spans),
        usage=usage,
        endings={reason: reasons.count(reason) for reason in dict.fromkeys(reasons)},
    )
