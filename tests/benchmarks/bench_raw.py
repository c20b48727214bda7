"""The hand-written loop: what a good engineer writes on the openai package alone."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from bench_task import (
    AGENT_PROMPT,
    COORDINATOR_PROMPT,
    QUESTION,
    SPECIALISTS,
    TOOL_DESCRIPTION,
    Handbook,
    Turn,
    specialist_description,
)
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam

Function = Callable[..., Awaitable[str]]


class RawLoop:
    """Runs on one shared client: dict messages, and `gather` for parallel calls."""

    def __init__(self, base_url: str, handbook: Handbook) -> None:
        """Make the client."""
        self._tools: Mapping[str, Function] = {"look_up": handbook.look_up}
        self._client = AsyncOpenAI(api_key="any", base_url=base_url, timeout=600)

    async def steps(self, size: int, history: Sequence[Turn] = ()) -> str:
        """Answer in `size` steps."""
        messages = [*_opening(AGENT_PROMPT, QUESTION), *_as_messages(history)]
        return await self._loop(f"steps-{size}", messages, [LOOK_UP], self._tools)

    async def team(self) -> str:
        """Ask four specialists at once."""
        specialists = {name: functools.partial(self._specialist, name) for name in SPECIALISTS}
        messages = _opening(COORDINATOR_PROMPT, QUESTION)
        return await self._loop(f"team-{len(SPECIALISTS)}", messages, DELEGATE, specialists)

    async def stream(self, words: int) -> int:
        """Read a streamed answer."""
        stream = await self._client.chat.completions.create(
            model=f"words-{words}",
            messages=_opening(AGENT_PROMPT, QUESTION),
            stream=True,
            stream_options={"include_usage": True},
        )
        pieces: list[str] = []
        async for chunk in stream:
            if chunk.choices and (text := chunk.choices[0].delta.content):
                pieces.append(text)
        return len(pieces)

    async def _specialist(self, name: str, task: str) -> str:
        messages = _opening(f"You are a {name}. {AGENT_PROMPT}", task)
        return await self._loop("steps-2", messages, [LOOK_UP], self._tools)

    async def _loop(
        self,
        model: str,
        messages: list[ChatCompletionMessageParam],
        tools: Sequence[ChatCompletionToolUnionParam],
        functions: Mapping[str, Function],
    ) -> str:
        while True:
            completion = await self._client.chat.completions.create(
                model=model, messages=messages, tools=tools
            )
            message = completion.choices[0].message
            calls = [call for call in message.tool_calls or () if call.type == "function"]
            if not calls:
                return message.content or ""
            asked = [(call.id, call.function.name, call.function.arguments) for call in calls]
            messages.append(_calls(message.content, asked))
            results = await asyncio.gather(
                *(functions[name](**json.loads(arguments)) for _, name, arguments in asked)
            )
            for (identity, _, _), result in zip(asked, results, strict=True):
                messages.append({"role": "tool", "tool_call_id": identity, "content": result})


def _opening(instructions: str, question: str) -> list[ChatCompletionMessageParam]:
    return [
        {"role": "system", "content": instructions},
        {"role": "user", "content": question},
    ]


def _calls(
    content: str | None, asked: Sequence[tuple[str, str, str]]
) -> ChatCompletionMessageParam:
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [
            {
                "id": identity,
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for identity, name, arguments in asked
        ],
    }


def _as_messages(history: Sequence[Turn]) -> list[ChatCompletionMessageParam]:
    messages: list[ChatCompletionMessageParam] = []
    for turn in history:
        identity = f"call_{turn.page:024d}"
        arguments = json.dumps({"topic": turn.topic, "page": turn.page})
        messages.append(_calls(None, [(identity, "look_up", arguments)]))
        messages.append({"role": "tool", "tool_call_id": identity, "content": turn.result})
    return messages


def _definition(
    name: str, description: str, properties: dict[str, Any]
) -> ChatCompletionToolUnionParam:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        },
    }


LOOK_UP = _definition(
    "look_up", TOOL_DESCRIPTION, {"topic": {"type": "string"}, "page": {"type": "integer"}}
)
DELEGATE = [
    _definition(
        name,
        specialist_description(name),
        {
            "task": {
                "type": "string",
                "description": "What to do, with everything needed to do it.",
            }
        },
    )
    for name in SPECIALISTS
]
