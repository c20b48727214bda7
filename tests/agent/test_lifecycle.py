"""Getting an agent's parts ready and putting them away."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from podium.agent import Agent, ChatMessage, State
from podium.tools import Tool, Toolset

pytestmark = pytest.mark.anyio


class Part:
    """A part that notes each call of it."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log = name, log

    def note(self, what: str) -> None:
        self.log.append(f"{self.name} {what}")


class Model(Part):
    async def run_async(self, messages: object, *, tools: object = None) -> dict[str, Any]:
        self.note("asked")
        return {"replies": [ChatMessage.from_assistant("done")]}

    async def warm_up_async(self) -> None:
        self.note("ready")

    async def close_async(self) -> None:
        self.note("closed")


class BlockingHook(Part):
    def run(self, state: State) -> None: ...

    def warm_up(self) -> None:
        self.note(f"ready in the caller's thread: {self._is_here()}")

    def close(self) -> None:
        self.note(f"closed in the caller's thread: {self._is_here()}")

    def _is_here(self) -> bool:
        return threading.current_thread() is threading.main_thread()


class PlainHook:
    def run(self, state: State) -> None: ...


class Connection(Tool):
    """A tool with something to open and close."""

    def __init__(self, log: list[str]) -> None:
        super().__init__("connection", "Reads.", {"type": "object"}, lambda: "read")
        self.log = log

    async def warm_up_async(self) -> None:
        self.log.append("connection ready")

    async def close_async(self) -> None:
        self.log.append("connection closed")


class Shelf(Toolset):
    """A toolset whose async form need not wait."""

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self.log = log

    def warm_up_async(self) -> None:  # type: ignore[override]  # users write such, too
        self.log.append("shelf ready")


async def test_every_part_is_made_ready_once_in_the_form_it_has() -> None:
    log: list[str] = []
    guard = BlockingHook("guard", log)
    agent = Agent(
        chat_generator=Model("model", log),
        tools=[Connection(log), Shelf(log)],
        hooks={"before_run": [guard, PlainHook()], "after_run": [guard]},
    )

    await agent.warm_up_async()

    assert log == [
        "connection ready",
        "shelf ready",
        "guard ready in the caller's thread: False",
        "model ready",
    ]


async def test_every_part_is_closed_and_the_agent_can_be_used_again() -> None:
    log: list[str] = []
    agent = Agent(
        chat_generator=Model("model", log),
        tools=Toolset([Connection(log)]),
        hooks={"before_run": [BlockingHook("guard", log)]},
    )

    await agent.close_async()
    result = await agent.run_async("go")

    assert result.text == "done"
    assert log == [
        "connection closed",
        "guard closed in the caller's thread: False",
        "model closed",
        "connection ready",
        "model asked",
    ]


def test_a_script_can_do_it_without_await() -> None:
    log: list[str] = []
    agent = Agent(chat_generator=Model("model", log), tools=[Connection(log)])

    agent.warm_up()
    agent.close()

    assert log == ["connection ready", "model ready", "connection closed", "model closed"]
