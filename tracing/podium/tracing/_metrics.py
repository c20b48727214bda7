"""What is measured of runs, through the OpenTelemetry metrics API: durations, tokens and counts.

Where no SDK is set up nothing is measured, and nothing of this costs anything.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakSet

from opentelemetry import metrics
from opentelemetry.metrics import Histogram, MeterProvider, NoOpMeterProvider

from podium.tracing import _redaction
from podium.tracing import attributes as names
from podium.tracing._attribute_values import AttributeValue, span_attributes
from podium.tracing._open_span import quietly
from podium.tracing._usage import Usage

_CALL_SECONDS = [0.01 * 2**power for power in range(14)]
_AGENT_SECONDS = [0.1 * 2**power for power in range(13)]
_TOKENS = [float(4**power) for power in range(14)]
_COUNTS = [0.0, *(float(2**power) for power in range(11))]


@dataclass(frozen=True, slots=True)
class _Instruments:
    tokens: Histogram
    call_seconds: Histogram
    first_chunk_seconds: Histogram
    agent_seconds: Histogram
    agent_calls: Histogram
    agent_tool_calls: Histogram
    tool_seconds: Histogram


@quietly
def measure_call(
    facts: Mapping[str, object],
    *,
    seconds: float,
    usage: Usage | None = None,
    first_chunk_seconds: float | None = None,
    error: BaseException | None = None,
) -> None:
    """Measure a model call; `facts` are the attributes of its span, of which the stable ones count.

    `usage` is None when the call failed.
    """
    if not is_set_up():
        return
    to = _instruments(metrics.get_meter_provider())
    about = _about(facts, _OF_CALLS, error)
    to.call_seconds.record(seconds, about)
    if first_chunk_seconds is not None:
        to.first_chunk_seconds.record(first_chunk_seconds, about)
    if usage is not None and usage.total_tokens:
        to.tokens.record(usage.input_tokens, {**about, names.METRIC_TOKEN_TYPE: "input"})
        to.tokens.record(usage.output_tokens, {**about, names.METRIC_TOKEN_TYPE: "output"})


@quietly
def measure_tool(
    tool_name: str, *, agent_name: str, seconds: float, error: BaseException | None = None
) -> None:
    """Measure a tool call."""
    if not is_set_up():
        return
    facts = {
        names.OPERATION: names.EXECUTE_TOOL,
        names.TOOL_NAME: tool_name,
        names.TOOL_TYPE: "function",
        names.AGENT_NAME: agent_name,
    }
    _instruments(metrics.get_meter_provider()).tool_seconds.record(
        seconds, _about(facts, facts, error)
    )


@quietly
def measure_agent(
    agent_name: str, *, seconds: float, own: Usage, error: BaseException | None = None
) -> None:
    """Measure an agent's run: the calls it made itself, so that each is counted once in a team."""
    if not is_set_up():
        return
    to = _instruments(metrics.get_meter_provider())
    facts = {names.OPERATION: names.INVOKE_AGENT, names.AGENT_NAME: agent_name}
    about = _about(facts, facts, error)
    to.agent_seconds.record(seconds, about)
    to.agent_calls.record(own.requests, about)
    to.agent_tool_calls.record(own.tool_calls, about)


def is_set_up() -> bool:
    """Return whether somebody measures in this process."""
    provider = metrics.get_meter_provider()
    # The stand-in for a provider that may still come has no public name.
    is_stand_in = type(provider).__name__ == "_ProxyMeterProvider"
    return not (is_stand_in or isinstance(provider, NoOpMeterProvider) or provider in unread)


unread: WeakSet[MeterProvider] = WeakSet()
"""Providers that podium made and nobody reads at present."""


_OF_CALLS = (
    names.OPERATION,
    names.PROVIDER,
    names.REQUEST_MODEL,
    names.RESPONSE_MODEL,
    names.SERVER_ADDRESS,
    names.SERVER_PORT,
    names.AGENT_NAME,
)


Attributes = Mapping[str, AttributeValue]


def _about(
    facts: Mapping[str, object], keys: Iterable[str], error: BaseException | None
) -> Attributes:
    kind = None if error is None else type(error).__name__
    chosen = tuple((key, facts.get(key)) for key in keys)
    if _redaction.is_active():
        return _cleaned.__wrapped__(chosen, kind)
    try:
        return _cleaned(chosen, kind)
    except TypeError:  # a provider's name for its model that is no text
        return _cleaned.__wrapped__(chosen, kind)


@functools.lru_cache(maxsize=1_024)
def _cleaned(chosen: tuple[tuple[str, object], ...], error_kind: str | None) -> Attributes:
    """Return what a measurement is about: the same few things again and again."""
    return span_attributes({**dict(chosen), names.ERROR_TYPE: error_kind})


@functools.lru_cache(maxsize=4)
def _instruments(provider: MeterProvider) -> _Instruments:
    make = provider.get_meter(names.SCOPE).create_histogram

    def histogram(name: str, unit: str, about: str, buckets: Sequence[float]) -> Histogram:
        return make(name, unit, about, explicit_bucket_boundaries_advisory=buckets)

    own = "calls that an agent made itself"
    return _Instruments(
        tokens=histogram(names.METRIC_TOKENS, "{token}", "Tokens of model calls", _TOKENS),
        call_seconds=histogram(
            names.METRIC_CALL_DURATION, "s", "Model calls, retries included", _CALL_SECONDS
        ),
        first_chunk_seconds=histogram(
            names.METRIC_FIRST_CHUNK, "s", "Time to a stream's first chunk", _CALL_SECONDS
        ),
        agent_seconds=histogram(
            names.METRIC_AGENT_DURATION, "s", "Agents, with those below them", _AGENT_SECONDS
        ),
        agent_calls=histogram(names.METRIC_AGENT_CALLS, "{call}", f"Model {own}", _COUNTS),
        agent_tool_calls=histogram(names.METRIC_AGENT_TOOL_CALLS, "{call}", f"Tool {own}", _COUNTS),
        tool_seconds=histogram(names.METRIC_TOOL_DURATION, "s", "Tool calls", _CALL_SECONDS),
    )
