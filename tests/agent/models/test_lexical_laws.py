"""What holds for any text and any tools: it never raises, and its calls fit their schemas."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podium.agent.messages import ChatMessage
from podium.agent.models.lexical import LexicalChatGenerator
from podium.tools import State, Tool, ToolCall

WORDS = (
    "how does the with statement handle exceptions and what is a closure search read check claim"
    ' file notes.md heading § [a.md § B] Sources: ? ; , . 7 * (4 + 2) 12 Paris "quoted words here"'
    ' `yield` claim: {"a": 1} hello who are you\n\n\n- 1. 2. no results'
).split(" ")
NAMES = (
    "query",
    "task",
    "file",
    "heading",
    "claim",
    "limit",
    "text",
    "city",
    "expression",
    "x",
    "url",
)

texts = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join))


def bounds(low: str, high: str) -> st.SearchStrategy[dict[str, Any]]:
    none: dict[str, Any] = {}
    pairs = st.tuples(st.integers(0, 5), st.integers(5, 9))
    return st.one_of(st.just(none), pairs.map(lambda pair: {low: pair[0], high: pair[1]}))


def typed(kind: str, extra: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return extra.map(lambda more: {"type": kind, **more})


plain = st.one_of(
    typed("string", bounds("minLength", "maxLength")),
    typed(
        "string",
        st.sampled_from([{"format": "date"}, {"pattern": "^(a+)+$"}, {"enum": ["a", "with"]}]),
    ),
    typed("integer", bounds("minimum", "maximum")),
    typed("number", bounds("exclusiveMinimum", "maximum")),
    st.sampled_from(
        [{"type": "boolean"}, {"type": "null"}, {}, {"const": 3}, {"$ref": "#/$defs/Node"}]
    ),
    st.just({"type": ["integer", "null"], "default": None}),
)
schemas = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.tuples(inner, bounds("minItems", "maxItems")).map(
            lambda pair: {"type": "array", "items": pair[0], **pair[1]}
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda options: {"anyOf": options}),
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=3).map(
            lambda found: {"type": "object", "properties": found, "required": sorted(found)[:2]}
        ),
    ),
    max_leaves=5,
)
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "x": {"type": "string"}}}


def nothing(**_: object) -> None:
    """Do nothing."""


@st.composite
def tools(draw: st.DrawFn) -> Tool:
    properties: dict[str, Any] = draw(st.dictionaries(st.sampled_from(NAMES), schemas, max_size=3))
    key = draw(st.sampled_from(["query", "task", "claim", "file"]))
    properties.setdefault(key, {"type": "string"})
    return Tool(
        draw(st.sampled_from(["search", "read_file", "check_claim", "calculator", "writer"])),
        draw(texts) or "Search.",
        {
            "type": "object",
            "properties": properties,
            "required": sorted({key, draw(st.sampled_from(sorted(properties)))}),
            "$defs": {"Node": NODE},
        },
        nothing,
    )


def reply(messages: Sequence[ChatMessage], offered: Sequence[Tool], **options: Any) -> ChatMessage:
    async def ask() -> ChatMessage:
        generator = LexicalChatGenerator()
        made = await generator.run_async(messages, tools=offered, generation_kwargs=options)
        return made["replies"][0]

    return anyio.run(ask)


def talk(
    task: str, offered: Sequence[Tool], results: Sequence[tuple[str, bool]]
) -> list[ChatMessage]:
    """Return the conversation about `task` in which the tools answer with `results`, in order."""
    messages = [ChatMessage.from_user(task)]
    answers = iter(results)
    while (said := reply(messages, offered)).tool_calls:
        messages.append(said)
        for call in said.tool_calls:
            text, failed = next(answers, ("No results.", False))
            messages.append(ChatMessage.from_tool(text, call, failed))
    return [*messages, said]


def calls_of(messages: Sequence[ChatMessage]) -> list[ToolCall]:
    return [call for message in messages for call in message.tool_calls]


laws = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@laws
@given(
    texts,
    st.lists(tools(), max_size=4, unique_by=lambda tool: tool.name),
    st.lists(st.tuples(texts, st.booleans()), max_size=6),
)
def test_every_call_fits_its_tool_and_is_made_once(
    task: str, offered: list[Tool], results: list[tuple[str, bool]]
) -> None:
    by_name = {tool.name: tool for tool in offered}

    messages = talk(task, offered, results)

    calls = calls_of(messages)
    prepared = [by_name[call.tool_name].prepare(call, State({})) for call in calls]
    assert prepared == [dict(call.arguments) for call in calls]
    assert len({repr((call.tool_name, call.arguments)) for call in calls}) == len(calls)
    assert messages[-1].text


@laws
@given(texts, texts, schemas)
def test_any_schema_is_answered(task: str, result: str, schema: dict[str, Any]) -> None:
    call = ToolCall("search", {"query": task}, id="call_1")
    messages = [
        ChatMessage.from_system(result),
        ChatMessage.from_user(task),
        ChatMessage.from_assistant(tool_calls=[call]),
        ChatMessage.from_tool(result, call),
    ]
    wanted = {"type": "json_schema", "json_schema": {"name": "out", "schema": schema}}

    answered = reply(messages, [], response_format=wanted)

    assert answered.text
    assert answered.meta["finish_reason"] == "stop"


SCRIPT = """
import anyio
from podium.agent.models import LexicalChatGenerator
text = "[a.md § Closures] " + " ".join(
    f"A closure number {n} keeps variable {n % 7} of scope {n % 3} alive." for n in range(60)
)
question = "How does a closure keep variables, and what is a scope?"
generator = LexicalChatGenerator()
print(anyio.run(generator.run_async, f"{text}\\n\\n{question}")["replies"][0].text)
"""


def run_with_hash_seed(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_answer_does_not_depend_on_the_hash_seed() -> None:
    answers = {run_with_hash_seed("1"), run_with_hash_seed("2")}

    assert len(answers) == 1
    assert "[a.md § Closures]" in answers.pop()


@pytest.mark.parametrize(
    "piece", ["[", '"', "- ", "a.b/", "with ", "[a § b] ", "   x\n", "{", "\n \n", "what; "]
)
def test_long_texts_take_time_in_proportion(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    call = ToolCall("search", {"query": "with"}, id="call_1")
    messages = [
        ChatMessage.from_system(text),
        ChatMessage.from_user(f"What does the with statement do?\n\n{text}"),
        ChatMessage.from_assistant(tool_calls=[call]),
        ChatMessage.from_tool(text, call),
    ]
    started = time.process_time()

    answered = reply(messages, [])

    assert answered.text
    assert time.process_time() - started < 5
