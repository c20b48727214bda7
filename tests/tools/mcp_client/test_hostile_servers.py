"""What a server may do without harm: nothing it sends blocks the loop, leaks, or costs the rest.

Each row is one behaviour of a scripted server over stdio, and what a caller then reads.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from mcp_peers import scripted
from mcp_peers.answers import INJECTION, LONG
from mcp_peers.watching import ticking

from podium.tools import MCPError, MCPToolset, Tool

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Run on one kind of loop: the session lives on a loop of its own anyway."""
    return "asyncio"


BUSY_SECONDS = 0.05
"""What no server may take of the event loop at once."""
LATE_SECONDS = 2.0
"""The same on the wall clock of a busy machine, where the loop has to wait for its turn anyway."""


async def asked(behaviour: str, *notes: Path, **options: Any) -> str:
    """Return what a call of the scripted server's tool gives a model, with the loop watched."""
    options = {"invocation_timeout": 20.0, **options}
    environment = {"TOKEN": "token-SENTINEL-7"}
    toolset = MCPToolset(scripted(behaviour, *notes, env=environment), **options)
    async with ticking() as ticker:
        try:
            await toolset.warm_up_async()
            fetch = next(one for one in toolset if one.name in ("fetch", "t0"))
            value = await fetch.invoke_async(q="hi")
            said = str(fetch.result_content(value))
        except MCPError as error:
            said = f"{type(error).__name__}: {error}"
        finally:
            await toolset.close_async()
    assert ticker.busy < BUSY_SECONDS
    assert ticker.late < LATE_SECONDS
    assert "SENTINEL" not in said
    return said


async def listed(behaviour: str) -> list[Tool]:
    """Return the tools of the scripted server."""
    toolset = MCPToolset(scripted(behaviour))
    async with ticking() as ticker:
        await toolset.warm_up_async()
        await toolset.close_async()
    assert ticker.busy < BUSY_SECONDS
    assert ticker.late < LATE_SECONDS
    return list(toolset)


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("honest", 'fetch: {"q": "hi"}'),
        ("circle", '{"v": 1}'),
        ("garbage", 'fetch: {"q": "hi"}'),
        ("flood", 'fetch: {"q": "hi"}'),
        ("loud", 'fetch: {"q": "hi"}'),
        ("nested", "it has more than 20,000 objects and arrays"),
        ("huge_result", "is longer than 8,388,608 bytes"),
        ("deep", "is not a JSON-RPC message"),
        ("many_parts", "[cut here: the result has 4,000 parts]"),
        ("bad_parts", '{}\n7\n{"type": "hologram"}\nfine'),
        ("image", "[image/png, 30 bytes]"),
        ("no_result", "what it answered is no result"),
        ("empty", ""),
        ("structured", '{"status": "completed", "rows": [1, 2]}'),
        ("failed", "Tool 'fetch' of MCP server 'peer' failed: The disk is full."),
        ("misfit", "'v' should be an integer"),
        ("misfit_text", "seven\n[this is not what the tool declares to return"),
        ("dies_always", "The connection to MCP server 'peer' was lost while it worked on 'fetch'"),
        ("dies_after_initialize", "Its log ends with: out of memory"),
        ("refuses", r"gave no result for 'fetch': no: *** \x1b[31m."),
    ],
)
async def test_whatever_a_server_does_a_call_has_one_result_and_the_loop_is_free(
    behaviour: str, told: str
) -> None:
    said = await asked(behaviour)

    assert told in said


async def test_threat_69_a_pattern_without_end_in_an_output_schema_costs_no_time() -> None:
    assert await asked("pattern") == json.dumps({"v": LONG})


async def test_threat_71_a_server_that_asks_for_sampling_and_more_is_refused() -> None:
    said = await asked("asks")

    assert said == "Sampling not supported | Elicitation not supported | List roots not supported"


@pytest.mark.parametrize("behaviour", ["silent", "wrong_id", "drip"])
async def test_a_call_that_gets_no_answer_ends_with_its_timeout(behaviour: str) -> None:
    said = await asked(behaviour, invocation_timeout=0.3)

    assert "did not answer 'fetch' within its timeout of 0.3 seconds" in said


async def test_threat_68_pages_without_end_are_read_up_to_a_limit(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = await listed("endless_pages")

    assert len(tools) == 50
    assert "goes on listing tools after 50" in caplog.text


async def test_threat_68_thousands_of_tools_are_taken_up_to_a_limit(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = await listed("two_thousand_tools")

    assert len(tools) == 500
    assert "lists 2000 tools at once" in caplog.text


async def test_of_two_tools_of_one_name_the_first_counts_and_a_warning_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = await listed("same_name_twice")

    assert [one.description for one in tools] == ["Fetch."]
    assert "lists 'fetch' twice" in caplog.text


async def test_threat_67_a_description_is_bounded() -> None:
    (tool,) = await listed("huge_description")

    assert len(tool.description) < 4_100
    assert tool.description.endswith("… [cut here]")


async def test_threat_67_a_description_holds_nothing_that_cannot_be_seen() -> None:
    (tool,) = await listed("hidden_text")

    assert tool.description == "red text"


async def test_threat_67_what_a_description_demands_stays_a_description() -> None:
    (tool,) = await listed("injection")

    assert tool.description == INJECTION
    assert tool.origin == "MCP server 'peer'"


async def test_threat_63_a_reference_to_elsewhere_is_not_followed_and_costs_only_its_tool(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = await listed("remote_ref")

    assert [one.name for one in tools] == ["fetch"]
    assert "'bad'" in caplog.text
    assert "points outside" in caplog.text


async def test_tools_that_cannot_be_are_left_out_with_a_warning_each(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = await listed("nameless")

    assert [one.name for one in tools] == ["fetch"]
    assert caplog.text.count("is left out") == 3


async def test_a_huge_schema_costs_only_its_tool(caplog: pytest.LogCaptureFixture) -> None:
    tools = await listed("huge_schema")

    assert [one.name for one in tools] == ["fetch"]
    assert "longer than 65,536 characters" in caplog.text


async def test_names_that_no_model_could_use_are_made_fit_and_stay_different() -> None:
    tools = await listed("odd_names")
    names = [one.name for one in tools]

    assert len(set(names)) == 4
    assert names[2] == "a_b"
    assert [len(name) for name in names[3:]] == [64]


async def test_a_tool_is_called_by_the_name_its_server_knows() -> None:
    toolset = MCPToolset(scripted("odd_names"))
    await toolset.warm_up_async()

    value = await toolset[1].invoke_async(q="x")
    await toolset.close_async()

    assert value.text == 'a/b: {"q": "x"}'


async def test_what_a_server_prints_goes_to_the_log_and_not_to_the_terminal(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO, "podium.tools._mcp.stdio")

    await asked("loud")

    assert capfd.readouterr() == ("", "")
    assert r"log line \x1b[2Jlog line" in caplog.text
    assert "\x1b" not in caplog.text


async def test_a_server_gets_the_environment_that_it_is_given_and_little_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "sk-1")
    toolset = MCPToolset(scripted("environment", env={"MODE": "fast"}))

    await toolset.warm_up_async()
    value = await toolset[0].invoke_async()
    await toolset.close_async()

    assert value.data["MODE"] == "fast"
    assert "OTHER_API_KEY" not in value.data
    assert value.data.keys() <= {
        *("HOME", "LANG", "LC_CTYPE", "LOGNAME", "MODE", "PATH", "PYTHONPATH", "SHELL", "TERM"),
        "USER",
    }
