"""Servers that others wrote: the time server from PyPI, and two from npm where they are installed.

For those on Node, PODIUM_MCP_NODE names the `node_modules` folder they are in.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio
import pytest
from mcp_peers.watching import eventually, held, is_running

from podium.tools import (
    ImageContent,
    MCPInvocationError,
    MCPTool,
    MCPToolset,
    StdioServerInfo,
    Tool,
)

pytestmark = pytest.mark.anyio

MODULES = Path(os.environ.get("PODIUM_MCP_NODE", "no-such-folder"))
on_node = pytest.mark.skipif(not MODULES.is_dir(), reason="PODIUM_MCP_NODE names no folder")


def node_server(name: str, *arguments: str) -> StdioServerInfo:
    script = MODULES / "@modelcontextprotocol" / name / "dist" / "index.js"
    return StdioServerInfo("node", [str(script), *arguments], name=name, base_delay=0.01)


def named(toolset: MCPToolset, name: str) -> Tool:
    (found,) = [one for one in toolset if one.name == name]
    return found


async def test_the_time_server_is_listed_called_and_ended() -> None:
    before = held()
    toolset = MCPToolset(StdioServerInfo(sys.executable, ["-m", "mcp_server_time"], name="time"))

    await toolset.warm_up_async()
    value = await named(toolset, "get_current_time").invoke_async(timezone="UTC")
    with pytest.raises(MCPInvocationError, match="Invalid timezone"):
        await named(toolset, "get_current_time").invoke_async(timezone="Nowhere")
    await toolset.close_async()

    assert [one.name for one in toolset] == ["get_current_time", "convert_time"]
    assert value.data["timezone"] == "UTC"
    assert held().children == before.children


async def test_one_tool_of_the_time_server_is_killed_and_started_again() -> None:
    before = held()
    server = StdioServerInfo(sys.executable, ["-m", "mcp_server_time"], name="time")
    tool = MCPTool("convert_time", server)
    arguments = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    first = await tool.invoke_async(**arguments)
    (process,) = held().children - before.children

    os.kill(process, signal.SIGKILL)
    await eventually(lambda: not is_running(process))
    await anyio.sleep(0.2)
    second = await tool.invoke_async(**arguments)
    await tool.close_async()

    assert first.data["time_difference"] == second.data["time_difference"] == "+9.0h"
    assert held().children == before.children


@on_node
async def test_the_server_of_everything_gives_text_images_and_structured_content() -> None:
    toolset = MCPToolset(
        node_server("server-everything", "stdio"),
        outputs_to_string={"get-tiny-image": {"raw_result": True}},
    )
    await toolset.warm_up_async()

    echo = await named(toolset, "echo").invoke_async(message="hi")
    total = await named(toolset, "get-sum").invoke_async(a=2, b=3)
    picture = named(toolset, "get-tiny-image")
    parts = picture.result_content(await picture.invoke_async())
    weather = await named(toolset, "get-structured-content").invoke_async(location="Chicago")
    await toolset.close_async()

    assert (str(echo), str(total)) == ("Echo: hi", "The sum of 2 and 3 is 5.")
    assert any(isinstance(one, ImageContent) for one in parts)
    assert weather.data.keys() >= {"temperature", "conditions"}


@on_node
async def test_the_server_of_everything_is_killed_in_a_call_and_started_again() -> None:
    before = held()
    toolset = MCPToolset(node_server("server-everything", "stdio"))
    await toolset.warm_up_async()
    (process,) = held().children - before.children
    long = named(toolset, "trigger-long-running-operation")

    async def kill_soon() -> None:
        await anyio.sleep(0.3)
        os.kill(process, signal.SIGKILL)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(kill_soon)
            with pytest.raises(MCPInvocationError, match="was lost while it worked on"):
                await long.invoke_async(duration=30, steps=3)
    again = await named(toolset, "echo").invoke_async(message="again")
    await toolset.close_async()

    assert str(again) == "Echo: again"
    assert held().children == before.children


@on_node
async def test_the_filesystem_server_reads_its_folder_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("a note")
    toolset = MCPToolset(node_server("server-filesystem", str(tmp_path)), tool_names=["read_file"])

    await toolset.warm_up_async()
    value = await toolset[0].invoke_async(path=str(tmp_path / "note.txt"))
    with pytest.raises(MCPInvocationError, match="Access denied"):
        await toolset[0].invoke_async(path="/etc/passwd")
    await toolset.close_async()

    assert value.text == "a note"
