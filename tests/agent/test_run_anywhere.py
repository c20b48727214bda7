"""`run` works in a script, in threads, inside a sync tool and under a running loop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from podium.agent import Agent, AgentError
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import tool


def answering(text: str) -> Agent:
    return Agent(chat_generator=ScriptedChatGenerator([text]))


def test_in_a_script() -> None:
    assert answering("hello").run("hi").text == "hello"


def test_in_many_threads_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(answering(f"t{n}").run, "hi") for n in range(32)]
        texts = [run.result().text for run in runs]

    assert texts == [f"t{n}" for n in range(32)]


def test_under_a_running_loop() -> None:
    async def main() -> str:
        return answering("hello").run("hi").text

    assert asyncio.run(main()) == "hello"
    assert anyio.run(main, backend="trio") == "hello"


def test_when_the_threads_loop_was_closed_by_someone_else() -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.close()

    assert [answering("a").run("hi").text, answering("b").run("hi").text] == ["a", "b"]
    asyncio.set_event_loop(None)


@pytest.mark.anyio
async def test_inside_a_sync_tool_it_uses_the_callers_loop() -> None:
    inner = answering("inner answer")
    threads: list[str] = []

    @tool
    def ask() -> str:
        """Ask another agent."""
        threads.append(threading.current_thread().name)
        return inner.run("please").text

    model = ScriptedChatGenerator([calls(call("ask")), "done"])

    result = await Agent(chat_generator=model, tools=[ask]).run_async("go")

    assert result.messages[2].tool_call_results[0].text == "inner answer"
    assert threads != ["podium-portal"]


def test_inside_an_async_tool_of_a_sync_run_it_is_refused_instead_of_hanging() -> None:
    inner = answering("never")

    @tool
    async def ask() -> str:
        """Ask another agent the wrong way."""
        return inner.run("please").text

    model = ScriptedChatGenerator([calls(call("ask")), "done"])

    result = Agent(chat_generator=model, tools=[ask]).run("go")

    assert "Await run_async()" in result.messages[2].tool_call_results[0].text
    assert issubclass(AgentError, Exception)


def test_an_error_in_the_run_comes_out_of_run() -> None:
    with pytest.raises(ZeroDivisionError):
        Agent(chat_generator=ScriptedChatGenerator([ZeroDivisionError()])).run("hi")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_after_a_fork() -> None:
    answering("parent").run("hi")
    script = (
        "import os, sys\n"
        "from podium.agent import Agent\n"
        "from podium.agent.testing import ScriptedChatGenerator\n"
        "ask = lambda: Agent(chat_generator=ScriptedChatGenerator(['ok'])).run('hi').text\n"
        "assert ask() == 'ok'\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if ask() == 'ok' else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )

    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], timeout=20, check=False)

    assert done.returncode == 0


def test_ctrl_c_ends_the_run_and_keeps_what_it_had(tmp_path: Path) -> None:
    script = tmp_path / "wait.py"
    script.write_text(
        "import anyio\n"
        "from podium.agent import Agent\n"
        "from podium.agent.testing import ScriptedChatGenerator, call, calls\n"
        "from podium.tools import tool\n"
        "@tool\n"
        "async def wait() -> str:\n"
        "    'Wait.'\n"
        "    print('waiting', flush=True)\n"
        "    await anyio.sleep_forever()\n"
        "    return ''\n"
        "model = ScriptedChatGenerator([calls(call('wait'))])\n"
        "try:\n"
        "    Agent(chat_generator=model, tools=[wait]).run('go')\n"
        "except KeyboardInterrupt as interrupt:\n"
        "    print(interrupt.partial['exit_reason'], len(interrupt.partial.messages), flush=True)\n"
    )

    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "waiting\n"
        run.send_signal(signal.SIGINT)
        assert run.stdout.readline() == "cancelled 3\n"
    assert run.returncode == 0


@pytest.mark.anyio
async def test_a_nested_run_on_another_loop_is_counted_but_its_events_are_not_sent() -> None:
    inner = Agent(chat_generator=ScriptedChatGenerator(["inner answer"]), name="inner")

    @tool
    async def ask() -> str:
        """Ask another agent from a thread that podium did not start."""
        return (await anyio.to_thread.run_sync(inner.run, "please")).text

    model = ScriptedChatGenerator([calls(call("ask")), "done"])

    async with Agent(chat_generator=model, tools=[ask], name="outer").stream("go") as run:
        paths = {event.path async for event in run}

    assert run.result.messages[2].tool_call_results[0].text == "inner answer"
    assert [node.path for node in run.result.usage_tree.walk()] == ["outer", "outer/inner"]
    assert paths == {"outer"}
