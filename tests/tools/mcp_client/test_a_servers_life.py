"""A server's process from start to end: started late, killed, started again, put away."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_peers import honest, scripted
from mcp_peers.watching import eventually, held, is_running

from podium.agent import Agent, AgentResult, ToolCallProgress
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import (
    MCPConnectionError,
    MCPInvocationError,
    MCPToolset,
    StdioServerInfo,
    tool,
)

pytestmark = pytest.mark.anyio


@tool
async def local(n: int) -> str:
    """Answer without a server."""
    return f"local {n}"


def answers(result: AgentResult) -> list[tuple[str, bool]]:
    found = [one for message in result.messages for one in message.tool_call_results]
    return [(one.text, one.error) for one in found]


def test_nothing_is_started_before_it_is_needed(tmp_path: Path) -> None:
    toolset = MCPToolset(scripted("honest", tmp_path / "notes"))

    assert len(toolset) == 0
    assert not (tmp_path / "notes").exists()
    assert repr(toolset) == "<MCPToolset of 'peer': not connected yet>"


async def test_eager_connects_at_once() -> None:
    toolset = MCPToolset(scripted(), eager_connect=True)

    toolset.close()

    assert repr(toolset) == "<MCPToolset of 'peer': fetch>"


async def test_a_run_connects_calls_and_shares_the_connection(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    toolset = MCPToolset(scripted("honest", notes))
    turn = calls(call("fetch", q="a"), call("fetch", q="b"))
    models = [ScriptedChatGenerator([turn, "done"]), ScriptedChatGenerator([turn, "done"])]
    first = Agent(chat_generator=models[0], tools=[toolset])
    second = Agent(chat_generator=models[1], tools=[toolset, local])

    results: list[AgentResult] = []

    async def run(agent: Agent) -> None:
        results.append(await agent.run_async("go"))

    async with anyio.create_task_group() as runs:
        runs.start_soon(run, first)
        runs.start_soon(run, second)
    await first.close_async()

    assert [answers(one) for one in results] == [
        [('fetch: {"q": "a"}', False), ('fetch: {"q": "b"}', False)]
    ] * 2
    assert notes.read_text().count("start") == 1


def test_one_connection_serves_sync_runs_async_runs_and_both_kinds_of_loops(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    toolset = MCPToolset(scripted("honest", notes))

    def agent() -> Agent:
        model = ScriptedChatGenerator([calls(call("fetch", q="a")), "done"])
        return Agent(chat_generator=model, tools=[toolset])

    in_sync = agent().run("go")
    in_asyncio = anyio.run(agent().run_async, "go", backend="asyncio")
    in_trio = anyio.run(agent().run_async, "go", backend="trio")
    by_hand = toolset[0].invoke(q="a")
    toolset.close()

    assert answers(in_sync) == answers(in_asyncio) == answers(in_trio)
    assert answers(in_sync) == [(str(by_hand), False)]
    assert notes.read_text().count("start") == 1


async def test_a_server_killed_in_a_parallel_batch_costs_only_the_calls_it_worked_on() -> None:
    dying, staying = MCPToolset(honest(name="dying")), MCPToolset(scripted(name="staying"))
    await dying.warm_up_async()
    process = int(str(await dying[1].invoke_async()))

    @tool
    async def kill() -> str:
        """Kill the server in the midst of a call."""
        await anyio.sleep(0.3)
        os.kill(process, signal.SIGKILL)
        return "killed"

    batch = calls(call("wait", seconds=30), call("fetch", q="x"), call("local", n=1), call("kill"))
    model = ScriptedChatGenerator([batch, calls(call("add", a=2, b=3)), "done"])
    agent = Agent(chat_generator=model, tools=[dying, staying, local, kill])

    with anyio.fail_after(30):
        result = await agent.run_async("go")
    await agent.close_async()

    (lost, is_lost), *others = answers(result)
    assert "The connection to MCP server 'dying' was lost while it worked on 'wait'" in lost
    assert is_lost
    assert others == [
        ('fetch: {"q": "x"}', False),
        ("local 1", False),
        ("killed", False),
        ("5", False),
    ]


async def test_a_server_that_died_unseen_is_started_again_by_the_next_call(tmp_path: Path) -> None:
    toolset = MCPToolset(scripted("honest", tmp_path / "notes"))
    await toolset.warm_up_async()
    process = int((tmp_path / "notes").read_text().removeprefix("start "))
    opened = toolset._connection._open
    assert opened is not None and opened.link is not None
    session = opened.link._current
    assert session is not None

    os.kill(process, signal.SIGKILL)
    await eventually(lambda: not session.is_usable)
    value = await toolset[0].invoke_async(q="again")
    await toolset.close_async()

    assert str(value) == 'fetch: {"q": "again"}'


async def test_a_server_that_cannot_be_started_again_is_tried_so_often_and_then_named() -> None:
    server = scripted("dies_once", max_retries=2)
    toolset = MCPToolset(server)
    await toolset.warm_up_async()
    object.__setattr__(server, "command", "uninstalled-meanwhile")

    with pytest.raises(MCPInvocationError, match="was lost"):
        await toolset[0].invoke_async(q="x")
    with pytest.raises(MCPInvocationError, match=r"'peer' cannot be started: there is no program"):
        await toolset[0].invoke_async(q="x")
    await toolset.close_async()


async def test_the_waits_between_tries_grow(tmp_path: Path) -> None:
    toolset = MCPToolset(scripted("dies_always", tmp_path / "notes", base_delay=0.2))
    await toolset.warm_up_async()
    began = time.monotonic()

    async def fail() -> None:
        with pytest.raises(MCPInvocationError, match="was lost"):
            await toolset[0].invoke_async(q="x")

    await fail()
    await fail()
    await fail()
    await toolset.close_async()

    assert time.monotonic() - began > 0.2
    assert (tmp_path / "notes").read_text().count("start") == 3


async def test_after_close_no_process_thread_socket_or_pipe_is_left() -> None:
    before = held()
    toolset = MCPToolset(honest())
    await toolset.warm_up_async()
    await toolset[0].invoke_async(a=1, b=2)
    during = held()

    await toolset.close_async()
    await eventually(lambda: not held().descriptors & (during.descriptors - before.descriptors))

    assert len(during.children - before.children) == 1
    assert len(during.threads - before.threads) == 1
    assert held().children == before.children
    assert held().threads == before.threads


async def test_a_server_that_will_not_end_is_ended() -> None:
    toolset = MCPToolset(scripted("will_not_end"))
    before = held()
    await toolset.warm_up_async()
    (process,) = held().children - before.children

    await toolset.close_async()

    assert not is_running(process)


async def test_closing_in_the_midst_of_a_call_ends_the_call() -> None:
    toolset = MCPToolset(scripted("silent"))
    await toolset.warm_up_async()

    async def wait() -> None:
        with pytest.raises(MCPInvocationError, match=r"was lost|was closed"):
            await toolset[0].invoke_async(q="x")

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.sleep(0.3)
            await toolset.close_async()


async def test_closing_twice_or_before_anything_does_nothing() -> None:
    toolset = MCPToolset(scripted())

    toolset.close()
    await toolset.close_async()

    assert threading.active_count() >= 1


async def test_a_toolset_can_be_used_again_after_close() -> None:
    toolset = MCPToolset(scripted())
    await toolset.warm_up_async()
    await toolset.close_async()

    value = await toolset[0].invoke_async(q="again")
    await toolset.close_async()

    assert str(value) == 'fetch: {"q": "again"}'


async def test_a_cancelled_call_is_cancelled_on_the_server_too(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    toolset = MCPToolset(scripted("silent", notes))
    await toolset.warm_up_async()

    with anyio.move_on_after(0.2):
        await toolset[0].invoke_async(q="x")
    await eventually(lambda: "cancelled" in notes.read_text())
    await toolset.close_async()


async def test_a_cancelled_warm_up_leaves_nothing_and_can_be_tried_again() -> None:
    before = held()
    toolset = MCPToolset(scripted("silent_start"))

    with anyio.move_on_after(0.3) as scope:
        await toolset.warm_up_async()
    await toolset.close_async()

    assert scope.cancelled_caught
    assert held().children == before.children


async def test_progress_reaches_those_who_watch_the_run() -> None:
    toolset = MCPToolset(honest())
    model = ScriptedChatGenerator([calls(call("count", to=3)), "done"])
    agent = Agent(chat_generator=model, tools=[toolset])

    async with agent.stream("go") as run:
        seen = [event async for event in run if isinstance(event, ToolCallProgress)]
    await agent.close_async()

    assert [(one.done, one.total, one.message) for one in seen] == [
        *((1.0, 3.0, "at 1"), (2.0, 3.0, "at 2"), (3.0, 3.0, "at 3")),
    ]
    assert {one.call.tool_name for one in seen} == {"count"}


async def test_a_flood_of_progress_is_thinned_out_and_safe_to_show() -> None:
    toolset = MCPToolset(scripted("progress_flood"))
    model = ScriptedChatGenerator([calls(call("fetch", q="x")), "done"])
    agent = Agent(chat_generator=model, tools=[toolset])

    async with agent.stream("go") as run:
        seen = [event async for event in run if isinstance(event, ToolCallProgress)]
    await agent.close_async()

    assert run.result.text == "done"
    assert {one.message for one in seen} == {r"\x1b[2J"}


@pytest.mark.parametrize(
    ("info", "told"),
    [
        (StdioServerInfo("no-such-program", name="x"), "there is no program 'no-such-program'"),
        (StdioServerInfo(sys.executable, cwd="/no/such/folder", name="x"), "No such file"),
        (StdioServerInfo(sys.executable, ["-c", "raise SystemExit('no key')"], name="x"), "no key"),
    ],
    ids=["no program", "no folder", "ends at once"],
)
async def test_a_server_that_cannot_be_started_says_why(info: Any, told: str) -> None:
    toolset = MCPToolset(info)

    with pytest.raises(MCPConnectionError, match="MCP server 'x' cannot be") as caught:
        await toolset.warm_up_async()
    await toolset.close_async()

    assert told in str(caught.value)


FORGETFUL = """
import os, sys
from mcp_peers import scripted
from podium.tools import MCPToolset

toolset = MCPToolset(scripted(sys.argv[1], name="peer"))
toolset.warm_up()
print(toolset[0].invoke(q="parent"))
child = os.fork()
if child == 0:
    print(toolset[0].invoke(q="child"), flush=True)
    toolset.close()
    os._exit(0)
os.waitpid(child, 0)
print(toolset[0].invoke(q="again"))
"""


def test_a_forked_process_has_a_connection_of_its_own_and_a_forgotten_one_ends_with_it(
    run_python: Callable[..., str],
) -> None:
    support = str(Path(__file__).parents[2] / "support")
    before = held()

    printed = run_python("-u", "-c", FORGETFUL, "honest", PYTHONPATH=support)

    assert printed.splitlines() == [
        'fetch: {"q": "parent"}',
        'fetch: {"q": "child"}',
        'fetch: {"q": "again"}',
    ]
    assert held().children == before.children
