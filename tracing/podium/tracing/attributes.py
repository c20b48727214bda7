"""Every name podium writes on spans, once: the GenAI conventions, then podium's own.

`TELEMETRY_SCHEMA` says which text of the OpenTelemetry GenAI conventions the names follow. They
are kept here because the published constants lag behind the text and move between releases.
"""

from __future__ import annotations

from typing import Literal

TELEMETRY_SCHEMA = "genai-0.1"
"""The conventions these names follow; also on each span's instrumentation scope."""
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

AGENT_NAME = "gen_ai.agent.name"
AGENT_DESCRIPTION = "gen_ai.agent.description"

PROVIDER = "gen_ai.provider.name"
SERVER_ADDRESS = "server.address"
SERVER_PORT = "server.port"
REQUEST_MODEL = "gen_ai.request.model"
REQUEST_STREAM = "gen_ai.request.stream"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_ID = "gen_ai.response.id"
FINISH_REASONS = "gen_ai.response.finish_reasons"

INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHED_INPUT_TOKENS = "gen_ai.usage.cache_read.input_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"

TOOL_NAME = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
TOOL_DESCRIPTION = "gen_ai.tool.description"
TOOL_CALL_ID = "gen_ai.tool.call.id"
TRANSFER_TARGET = "gen_ai.transfer.target.name"
TRANSFER_MODE = "gen_ai.transfer.mode"
RETURN_TO_CALLER = "return_to_caller"
"""Value of TRANSFER_MODE for an agent that is used as a tool."""

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


def budget_key(what: str, figure: Literal["limit", "spent", "held"]) -> str:
    """Return the name under which a figure of a budget stands.

    >>> budget_key("total_tokens", "spent")
    'podium.budget.total_tokens.spent'
    """
    return f"podium.budget.{what}.{figure}"
