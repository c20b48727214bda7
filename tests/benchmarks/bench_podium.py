"""The same work on podium, as its documentation shows it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal

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

from podium.agent import Agent, ChatMessage, StreamingChunk, TextDelta
from podium.agent.models import OpenAIChatGenerator
from podium.orchestration import Coordinator
from podium.tools import ToolCall, tool

Way = Literal["events", "callback"]


class Podium:
    """Runs agents that are defined once and share their models."""

    def __init__(self, base_url: str, handbook: Handbook, *, streams_by: Way = "events") -> None:
        """Define the tool and the model of the specialists."""
        self._base_url = base_url
        self._streams_by = streams_by
        self._tool = tool(description=TOOL_DESCRIPTION)(handbook.look_up)
        self._agent = functools.cache(self._make_agent)
        self._team = functools.cache(self._make_team)

    async def steps(self, size: int, history: Sequence[Turn] = ()) -> str:
        """Answer in `size` steps."""
        messages = [ChatMessage.from_user(QUESTION), *_as_messages(history)]
        return (await self._agent(f"steps-{size}").run_async(messages)).text

    async def team(self) -> str:
        """Ask four specialists at once."""
        return (await self._team().run_async(QUESTION)).text

    async def stream(self, words: int) -> int:
        """Read a streamed answer, as events or by a callback."""
        agent = self._agent(f"words-{words}")
        pieces: list[str] = []
        if self._streams_by == "callback":

            def keep(chunk: StreamingChunk) -> None:
                if chunk.content:
                    pieces.append(chunk.content)

            await agent.run_async(QUESTION, keep)
        else:
            async with agent.stream(QUESTION) as run:
                async for event in run:
                    if isinstance(event, TextDelta):
                        pieces.append(event.text)
        return len(pieces)

    def _model(self, name: str) -> OpenAIChatGenerator:
        return OpenAIChatGenerator(
            api_key="any", model=name, api_base_url=self._base_url, timeout=600
        )

    def _make_agent(self, model: str) -> Agent:
        return Agent(
            chat_generator=self._model(model),
            system_prompt=AGENT_PROMPT,
            tools=[self._tool],
            max_agent_steps=1000,
        )

    def _make_team(self) -> Coordinator:
        model = self._model("steps-2")
        return Coordinator(
            chat_generator=self._model(f"team-{len(SPECIALISTS)}"),
            system_prompt=COORDINATOR_PROMPT,
            specialists=[
                Agent(
                    chat_generator=model,
                    name=name,
                    description=specialist_description(name),
                    system_prompt=f"You are a {name}. {AGENT_PROMPT}",
                    tools=[self._tool],
                )
                for name in SPECIALISTS
            ],
        )


def _as_messages(history: Sequence[Turn]) -> list[ChatMessage]:
    messages: list[ChatMessage] = []
    for turn in history:
        arguments = {"topic": turn.topic, "page": turn.page}
        call = ToolCall("look_up", arguments, f"call_{turn.page:024d}")
        messages.append(ChatMessage.from_assistant(tool_calls=[call]))
        messages.append(ChatMessage.from_tool(turn.result, call))
    return messages
