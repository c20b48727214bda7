"""MCPToolset and MCPTool as a user writes them: names, selection, mappings, results, mistakes."""

from __future__ import annotations

import importlib.util
import pickle
from typing import Any

import pytest
from mcp_peers import honest, scripted

from podium.agent import Agent, AgentResult, Secret
from podium.agent.testing import ScriptedChatGenerator, call, calls
from podium.tools import (
    ImageContent,
    MCPConnectionError,
    MCPInvocationError,
    MCPTool,
    MCPToolNotFoundError,
    MCPToolset,
    SearchableToolset,
    SSEServerInfo,
    StdioServerInfo,
    StreamableHttpServerInfo,
    ToolArgumentsError,
    ToolDefinitionError,
    ToolInvocationError,
)
from podium.tools._mcp.servers import ServerInfo

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Run on one kind of loop: the session lives on a loop of its own anyway."""
    return "asyncio"


async def run(
    toolset: MCPToolset | MCPTool, *wanted: Any, **settings: Any
) -> tuple[AgentResult, ScriptedChatGenerator]:
    """Run an agent whose model makes the wanted calls and then answers, and close it."""
    inputs = settings.pop("inputs", {})
    model = ScriptedChatGenerator([calls(*wanted), "done"])
    agent = Agent(chat_generator=model, tools=[toolset], **settings)
    try:
        return await agent.run_async("go", **inputs), model
    finally:
        await agent.close_async()


def answer(result: AgentResult) -> Any:
    (found,) = [one for message in result.messages for one in message.tool_call_results]
    return found


async def test_tools_are_selected_by_the_servers_names_in_the_order_given() -> None:
    toolset = MCPToolset(honest(), tool_names=["wait", "add"])

    await toolset.warm_up_async()
    await toolset.close_async()

    assert [one.name for one in toolset] == ["wait", "add"]


async def test_a_tool_that_the_server_does_not_have_is_named_with_those_it_has() -> None:
    toolset = MCPToolset(honest(), tool_names=["ad"])

    with pytest.raises(MCPToolNotFoundError, match=r"no tool 'ad'\. Did you mean 'add'\?"):
        await toolset.warm_up_async()
    await toolset.close_async()


async def test_a_prefix_stands_before_what_the_model_sees() -> None:
    result, model = await run(MCPToolset(honest(), prefix="math_"), call("math_add", a=1, b=2))

    assert [one.name for one in model.requests[0].tools][:2] == ["math_add", "math_process"]
    assert answer(result).text == "3"


async def test_a_run_picks_tools_by_name_before_anything_is_connected() -> None:
    model = ScriptedChatGenerator([calls(call("math_add", a=1, b=2)), "done"])
    agent = Agent(chat_generator=model, tools=[MCPToolset(honest(), prefix="math_")])

    result = await agent.run_async("go", tools=["math_add"])
    await agent.close_async()

    assert [one.name for one in model.requests[0].tools] == ["math_add"]
    assert answer(result).text == "3"


async def test_a_stream_picks_from_a_catalog_of_a_server_that_is_not_connected_yet() -> None:
    model = ScriptedChatGenerator(["done"])
    catalog = SearchableToolset([MCPToolset(honest())], search_threshold=3)

    async with Agent(chat_generator=model, tools=[catalog]).stream("go", tools=["add"]) as run:
        events = [event async for event in run]
    await catalog.close_async()

    assert events and [one.name for one in model.requests[0].tools] == ["add"]


async def test_a_name_that_the_server_does_not_have_is_refused_with_those_it_has() -> None:
    agent = Agent(chat_generator=ScriptedChatGenerator([]), tools=[MCPToolset(honest())])

    with pytest.raises(ValueError, match=r"no tool 'ad'\. Did you mean 'add'\?"):
        await agent.run_async("go", tools=["ad"])
    await agent.close_async()


async def test_one_tool_of_a_server_is_a_tool_by_itself() -> None:
    tool = MCPTool("add", honest())
    result, model = await run(tool, call("add", a=1, b=2))

    assert model.requests[0].tools[0].parameters["required"] == ["a", "b"]
    assert (tool.description, tool.original_name, tool.server_name) == (
        *("Add two numbers.", "add", "peer"),
    )
    assert answer(result).text == "3"


def test_one_tool_works_without_an_agent_and_connects_by_itself() -> None:
    tool = MCPTool("add", honest(), description="Sum.")

    before = tool.definition_hash
    value = tool.invoke(a=1, b=2)
    tool.close()

    assert (str(value), value.data, before, tool.description) == ("3", {"result": 3}, None, "Sum.")
    assert len(tool.definition_hash or "") == 64


def test_one_tool_that_is_not_there_is_told_when_it_is_made_eagerly() -> None:
    with pytest.raises(MCPToolNotFoundError, match="no tool 'sub'"):
        MCPTool("sub", scripted(), eager_connect=True)


async def test_arguments_that_do_not_fit_never_reach_the_server() -> None:
    tool = MCPTool("add", honest())
    await tool.warm_up_async()

    with pytest.raises(ToolArgumentsError, match="'a' should be an integer"):
        await tool.invoke_async(a="one", b=2)
    with pytest.raises(ToolArgumentsError, match="it has no parameter 'c'"):
        await tool.invoke_async(a=1, b=2, c=3)
    await tool.close_async()


async def test_a_failing_tool_of_a_server_is_a_failing_tool() -> None:
    result, _ = await run(MCPToolset(honest()), call("fail"))

    assert answer(result).error
    assert answer(result).text.startswith(
        "Tool 'fail' of MCP server 'peer' failed: Error executing tool fail"
    )


async def test_parameters_that_state_fills_are_hidden_from_the_model() -> None:
    toolset = MCPToolset(honest(), tool_names=["add"], inputs_from_state={"add": {"base": "a"}})
    schema = {"base": {"type": int}}
    result, model = await run(toolset, call("add", b=2), state_schema=schema, inputs={"base": 40})

    shown = model.requests[0].tools[0].parameters
    assert (list(shown["properties"]), shown["required"]) == (["b"], ["b"])
    assert answer(result).text == "42"


async def test_a_needed_parameter_that_state_does_not_hold_is_told_to_the_model() -> None:
    toolset = MCPToolset(honest(), tool_names=["add"], inputs_from_state={"add": {"base": "a"}})
    result, _ = await run(toolset, call("add", b=2), state_schema={"base": {"type": int}})

    assert "it needs 'base' from the run's state" in answer(result).text


async def test_a_mapping_for_a_parameter_that_the_tool_does_not_take_is_refused() -> None:
    toolset = MCPToolset(honest(), inputs_from_state={"add": {"base": "c"}})

    with pytest.raises(ToolDefinitionError, match=r"fills 'c'.*does not take"):
        await toolset.warm_up_async()
    await toolset.close_async()


async def test_a_mapping_for_a_tool_that_the_server_does_not_have_is_refused() -> None:
    toolset = MCPToolset(honest(), outputs_to_state={"sum": {"total": {}}})

    with pytest.raises(MCPToolNotFoundError, match="no tool 'sum'"):
        await toolset.warm_up_async()
    await toolset.close_async()


async def test_structured_content_goes_into_the_state() -> None:
    toolset = MCPToolset(
        honest(), tool_names=["add"], outputs_to_state={"add": {"total": {"source": "result"}}}
    )
    result, _ = await run(toolset, call("add", a=1, b=2), state_schema={"total": {"type": int}})

    assert result["total"] == 3


async def test_json_in_a_text_goes_into_the_state_as_data_and_other_text_as_text() -> None:
    toolset = MCPToolset(
        scripted("environment", env={"MODE": "x"}),
        outputs_to_state={"fetch": {"mode": {"source": "MODE"}}},
    )
    plain = MCPToolset(scripted(), outputs_to_state={"fetch": {"said": {}}})

    result, _ = await run(toolset, call("fetch"), state_schema={"mode": {"type": str}})
    other, _ = await run(plain, call("fetch"), state_schema={"said": {"type": str}})

    assert (result["mode"], other["said"]) == ("x", "fetch: {}")


async def test_what_the_model_reads_can_be_chosen() -> None:
    toolset = MCPToolset(
        honest(),
        tool_names=["add"],
        outputs_to_string={"add": {"source": "result", "handler": "sum is {}".format}},
    )
    result, _ = await run(toolset, call("add", a=1, b=2))

    assert answer(result).text == "sum is 3"


async def test_an_image_is_an_image_where_the_raw_result_is_asked_for() -> None:
    toolset = MCPToolset(scripted("image"), outputs_to_string={"fetch": {"raw_result": True}})
    result, _ = await run(toolset, call("fetch"))

    (image,) = answer(result).result
    assert isinstance(image, ImageContent)
    assert image.mime_type == "image/png"


@pytest.mark.parametrize("behaviour", ["image_bomb", "lying_image"])
async def test_threat_55_what_is_no_image_or_far_too_large_is_named_in_words(
    behaviour: str,
) -> None:
    toolset = MCPToolset(scripted(behaviour), outputs_to_string={"fetch": {"raw_result": True}})
    result, _ = await run(toolset, call("fetch"))

    (part,) = answer(result).result
    assert part.text.startswith("[image/png, ")


async def test_files_sounds_and_links_are_told_in_words() -> None:
    result, _ = await run(MCPToolset(scripted("resources")), call("fetch"))

    assert answer(result).text.splitlines() == [
        "inside",
        "[file, 3 bytes: x://b]",
        '{"type": "resource", "resource": {"uri": "x://c"}}',
        "[resource d: x://d]",
        "[audio/wav, 3 bytes]",
    ]


async def test_some_tools_are_picked_for_one_run() -> None:
    toolset = MCPToolset(honest())
    some = toolset.spawn(["add"])

    await some.warm_up_async()
    names = [one.name for one in some]
    await some.close_async()
    some.warm_up()
    some.close()

    assert (names, len(some), some[0].name) == (["add"], 1, "add")
    assert toolset.spawn() is toolset


def test_without_the_extra_an_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", nothing)

    with pytest.raises(ImportError, match=r"pip install 'podium\[mcp\]'"):
        MCPToolset(scripted())


@pytest.mark.parametrize(
    ("make", "kind", "told"),
    [
        (lambda: StdioServerInfo(" "), ValueError, "command ' '"),
        (lambda: StdioServerInfo("x", "-m server"), TypeError, "args is a str"),
        (lambda: StdioServerInfo("x", env={"A": 1}), TypeError, "holds a int for 'A'"),  # type: ignore[dict-item]  # what is refused
        (lambda: StdioServerInfo("x", env="A=1"), TypeError, "env is a str"),  # type: ignore[arg-type]  # what is refused
        (lambda: StdioServerInfo("x", env={"A": "\0"}), ValueError, "'A' in env"),
        (lambda: StdioServerInfo("x", max_retries=-1), ValueError, "-1 times"),
        (lambda: StreamableHttpServerInfo("ftp://x/"), ValueError, "kind 'ftp'"),
        (lambda: StreamableHttpServerInfo(7), ValueError, "kind 'int'"),  # type: ignore[arg-type]  # what is refused
        (lambda: SSEServerInfo("http://u:pw@x/"), ValueError, "Pass it as token="),
        (lambda: SSEServerInfo("http://x/", headers={"a b": "c"}), ValueError, "name of a header"),
        (lambda: SSEServerInfo("http://x/", token="a\nb"), ValueError, "'token' in token"),
        (lambda: MCPToolset("npx server"), TypeError, "server_info is a str"),  # type: ignore[arg-type]  # what is refused
        (lambda: MCPToolset(scripted(), tool_names="add"), TypeError, r"tool_names=\['add'\]"),
        (lambda: MCPToolset(scripted(), invocation_timeout=0), ValueError, "invocation_timeout"),
        (lambda: MCPTool("a", scripted(), connection_timeout=-1), ValueError, "connection_timeout"),
        (
            lambda: MCPTool("a", scripted(), outputs_to_state={"k": {"sauce": "x"}}),
            ToolDefinitionError,
            "'sauce'",
        ),
    ],
)
def test_a_mistake_is_told_where_it_is_made(make: Any, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        make()


def test_what_describes_a_server_shows_no_secret() -> None:
    secret = Secret.from_token("SENTINEL-1")
    infos: list[ServerInfo] = [
        StdioServerInfo("/opt/bin/server", ["--key", "SENTINEL-2"], env={"TOKEN": secret}),
        StdioServerInfo("server", env={"TOKEN": "SENTINEL-3"}),
        StreamableHttpServerInfo("https://x.example/mcp?key=SENTINEL-4", token="SENTINEL-5"),
        SSEServerInfo("https://x.example/sse", headers={"X-Key": "SENTINEL-6"}, name="desk"),
    ]

    shown = [repr(one) for one in infos]

    assert "SENTINEL" not in repr([infos, [MCPToolset(one) for one in infos]])
    assert shown[0] == "<StdioServerInfo 'server': /opt/bin/server>"
    assert shown[2] == "<StreamableHttpServerInfo 'x.example': https://x.example/mcp>"
    assert shown[3] == "<SSEServerInfo 'desk': https://x.example/sse>"


def test_the_errors_survive_pickling() -> None:
    errors = [
        kind("lost", tool_name="t")
        for kind in (MCPConnectionError, MCPToolNotFoundError, MCPInvocationError)
    ]

    copies = [pickle.loads(pickle.dumps(one)) for one in errors]

    assert [(type(one), str(one), one.tool_name) for one in copies] == [
        (type(one), "lost", "t") for one in errors
    ]
    assert issubclass(MCPInvocationError, ToolInvocationError)
    assert issubclass(MCPConnectionError, ConnectionError)
