"""The spans of a run: how one is opened, filled and ended, through the OpenTelemetry API alone.

Parents are passed explicitly and no span stays current over a yield, so a consumer of a stream
never finds itself inside somebody else's span. Nothing here raises: tracing that fails is logged
once for each kind of failure, and the run goes on. Without a configured SDK every function
returns `NO_SPAN` at once.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, ParamSpec, cast

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider

from podium.tracing import attributes as names
from podium.tracing._usage import Usage

logger = logging.getLogger(__name__)

MAX_TEXT_BYTES = 8 * 1024
MAX_NAME_BYTES = 256
MAX_ITEMS = 128
MAX_INT = 2**63 - 1
_KINDS = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}

AttributeValue = str | bool | int | float | tuple[str, ...]
ArgumentsT = ParamSpec("ArgumentsT")


def _quietly(write: Callable[ArgumentsT, None]) -> Callable[ArgumentsT, None]:
    """Return `write` so that it never raises: an SDK and its processors may do anything."""

    @functools.wraps(write)
    def guarded(*args: ArgumentsT.args, **kwargs: ArgumentsT.kwargs) -> None:
        try:
            write(*args, **kwargs)
        except Exception as error:
            _report(write.__name__, type(error).__name__)

    return guarded


@functools.cache
def _report(action: str, kind: str) -> None:
    """Log a failure, once for each action and kind of error in a process."""
    logger.warning(
        "Tracing failed to %s a span (%s); the run goes on without it. "
        "This is said once for each kind of failure.",
        action,
        kind,
        exc_info=True,
    )


class OpenSpan:
    """A span that was started and is to be ended; made by `open_span` and the functions below."""

    __slots__ = ("_span", "context", "recording")

    def __init__(self, span: Span, context: Context | None) -> None:
        """Keep the span and the context in which its children start."""
        self._span = span
        self.context = context
        """The parent to pass to children; None where there is no span: the caller's context."""
        self.recording = context is not None and span.is_recording()
        """Whether anyone sees what is written here; False after the end as well."""

    @property
    def trace_id(self) -> str | None:
        """The trace's id, 32 hex digits; None when the span is not recorded."""
        found = self._span.get_span_context()
        if not (found.is_valid and found.trace_flags.sampled):
            return None
        return trace.format_trace_id(found.trace_id)

    def set(self, key: str, value: object) -> None:
        """Write one attribute; None leaves it out."""
        self.update({key: value})

    @_quietly
    def update(self, attributes: Mapping[str, object]) -> None:
        """Write attributes; those that are None are left out."""
        if self.recording:
            self._span.set_attributes(span_attributes(attributes))

    @_quietly
    def event(self, name: str, attributes: Mapping[str, object] | None = None) -> None:
        """Note that something happened now."""
        if self.recording:
            self._span.add_event(_cut(name, MAX_NAME_BYTES), span_attributes(attributes or {}))

    @_quietly
    def fail(self, error: BaseException) -> None:
        """Mark the span as failed, by the kind of error; its text may be private and stays out."""
        if self.recording:
            self._span.set_status(Status(StatusCode.ERROR))
            self._span.set_attribute(names.ERROR_TYPE, type(error).__name__)

    @_quietly
    def end(self) -> None:
        """End the span; a second time does nothing."""
        if self.recording:
            self.recording = False
            self._span.end()

    def current(self) -> AbstractContextManager[None]:
        """Make this the current span within one block, so that what runs there can find it.

        Use it around a plain call or an await in the same frame, never around a yield.
        """
        return nullcontext() if self.context is None else _Attached(self.context)


NO_SPAN = OpenSpan(trace.INVALID_SPAN, None)
"""What stands for a span while nobody records: writes nothing, leaves the context alone."""


def tracing_enabled() -> bool:
    """Return whether an SDK is configured, so that spans can be seen by anyone."""
    provider = trace.get_tracer_provider()
    return not isinstance(provider, trace.ProxyTracerProvider | trace.NoOpTracerProvider)


def open_span(
    name: str,
    *,
    kind: Literal["internal", "client"],
    parent: Context | None,
    attributes: Mapping[str, object],
) -> OpenSpan:
    """Start a span below `parent`; None takes the caller's current context."""
    if not tracing_enabled():
        return NO_SPAN
    try:
        span = _tracer(trace.get_tracer_provider()).start_span(
            _cut(name, MAX_NAME_BYTES),
            context=parent,
            kind=_KINDS[kind],
            attributes=span_attributes(attributes),
        )
        return OpenSpan(span, trace.set_span_in_context(span, parent))
    except Exception as error:  # as in `_quietly`
        _report("open", type(error).__name__)
        return OpenSpan(trace.INVALID_SPAN, parent)


def agent_span(
    *,
    name: str,
    description: str,
    path: str,
    depth: int,
    run_id: str,
    parent: Context | None,
) -> OpenSpan:
    """Start the span of one agent's run."""
    return open_span(
        f"{names.INVOKE_AGENT} {name}",
        kind="internal",
        parent=parent,
        attributes={
            names.OPERATION: names.INVOKE_AGENT,
            names.AGENT_NAME: name,
            names.AGENT_DESCRIPTION: description or None,
            names.AGENT_PATH: path,
            names.AGENT_DEPTH: depth,
            names.RUN_ID: run_id,
        },
    )


def chat_span(
    *,
    model: str,
    provider: str,
    agent_name: str,
    step: int | None,
    path: str,
    parent: Context | None,
    stream: bool = False,
    server_address: str | None = None,
    server_port: int | None = None,
) -> OpenSpan:
    """Start the span of one model call, its retries included."""
    return open_span(
        f"{names.CHAT} {model}",
        kind="client",
        parent=parent,
        attributes={
            names.OPERATION: names.CHAT,
            names.PROVIDER: provider,
            names.REQUEST_MODEL: model,
            names.REQUEST_STREAM: stream or None,
            names.SERVER_ADDRESS: server_address,
            names.SERVER_PORT: server_port,
            names.AGENT_NAME: agent_name,
            names.AGENT_PATH: path,
            names.STEP: step,
        },
    )


def tool_span(
    *,
    tool_name: str,
    description: str,
    call_id: str | None,
    agent_name: str,
    step: int,
    path: str,
    parent: Context | None,
    target: str | None = None,
) -> OpenSpan:
    """Start the span of one tool call by `agent_name`; `target` is the agent it delegates to."""
    return open_span(
        f"{names.EXECUTE_TOOL} {tool_name} {target}"
        if target
        else f"{names.EXECUTE_TOOL} {tool_name}",
        kind="internal",
        parent=parent,
        attributes={
            names.OPERATION: names.EXECUTE_TOOL,
            names.TOOL_NAME: tool_name,
            names.TOOL_TYPE: "function",
            names.TOOL_DESCRIPTION: description or None,
            names.TOOL_CALL_ID: call_id,
            names.TRANSFER_TARGET: target,
            names.TRANSFER_MODE: names.RETURN_TO_CALLER if target else None,
            names.AGENT_NAME: agent_name,
            names.AGENT_PATH: path,
            names.STEP: step,
        },
    )


def hook_span(
    *, point: str, hook_name: str, agent_name: str, path: str, parent: Context | None
) -> OpenSpan:
    """Start the span of one hook."""
    return open_span(
        f"{names.HOOK} {point} {hook_name}",
        kind="internal",
        parent=parent,
        attributes={
            names.HOOK_POINT: point,
            names.HOOK_NAME: hook_name,
            names.AGENT_NAME: agent_name,
            names.AGENT_PATH: path,
        },
    )


def set_chat_result(
    span: OpenSpan,
    usage: Usage,
    *,
    response_model: str | None = None,
    finish_reasons: Sequence[str] = (),
    response_id: str | None = None,
) -> None:
    """Write what came of a model call."""
    if span.recording:
        span.update(
            {
                **_usage_attributes(usage),
                names.RESPONSE_MODEL: response_model,
                names.RESPONSE_ID: response_id,
                names.FINISH_REASONS: finish_reasons or None,
            }
        )


def set_agent_result(
    span: OpenSpan,
    *,
    own: Usage,
    total: Usage,
    stop_reason: str,
    steps: int,
    stop_by: str | None = None,
) -> None:
    """Write how an agent's run ended and what it used: itself, and with everything below it."""
    if span.recording:
        span.update(
            {
                **_usage_attributes(own),
                names.TOTAL_INPUT_TOKENS: total.input_tokens,
                names.TOTAL_OUTPUT_TOKENS: total.output_tokens,
                names.TOTAL_TOKENS: total.total_tokens,
                names.TOTAL_COST_USD: None if total.cost is None else float(total.cost),
                names.USAGE_COMPLETE: None if total.complete else False,
                names.STOP_REASON: stop_reason,
                names.STOP_BY: stop_by,
                names.STEPS: steps,
            }
        )


def describe_limit(span: OpenSpan, what: str, limit: object, spent: object, held: object) -> None:
    """Write the numbers of the limit that ended a run."""
    if span.recording:
        figures: dict[Literal["limit", "spent", "held"], object] = {
            "limit": limit,
            "spent": spent,
            "held": held,
        }
        span.update({names.budget_key(what, figure): value for figure, value in figures.items()})


def span_attributes(attributes: Mapping[str, object]) -> dict[str, AttributeValue]:
    """Return attributes any exporter can send: no None, bounded text that encodes as UTF-8."""
    return {key: _attribute_value(value) for key, value in attributes.items() if value is not None}


def _usage_attributes(usage: Usage) -> dict[str, object]:
    if not (usage.complete or usage.total_tokens):
        return {names.USAGE_COMPLETE: False}
    return {
        names.INPUT_TOKENS: usage.input_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.CACHED_INPUT_TOKENS: usage.cached_input_tokens or None,
        names.REASONING_TOKENS: usage.reasoning_tokens or None,
        names.USAGE_COMPLETE: None if usage.complete else False,
    }


def _attribute_value(value: object) -> AttributeValue:
    if isinstance(value, str):
        return _cut(value, MAX_TEXT_BYTES)
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if -MAX_INT <= value <= MAX_INT else _as_text(value)
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)[:MAX_ITEMS]
        return tuple(_as_text(item) for item in items)
    return _as_text(value)


def _as_text(value: object) -> str:
    try:
        return _cut(str(value), MAX_TEXT_BYTES)
    except Exception:  # a value whose text fails is named by its kind
        return f"<{type(value).__name__}>"


def _cut(text: str, size_bytes: int) -> str:
    """Return `text` cut on a character to so many bytes; a lone surrogate becomes '?'."""
    if text.isascii():
        return text[:size_bytes]
    return text[:size_bytes].encode("utf-8", "replace")[:size_bytes].decode("utf-8", "ignore")


class _Attached:
    """Makes a context current. Not a generator: contextlib would write to the errors that pass."""

    __slots__ = ("_context", "_token")

    def __init__(self, context: Context) -> None:
        self._context = context

    def __enter__(self) -> None:
        self._token = otel_context.attach(self._context)

    def __exit__(self, *_: object) -> None:
        otel_context.detach(self._token)


@functools.lru_cache(maxsize=4)
def _tracer(provider: TracerProvider) -> trace.Tracer:
    """Return podium's tracer of a provider; making one for each span costs more than the span."""
    return provider.get_tracer(
        "podium", _version(), attributes={names.SCHEMA_KEY: names.TELEMETRY_SCHEMA}
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # 10 ms, only when tracing

    try:
        return version("podium")
    except PackageNotFoundError:  # run from its sources, without being installed
        return "0"
