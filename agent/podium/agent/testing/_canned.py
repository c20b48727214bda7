"""Canned answers by the model's name: what the fake server says when it runs as a program."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from podium.agent.testing._requests import RecordedRequest
from podium.agent.testing._turns import Reply
from podium.tools import ToolCall

MODELS = """
the answer depends on the model's name:
  steps-N   calls the first tool N-1 times, one call a step, then answers
  team-N    calls its tools once each in turn, N calls in one step, then answers
  words-N   answers with N words
  any other answers with one sentence
"""
ANSWER = "Here is what was found: the answer is forty-two."
_BY_TYPE: Mapping[str, object] = {
    "string": "part",
    "integer": 1,
    "number": 1,
    "boolean": True,
    "array": [],
    "object": {},
}


def canned_reply(request: RecordedRequest, *, delay_seconds: float = 0.0) -> Reply:
    """Return what the model that `request` names says next, going by its history."""
    kind, _, size = request.model.partition("-")
    count = int(size) if size.isdecimal() else 1
    said = sum(1 for message in request.messages if message.get("role") == "assistant")
    if kind == "words":
        return Reply("word " * count, delay_seconds=delay_seconds)
    if kind == "steps" and said < count - 1 and request.tools:
        calls = [_call(request.tools[0], request.number, 0)]
    elif kind == "team" and said == 0 and request.tools:
        calls = [
            _call(request.tools[at % len(request.tools)], request.number, at) for at in range(count)
        ]
    else:
        return Reply(ANSWER, delay_seconds=delay_seconds)
    return Reply(tool_calls=calls, delay_seconds=delay_seconds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve canned answers until the process is told to stop."""
    from podium.agent.testing.fake_openai import FakeOpenAIServer  # it starts this program

    options = _parser().parse_args(arguments)
    think_seconds = options.think_ms / 1000
    # Blocked in all threads before one is started, so that only sigwait sees them.
    signals = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    server = FakeOpenAIServer(
        responder=lambda request: canned_reply(request, delay_seconds=think_seconds),
        keep_requests=False,
        port=options.port,
    )
    with server:
        sys.stdout.write(f"listening on {server.base_url}\n")
        sys.stdout.flush()
        signal.sigwait(signals)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m podium.agent.testing.fake_openai",
        description="A fake OpenAI server on loopback.",
        epilog=MODELS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--think-ms", type=float, default=0.0, help="time before each answer")
    return parser


def _call(definition: Mapping[str, Any], number: int, at: int) -> ToolCall:
    function: Mapping[str, Any] = definition["function"]
    schema: Mapping[str, Any] = function.get("parameters") or {}
    properties: Mapping[str, Mapping[str, Any]] = schema.get("properties") or {}
    arguments = {
        name: _value(properties.get(name, {}), at) for name in schema.get("required") or ()
    }
    return ToolCall(function["name"], arguments, f"call_{number}_{at}")


def _value(schema: Mapping[str, Any], at: int) -> object:
    if options := schema.get("enum"):
        return options[0]
    value = _BY_TYPE.get(str(schema.get("type", "string")), "part")
    return f"{value} {at}" if isinstance(value, str) else value
