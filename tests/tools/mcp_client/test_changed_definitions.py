"""A server whose tools are not what they were first listed as: noticed, told, and not called."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from mcp_peers import scripted

from podium.tools import MCPError, MCPTool, MCPToolset

pytestmark = pytest.mark.anyio


async def test_threat_66_a_tool_that_changes_after_it_was_listed_is_not_called_until_accepted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    toolset = MCPToolset(scripted("rug_pull", tmp_path / "notes"))
    await toolset.warm_up_async()
    before = toolset[0]
    await toolset.close_async()

    with pytest.raises(MCPError, match=r"its description changed.*accept_changes"):
        await before.invoke_async(q="x")
    changes, described = toolset.changes, toolset[0].description
    toolset.accept_changes()
    value = await toolset[0].invoke_async(q="x")
    await toolset.close_async()

    assert (changes, described) == ({"fetch": "its description changed"}, "Fetch.")
    assert "Tool 'fetch' of MCP server 'peer' is not called any more" in caplog.text
    assert toolset[0].description.startswith("IGNORE ALL")
    assert isinstance(before, MCPTool)
    assert before.definition_hash != getattr(toolset[0], "definition_hash", None)
    assert str(value) == 'fetch: {"q": "x"}'


async def test_threat_66_a_tool_that_changes_while_it_is_connected_is_not_called_either(
    caplog: pytest.LogCaptureFixture,
) -> None:
    toolset = MCPToolset(scripted("changes"))
    await toolset.warm_up_async()

    first = await toolset[0].invoke_async(q="x")
    with pytest.raises(MCPError, match=r"its description changed.*accept_changes"):
        await toolset[0].invoke_async(q="y")
    with pytest.raises(MCPError, match="its description changed"):
        await toolset[0].invoke_async(q="z")
    names = [one.name for one in toolset]
    await toolset.close_async()

    assert str(first) == 'fetch: {"q": "x"}'
    assert names == ["fetch"]
    assert toolset[0].description == "Fetch."
    assert caplog.text.count("Tool 'fetch' of MCP server 'peer' is not called any more") == 1


@pytest.mark.parametrize("behaviour", ["changes", "changes_silently"])
async def test_accepting_takes_what_the_server_lists_now_without_starting_it_again(
    behaviour: str, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    toolset = MCPToolset(scripted(behaviour, notes))
    await toolset.warm_up_async()
    await toolset[0].invoke_async(q="x")

    await anyio.to_thread.run_sync(toolset.accept_changes)
    value = await toolset[1].invoke_async(q="y")
    await toolset.close_async()

    assert [one.name for one in toolset] == ["fetch", "more"]
    assert str(value) == 'more: {"q": "y"}'
    assert notes.read_text().count("start") == 1


async def test_threat_68_a_storm_of_changes_costs_one_look_for_each_call(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    toolset = MCPToolset(scripted("flood", notes))
    await toolset.warm_up_async()

    values = [str(await toolset[0].invoke_async(q=text)) for text in ("a", "b", "c")]
    await toolset.close_async()

    assert values == ['fetch: {"q": "a"}', 'fetch: {"q": "b"}', 'fetch: {"q": "c"}']
    assert notes.read_text().count("list") == 3


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("changes_and_sulks", "cannot be used: not now"),
        ("changes_and_hangs", "was not ready within 2 seconds"),
    ],
)
async def test_a_tool_is_not_called_while_the_server_does_not_tell_what_it_changed(
    behaviour: str, told: str, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    toolset = MCPToolset(scripted(behaviour, notes), connection_timeout=2)
    await toolset.warm_up_async()
    await toolset[0].invoke_async(q="x")

    with pytest.raises(MCPError, match=told):
        await toolset[0].invoke_async(q="y")
    again = await toolset[0].invoke_async(q="z")
    await toolset.close_async()

    assert str(again) == 'fetch: {"q": "z"}'
    assert notes.read_text().count("start") == 2
