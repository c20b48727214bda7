"""SystemExit, interrupts and forks: one run's end is not the end of every other run."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, cast

import anyio
import pytest

from podium.agent import Agent, AgentResult, State, StreamingChunk, hook
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool


@hook
def leave(state: State) -> None:
    raise SystemExit(3)


def answering(*turns: Any, **settings: Any) -> Agent:
    return Agent(chat_generator=ScriptedChatGenerator(list(turns)), **settings)


def leaving() -> Agent:
    return answering("never said", hooks={"before_llm": [leave]})


def test_a_hook_that_leaves_the_program_ends_its_own_run_only() -> None:
    @tool
    async def wait() -> str:
        """Take a while."""
        await anyio.sleep(0.3)
        return "waited"

    texts: list[str] = []
    other = answering(calls(call("wait")), "done", tools=[wait])
    thread = threading.Thread(target=lambda: texts.append(other.run("go").text))
    thread.start()
    time.sleep(0.1)

    with pytest.raises(SystemExit) as caught:
        leaving().run("go")

    thread.join()
    assert cast("AgentResult", getattr(caught.value, "partial", None)).exit_reason == "error"
    assert texts == ["done"]
    assert answering("again").run("go").text == "again"


def test_a_callback_that_leaves_the_program_ends_its_own_run_only() -> None:
    class Blocking:
        def run(self, messages: Any, *, streaming_callback: Any, **options: Any) -> Any:
            streaming_callback(StreamingChunk("a"))

    def stop(chunk: object) -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        Agent(chat_generator=Blocking()).run("go", streaming_callback=stop)

    assert answering("again").run("go").text == "again"


def test_an_agent_below_that_leaves_the_program_is_a_failed_tool() -> None:
    @tool
    def ask() -> str:
        """Ask another agent."""
        return leaving().run("please").text

    result = answering(calls(call("ask"), call("ask")), "done", tools=[ask]).run("go")

    answers = [one.text for message in result.messages for one in message.tool_call_results]
    assert answers == ["Tool 'ask' failed: SystemExit: 3"] * 2
    assert result.text == "done"


def test_after_an_interrupt_in_a_tool_there_is_a_loop_again() -> None:
    @tool
    def interrupt() -> str:
        """Raise what Ctrl-C raises."""
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answering(calls(call("interrupt")), tools=[interrupt]).run("go")

    assert answering("again").run("go").text == "again"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_child_forked_in_a_tool_can_run_agents_of_its_own() -> None:
    reading, writing = os.pipe()

    @tool
    def fork() -> str:
        """Run an agent in a child process."""
        child = os.fork()
        if child == 0:
            try:
                os.write(writing, answering("from the child").run("go").text.encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        return os.read(reading, 100).decode()

    result = answering(calls(call("fork")), "done", tools=[fork]).run("go")

    assert result.messages[2].tool_call_results[0].text == "from the child"
