"""What tracing costs: a span that a live collector takes, and a step while nobody watches."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import time
from collections.abc import Callable

from bench_overhead import SPANS, Prepared
from bench_processes import Collector
from bench_task import Handbook
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from podium.agent import Agent
from podium.tools import tool
from podium.tracing import attributes as names
from podium.tracing import setup_tracing
from podium.tracing._metrics import is_set_up, measure_tool
from podium.tracing._open_span import NO_SPAN, tracing_enabled
from podium.tracing._spans import tool_span

RUNS = 20
SAMPLES = 6
STEPS = 20_000


async def spans() -> dict[str, float]:
    """Measure the CPU seconds that a span costs with all that sends it, without and with metrics.

    A sample is as many runs as fill a few batches, and a flush; the least of them counts.
    """
    without = await _span_seconds()
    figures: dict[str, float] = {}
    with Collector() as collector:
        for name, metrics in (("span", "none"), ("span and metrics", "otlp")):
            os.environ["OTEL_METRICS_EXPORTER"] = metrics
            with setup_tracing(otlp_endpoint=collector.url) as handle:
                figures[name] = await _span_seconds(handle.flush) - without
    return figures


def bare_span() -> float:
    """Measure the CPU seconds that the SDK and its exporter take for such a span by themselves."""
    with Collector() as collector:
        exporter = OTLPSpanExporter(f"{collector.url}/v1/traces")
        processor = BatchSpanProcessor(exporter, max_queue_size=2 * RUNS * SPANS)
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(processor)
        tracer = provider.get_tracer("bare")
        taken: list[float] = []
        for _ in range(SAMPLES):
            gc.collect()
            started = time.process_time()
            for number in range(RUNS * SPANS):
                span = tracer.start_span("execute_tool look_up", attributes=_BEFORE)
                span.set_attributes({"number": number, **_AFTER})
                span.end()
            processor.force_flush()
            taken.append((time.process_time() - started) / RUNS / SPANS)
        provider.shutdown()
    return min(taken)


_BEFORE = {f"known.before.{number}": f"value {number}" for number in range(6)}
_AFTER = {"known.after": 9}


async def _span_seconds(finish: Callable[[], object] = bool) -> float:
    handbook = Handbook()
    look_up = tool(description="Look a topic up.")(handbook.look_up)
    agent = Agent(chat_generator=Prepared(look_up.name, 1), tools=[look_up])
    taken: list[float] = []
    for _ in range(SAMPLES):
        gc.collect()
        started = time.process_time()
        for _ in range(RUNS):
            await agent.run_async("When?")
        finish()
        taken.append((time.process_time() - started) / RUNS / SPANS)
    return min(taken)


def unseen_step() -> float:
    """Return the CPU seconds that a step takes to find that nobody watches its two calls."""
    started = time.process_time()
    for _ in range(STEPS):
        if tracing_enabled() or is_set_up():
            raise RuntimeError("Somebody watches. Measure this in a process of its own.")
        with NO_SPAN.current():
            pass
        NO_SPAN.end()
        span = tool_span(
            tool_name="look_up",
            description="Look a topic up.",
            call_id="call",
            agent_name="agent",
            step=1,
            path="agent",
            parent=None,
        )
        span.set_content(names.TOOL_ARGUMENTS, {})
        with span.current():
            pass
        span.set_content(names.TOOL_RESULT, "")
        span.end()
        measure_tool("look_up", agent_name="agent", seconds=1.0)
    return (time.process_time() - started) / STEPS


async def _measure() -> dict[str, float]:
    unseen = min(unseen_step() for _ in range(3))  # first: later somebody watches
    return {"unseen step": unseen, **await spans(), "bare span": bare_span()}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure())))
