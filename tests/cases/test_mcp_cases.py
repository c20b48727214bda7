"""Reported faults of MCP clients (kinds mcp and mcp-schema), each by hand: C098-C100, C195-C208."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_peers import scripted
from mcp_peers.http_server import scripted_http

from podium.agent import Agent, AgentResult
from podium.agent._history import is_valid
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import FakeOpenAIServer, ScriptedChatGenerator, call, calls
from podium.tools import (
    MCPConnectionError,
    MCPToolset,
    StreamableHttpServerInfo,
    Toolset,
    tool,
)

pytestmark = pytest.mark.anyio


async def run(toolset: MCPToolset) -> AgentResult:
    """Run an agent that calls `fetch` of the server once and then says that it is done."""
    model = ScriptedChatGenerator([calls(call("fetch", q="a")), "done"])
    agent = Agent(chat_generator=model, tools=[toolset], max_agent_steps=4)
    try:
        return await agent.run_async("go")
    finally:
        await agent.close_async()


def answer(result: AgentResult) -> tuple[Any, bool]:
    (found,) = [one for message in result.messages for one in message.tool_call_results]
    return found.result, found.error


async def listed(tmp_path: Path, tools: Sequence[Mapping[str, Any]]) -> MCPToolset:
    """Return the warm toolset of a server that lists these tools."""
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(tools))
    toolset = MCPToolset(scripted("listing", env={"LISTING": str(file)}))
    await toolset.warm_up_async()
    await toolset.close_async()
    return toolset


async def test_c098_a_tool_without_inputs_takes_an_empty_object(tmp_path: Path) -> None:
    schema = {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}

    (sent,) = await listed(tmp_path, [{"name": "list_regions", "inputSchema": schema}])

    assert sent.parameters == {"type": "object", "properties": {}}


async def test_c099_unions_with_null_and_references_stay(tmp_path: Path) -> None:
    stage = {"anyOf": [{"type": "string", "enum": ["dev", "prod"]}, {"type": "null"}]}
    owner = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    schema = {
        "type": "object",
        "properties": {"stage": {**stage, "default": None}, "owner": {"$ref": "#/$defs/Owner"}},
        "required": ["owner"],
        "$defs": {"Owner": owner},
    }

    (sent,) = await listed(tmp_path, [{"name": "set_stage", "inputSchema": schema}])

    assert sent.parameters == schema


async def test_c100_one_tool_that_is_good_works_and_bad_ones_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    properties = {"q": {"type": "string"}}
    tools = [
        {"name": "good", "inputSchema": {"type": "object", "properties": properties}},
        {"name": "no_type", "inputSchema": {"properties": properties}},
        {"name": "scalar", "inputSchema": {"type": "string"}},
    ]

    sent = await listed(tmp_path, tools)

    assert [(one.name, one.parameters["type"]) for one in sent] == [
        *(("good", "object"), ("no_type", "object")),
    ]
    assert "'no_type' of MCP server 'peer' has no type" in caplog.text
    assert "'scalar' of MCP server 'peer' is left out" in caplog.text


async def test_c195_a_silent_server_costs_its_call_and_not_the_run() -> None:
    began = time.monotonic()

    result = await run(MCPToolset(scripted("silent"), invocation_timeout=2))

    assert result.text == "done"
    assert answer(result)[1]
    assert "timeout" in str(answer(result)[0])
    assert time.monotonic() - began < 15


async def test_c196_a_cancelled_run_stops_though_the_server_is_silent() -> None:
    toolset = MCPToolset(scripted("silent"))
    await toolset.warm_up_async()
    model = ScriptedChatGenerator([calls(call("fetch", q="a")), "done"])
    agent = Agent(chat_generator=model, tools=[toolset])
    began = time.monotonic()

    with anyio.move_on_after(0.5) as scope:
        await agent.run_async("go")
    took = time.monotonic() - began
    await agent.close_async()

    assert scope.cancelled_caught
    assert took < 2.0
    assert not [one for one in threading.enumerate() if one.name == "podium-mcp-peer"]


async def test_c200_threat_65_two_servers_with_a_tool_of_one_name_are_refused_by_name() -> None:
    files, web = MCPToolset(scripted(name="files")), MCPToolset(scripted(name="web"))
    agent = Agent(chat_generator=ScriptedChatGenerator([]), tools=[files, web])

    told = r"named 'fetch', one from MCP server 'files' and one from MCP server 'web'"
    with pytest.raises(ValueError, match=told):
        await agent.warm_up_async()
    with pytest.raises(ValueError, match=told):
        await agent.run_async("go")
    await agent.close_async()


async def test_c200_prefixes_keep_the_tools_of_two_servers_apart() -> None:
    files = MCPToolset(scripted(name="files"), prefix="files_")
    web = MCPToolset(scripted("structured", name="web"), prefix="web_")
    turn = calls(call("files_fetch", q="a"), call("web_fetch", q="a"))
    model = ScriptedChatGenerator([turn, "done"])
    agent = Agent(chat_generator=model, tools=[Toolset(), files, web])

    result = await agent.run_async("go")
    await agent.close_async()

    assert [one.text for message in result.messages for one in message.tool_call_results] == [
        'fetch: {"q": "a"}',
        '{"status": "completed", "rows": [1, 2]}',
    ]


async def test_c200_a_local_tool_and_a_servers_tool_of_one_name_are_refused_by_name() -> None:
    @tool
    def fetch(q: str) -> str:
        """Fetch here."""
        return q

    toolset = MCPToolset(scripted(name="files"))
    agent = Agent(chat_generator=ScriptedChatGenerator([]), tools=[fetch, toolset])

    with pytest.raises(ValueError, match="one from this program and one from MCP server 'files'"):
        await agent.run_async("go")
    await agent.close_async()


async def test_c202_structured_content_alone_is_the_result() -> None:
    result = await run(MCPToolset(scripted("structured")))

    assert answer(result) == ('{"status": "completed", "rows": [1, 2]}', False)


async def test_c203_no_content_is_an_empty_success() -> None:
    result = await run(MCPToolset(scripted("empty")))

    assert answer(result) == ("", False)
    assert is_valid(result.messages)


async def test_c204_an_image_beside_text_is_named_and_never_dumped() -> None:
    with FakeOpenAIServer([calls(call("fetch", q="a")), "done"]) as server:
        toolset = MCPToolset(scripted("chart"))
        model = OpenAIChatGenerator(api_key="k", api_base_url=server.base_url, model="m")
        agent = Agent(chat_generator=model, tools=[toolset])
        result = await agent.run_async("go")
        await agent.close_async()

    (sent,) = [one for one in server.requests[1].body["messages"] if one["role"] == "tool"]
    assert sent["content"] == "chart\n[image/png, 3,009 bytes]"
    assert result.text == "done"


async def test_c205_a_slow_start_is_waited_for() -> None:
    toolset = MCPToolset(scripted("slow_start", name="slow-server"), connection_timeout=30)

    result = await run(toolset)

    assert result.text == "done"


async def test_c205_a_start_that_takes_too_long_names_the_server_and_can_be_tried_again() -> None:
    toolset = MCPToolset(scripted("slow_start", name="slow-server"), connection_timeout=0.5)
    began = time.monotonic()

    with pytest.raises(
        MCPConnectionError, match=r"'slow-server' was not ready within 0\.5 seconds"
    ):
        await toolset.warm_up_async()
    took = time.monotonic() - began
    toolset._connection._timeouts = (30, 30)
    await toolset.close_async()
    result = await run(toolset)

    assert took < 3
    assert result.text == "done"


async def test_c208_a_wrong_token_is_told_at_once_and_without_the_token() -> None:
    with scripted_http("unauthorized") as server:
        toolset = MCPToolset(StreamableHttpServerInfo(server.url, token="tok-SENTINEL-9"))
        began = time.monotonic()

        with pytest.raises(MCPConnectionError, match="401") as caught:
            await run(toolset)
        await toolset.close_async()

    assert time.monotonic() - began < 5
    assert "SENTINEL" not in str(caught.value)
