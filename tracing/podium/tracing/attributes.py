"""Every name podium writes on spans, once: the GenAI conventions, then podium's own.

`TELEMETRY_SCHEMA` says which text of the OpenTelemetry GenAI conventions the names follow. They
are kept here because the published constants lag behind the text and move between releases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Schema = Literal["genai-0.1", "semconv-1.41", "semconv-1.36"]
"""The texts of the conventions whose names can be exported."""
TELEMETRY_SCHEMA: Schema = "genai-0.1"
"""The conventions that the names here follow; also on each span's instrumentation scope."""
SCOPE = "podium"
"""The instrumentation scope of spans and metrics."""
SCHEMA_KEY = "podium.telemetry.schema"
"""Scope attribute that carries `TELEMETRY_SCHEMA`."""

# What kind of work a span is: the values of OPERATION, also the first word of span names.
INVOKE_AGENT = "invoke_agent"
CHAT = "chat"
EXECUTE_TOOL = "execute_tool"
HOOK = "hook"
"""First word of a hook's span name; the conventions have no operation for it."""

OPERATION = "gen_ai.operation.name"
ERROR_TYPE = "error.type"
EXCEPTION = "exception"
"""Event that holds what an error said; written only where content is."""
EXCEPTION_TYPE = "exception.type"
EXCEPTION_MESSAGE = "exception.message"

AGENT_NAME = "gen_ai.agent.name"
AGENT_DESCRIPTION = "gen_ai.agent.description"

PROVIDER = "gen_ai.provider.name"
SERVER_ADDRESS = "server.address"
SERVER_PORT = "server.port"
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_STREAM = "gen_ai.request.stream"
REQUEST_CHOICES = "gen_ai.request.choice.count"
REQUEST_MAX_TOKENS = "gen_ai.request.max_tokens"
REQUEST_TEMPERATURE = "gen_ai.request.temperature"
REQUEST_TOP_P = "gen_ai.request.top_p"
REQUEST_TOP_K = "gen_ai.request.top_k"
REQUEST_SEED = "gen_ai.request.seed"
REQUEST_STOP = "gen_ai.request.stop_sequences"
REQUEST_FREQUENCY_PENALTY = "gen_ai.request.frequency_penalty"
REQUEST_PRESENCE_PENALTY = "gen_ai.request.presence_penalty"
REQUEST_REASONING = "gen_ai.request.reasoning.level"
REQUEST_PREVIOUS_RESPONSE = "gen_ai.request.previous_response.id"
OUTPUT_TYPE = "gen_ai.output.type"
SERVICE_TIER = "openai.request.service_tier"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_ID = "gen_ai.response.id"
FINISH_REASONS = "gen_ai.response.finish_reasons"
TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
"""Seconds, on streamed calls."""

INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHED_INPUT_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_write.input_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"

TOOL_NAME = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
TOOL_DESCRIPTION = "gen_ai.tool.description"
TOOL_CALL_ID = "gen_ai.tool.call.id"
TRANSFER_TARGET = "gen_ai.transfer.target.name"
TRANSFER_MODE = "gen_ai.transfer.mode"
RETURN_TO_CALLER = "return_to_caller"
"""Value of TRANSFER_MODE for an agent that is used as a tool."""

INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions"
TOOL_DEFINITIONS = "gen_ai.tool.definitions"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"
CONTENT = frozenset(
    {
        INPUT_MESSAGES,
        OUTPUT_MESSAGES,
        SYSTEM_INSTRUCTIONS,
        TOOL_DEFINITIONS,
        TOOL_ARGUMENTS,
        TOOL_RESULT,
    }
)
"""What holds text of prompts, replies, arguments and results: written only where that is asked."""
CONTENT_EVENT = "gen_ai.client.inference.operation.details"
"""Log event that holds the content of a model call."""

RUN_ID = "podium.run.id"
AGENT_PATH = "podium.agent.path"
AGENT_DEPTH = "podium.agent.depth"
STEP = "podium.step"
"""Which step of its agent a model or tool call belongs to, from 1."""
STEPS = "podium.steps"
"""How many steps an agent took."""
STOP_REASON = "podium.stop.reason"
STOP_BY = "podium.stop.by"
HOOK_POINT = "podium.hook.point"
HOOK_NAME = "podium.hook.name"

BUDGET_WAIT: Final = "podium.budget.wait"
"""Event of an agent: a model call waited for room in a budget."""
BUDGET_DENIED: Final = "podium.budget.denied"
"""Event of the span that was refused: there was no room for a call or an agent."""
BUDGET_BY = "podium.budget.by"
"""The path of the agent whose limit it is."""
BUDGET_WHAT = "podium.budget.what"
"""Which limit it is, such as `total_tokens`."""
BUDGET_WAITED_SECONDS = "podium.budget.waited_seconds"

RETRY = "podium.retry"
"""Event of a model call: a try failed, and the same call is made again."""
FALLBACK = "podium.fallback"
"""Event of a model call: a model failed, and the next one is asked."""
RETRY_ATTEMPT = "podium.retry.attempt"
"""How many tries have failed, this one included."""
RETRY_DELAY_SECONDS = "podium.retry.delay_seconds"
FALLBACK_MODEL = "podium.fallback.model"
"""The model that is asked next."""

USAGE_COMPLETE = "podium.usage.complete"
"""False where a call reported no usage, so that the counts are lower bounds; else absent."""
TOTAL_INPUT_TOKENS = "podium.usage.total.input_tokens"
"""Of an agent and everything below it, as are the other totals."""
TOTAL_OUTPUT_TOKENS = "podium.usage.total.output_tokens"
TOTAL_TOKENS = "podium.usage.total.total_tokens"
TOTAL_COST_USD = "podium.cost.total_usd"
"""Of a model call, or of an agent and everything below it; absent where it is not known."""

# Metrics; durations are in seconds.
METRIC_TOKENS = "gen_ai.client.token.usage"
METRIC_TOKEN_TYPE = "gen_ai.token.type"
METRIC_CALL_DURATION = "gen_ai.client.operation.duration"
METRIC_FIRST_CHUNK = "gen_ai.client.operation.time_to_first_chunk"
METRIC_AGENT_DURATION = "gen_ai.invoke_agent.duration"
METRIC_AGENT_CALLS = "gen_ai.invoke_agent.inference_calls"
METRIC_AGENT_TOOL_CALLS = "gen_ai.invoke_agent.tool_calls"
METRIC_TOOL_DURATION = "gen_ai.execute_tool.duration"

OLDER_NAMES: Mapping[Schema, Mapping[str, str]] = {
    "genai-0.1": {},
    "semconv-1.41": {CACHE_WRITE_TOKENS: "gen_ai.usage.cache_creation.input_tokens"},
    "semconv-1.36": {
        CACHE_WRITE_TOKENS: "gen_ai.usage.cache_creation.input_tokens",
        PROVIDER: "gen_ai.system",
    },
}
"""What an attribute was called in earlier texts of the conventions, where that differs."""


def budget_key(what: str, figure: Literal["limit", "spent", "held"]) -> str:
    """Return the name under which a figure of a budget stands.

    >>> budget_key("total_tokens", "spent")
    'podium.budget.total_tokens.spent'
    """
    return f"podium.budget.{what}.{figure}"
