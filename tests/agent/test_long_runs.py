"""A step costs the same wherever it stands: nothing walks the whole conversation again."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from podium.agent import Agent, ChatMessage
from podium.agent.models._openai.wire import encode_messages
from podium.tools import ToolCall, tool

pytestmark = pytest.mark.anyio

STEPS = 100


class Endless:
    """A model that calls `note` at each step, and sends the conversation as a real one would."""

    async def run_async(self, messages: Sequence[ChatMessage], **_: Any) -> dict[str, Any]:
        encode_messages(messages)
        call = ToolCall("note", {"text": "seen"}, f"call_{len(messages)}")
        return {"replies": [ChatMessage.from_assistant(tool_calls=[call])]}


@contextmanager
def counted_calls() -> Generator[list[int]]:
    """Count the calls of Python functions, in the one item of the list."""
    count = [0]

    def on_event(frame: FrameType, event: str, argument: object) -> None:
        count[0] += event == "call"

    sys.setprofile(on_event)
    try:
        yield count
    finally:
        sys.setprofile(None)


async def test_a_late_step_does_no_more_than_an_early_one() -> None:
    with counted_calls() as count:
        counts: list[int] = []

        @tool
        async def note(text: str) -> str:
            """Note something."""
            counts.append(count[0])
            return text

        agent = Agent(chat_generator=Endless(), tools=[note], max_agent_steps=STEPS)
        await agent.run_async("Go on.")

    early, late = counts[11] - counts[1], counts[-1] - counts[-11]
    assert len(counts) == STEPS
    assert late <= early * 1.1
