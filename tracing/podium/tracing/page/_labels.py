"""What a span is called in a row: its kind is seen by its color, so only who or what remains."""

from __future__ import annotations

from podium.tracing import attributes as names
from podium.tracing.page._agents import Agents
from podium.tracing.reading import Role, TraceSpan


def label_of(span: TraceSpan, role: Role, agents: Agents) -> str:
    """Return the agent, model, tool or hook that a span is of; else the span's own name."""
    found: str | None
    match role:
        case "agent" | "workflow":
            found = agents.short_name(span)
        case "model":
            found = span.model
        case "tool":
            found = span.tool_name
        case "hook":
            found = _text(span, names.HOOK_NAME)
        case _:
            found = None
    return found or span.name or "(no name)"


def hint_of(span: TraceSpan, role: Role) -> str:
    """Return what else a row says: how it ended, where it went, or when it was called."""
    if span.status == "error":
        return _text(span, names.ERROR_TYPE) or "failed"
    match role:
        case "agent" | "workflow":
            reason = span.stop_reason or ""
            return "" if reason == "text" else reason.replace("_", " ")
        case "tool":
            target = _text(span, names.TRANSFER_TARGET)
            return f"\N{RIGHTWARDS ARROW} {target}" if target else ""
        case "hook":
            return (_text(span, names.HOOK_POINT) or "").replace("_", " ")
        case "model":
            step = span.attributes.get(names.STEP)
            return f"step {step}" if isinstance(step, int) else ""
        case _:
            return ""


def _text(span: TraceSpan, key: str) -> str | None:
    value = span.attributes.get(key)
    return value if isinstance(value, str) else None
