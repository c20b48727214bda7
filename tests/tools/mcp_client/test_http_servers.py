"""Servers at an address: credentials that stay there, answers of every kind, restarts."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_peers.http_server import scripted_http
from mcp_peers.watching import eventually, held, ticking

from podium.agent import Secret
from podium.tools import (
    MCPConnectionError,
    MCPInvocationError,
    MCPToolset,
    SSEServerInfo,
    StreamableHttpServerInfo,
)
from podium.tools._mcp.servers import ServerInfo

pytestmark = pytest.mark.anyio

asyncio_only = pytest.mark.parametrize("anyio_backend", ["asyncio"])
SUPPORT = Path(__file__).parents[2] / "support"


def toolset_at(url: str, *, invocation_timeout: float = 20.0, **options: Any) -> MCPToolset:
    server = StreamableHttpServerInfo(url, name="web", base_delay=0.01, **options)
    return MCPToolset(server, invocation_timeout=invocation_timeout)


@contextmanager
def honest_at(kind: str, port: int) -> Generator[None]:
    """Run the honest server as a process, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mcp_peers.honest_server", kind, str(port)],
        env={"PYTHONPATH": str(SUPPORT)},
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        yield
    finally:
        process.kill()
        process.wait()


def wait_for(port: int) -> None:
    """Return when something listens there."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with socket.socket() as attempt:
            attempt.settimeout(1)
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@pytest.mark.parametrize("kind", ["http", "sse"])
async def test_a_real_server_is_listed_called_killed_and_started_again(kind: str) -> None:
    port = free_port()
    servers: dict[str, ServerInfo] = {
        "http": StreamableHttpServerInfo(f"http://127.0.0.1:{port}/mcp", name="web"),
        "sse": SSEServerInfo(f"http://127.0.0.1:{port}/sse", name="web"),
    }
    toolset = MCPToolset(servers[kind], tool_names=["add", "wait"])
    lost: list[str] = []

    async def call_in_vain() -> None:
        with pytest.raises(MCPInvocationError) as caught:
            await toolset[1].invoke_async(seconds=30)
        lost.append(str(caught.value))

    with anyio.fail_after(60):
        with honest_at(kind, port):
            await toolset.warm_up_async()
            first = await toolset[0].invoke_async(a=1, b=2)
            calling = anyio.create_task_group()
            await calling.__aenter__()
            calling.start_soon(call_in_vain)
            await anyio.sleep(0.3)
        await calling.__aexit__(None, None, None)
        with honest_at(kind, port):
            second = await toolset[0].invoke_async(a=2, b=2)
        await toolset.close_async()

    assert (str(first), str(second)) == ("3", "4")
    assert "lost" in lost[0]


@asyncio_only
@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("honest", 'fetch: {"q": "hi"}'),
        ("packed", "its content-encoding is 'gzip', not identity"),
        ("huge_result", "it is longer than 8,388,608 bytes"),
        ("huge_event", "SSE stream ended without a response"),
        ("nested", "it has more than 20,000 objects and arrays"),
        ("no_answer_in_stream", "SSE stream ended without a response"),
        ("a_page", "Unexpected content type: text/html"),
        ("broken", "It answered HTTP 500 Internal Server Error"),
        ("hangs_up", "The connection was lost: Server disconnected"),
        ("unauthorized_later", "It refused the credentials with HTTP 401 Unauthorized"),
        ("misfit", "'v' should be an integer"),
        ("pattern", "aaaa"),
    ],
)
async def test_whatever_it_answers_a_call_has_one_result_and_the_loop_is_free(
    behaviour: str, told: str
) -> None:
    with scripted_http(behaviour) as server:
        toolset = toolset_at(server.url, token="tok-SENTINEL-9")
        async with ticking() as ticker:
            await toolset.warm_up_async()
            said = await said_by(toolset)
            await toolset.close_async()

    assert told in said
    assert "SENTINEL" not in said
    assert ticker.busy < 0.05
    assert ticker.late < 2.0


async def said_by(toolset: MCPToolset) -> str:
    """Return what a call of its tool gives a model."""
    try:
        return str(await toolset[0].invoke_async(q="hi"))
    except MCPInvocationError as error:
        return str(error)


@asyncio_only
async def test_a_silent_server_is_given_up_after_the_timeout() -> None:
    with scripted_http("silent") as server:
        toolset = toolset_at(server.url, invocation_timeout=0.3)
        await toolset.warm_up_async()

        said = await said_by(toolset)
        await toolset.close_async()

    assert "did not answer 'fetch' within its timeout of 0.3 seconds" in said


async def test_a_call_that_surely_was_not_done_is_sent_again_in_a_new_session() -> None:
    with scripted_http("forgets_once") as server:
        toolset = toolset_at(server.url)
        await toolset.warm_up_async()

        said = await said_by(toolset)
        await toolset.close_async()

    assert said == 'fetch: {"q": "hi"}'
    assert server.methods.count("initialize") == 2
    assert server.methods.count("tools/call") == 2


async def test_a_call_that_may_have_been_done_is_not_sent_again() -> None:
    with scripted_http("hangs_up") as server:
        toolset = toolset_at(server.url)
        await toolset.warm_up_async()

        await said_by(toolset)
        await toolset.close_async()

    assert server.methods.count("tools/call") == 1


async def test_wrong_credentials_are_told_at_once_and_are_not_in_the_error() -> None:
    with scripted_http("unauthorized") as server:
        toolset = toolset_at(server.url, token=Secret.from_token("tok-SENTINEL-9"))

        with pytest.raises(MCPConnectionError, match="refused the credentials with HTTP 401") as no:
            await toolset.warm_up_async()
        await toolset.close_async()

    assert (
        "SENTINEL" not in f"{no.value!r}{no.value.__cause__!r}{no.value.__context__!r}{toolset!r}"
    )


@pytest.mark.parametrize("behaviour", ["redirects", "redirects_later"])
async def test_threat_74_a_token_does_not_follow_a_redirect_to_another_origin(
    behaviour: str,
) -> None:
    with scripted_http("honest") as elsewhere:
        with scripted_http(behaviour, elsewhere.url) as server:
            toolset = toolset_at(server.url, token="tok-SENTINEL-9", headers={"X-Team": "desk"})

            with pytest.raises((MCPConnectionError, MCPInvocationError), match="not followed"):
                await toolset.warm_up_async()
                await toolset[0].invoke_async(q="hi")
            await toolset.close_async()

    assert elsewhere.requests == []


async def test_headers_and_token_are_sent_to_the_server_they_are_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DESK_TOKEN", "t-1")
    with scripted_http("honest") as server:
        toolset = toolset_at(
            server.url, token=Secret.from_env_var("DESK_TOKEN"), headers={"X-Team": "desk"}
        )
        await toolset.warm_up_async()
        await toolset.close_async()

    sent = dict(server.requests)["tools/list"]
    assert (sent["authorization"], sent["x-team"]) == ("Bearer t-1", "desk")


async def test_a_header_wins_over_the_token() -> None:
    server = StreamableHttpServerInfo(
        "http://127.0.0.1:1/", token="a", headers={"authorization": "Basic b"}
    )

    assert server.resolved_headers() == {"authorization": "Basic b"}


async def test_a_secret_that_is_not_set_is_named_before_anything_is_sent() -> None:
    with scripted_http("honest") as server:
        toolset = toolset_at(server.url, token=Secret.from_env_var("NOT_SET_ANYWHERE"))

        with pytest.raises(MCPConnectionError, match="NOT_SET_ANYWHERE"):
            await toolset.warm_up_async()
        await toolset.close_async()

    assert server.requests == []


async def test_a_secret_that_no_header_can_hold_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TORN", "SENTINEL\nX-Evil: 1")
    toolset = toolset_at("http://127.0.0.1:1/mcp", token=Secret.from_env_var("TORN"))

    with pytest.raises(MCPConnectionError, match="'Authorization' cannot be sent") as caught:
        await toolset.warm_up_async()
    await toolset.close_async()

    assert "SENTINEL" not in str(caught.value)


async def test_a_server_that_is_not_there_is_named() -> None:
    toolset = toolset_at(f"http://127.0.0.1:{free_port()}/mcp")

    with pytest.raises(MCPConnectionError, match="MCP server 'web' cannot be used: It cannot be"):
        await toolset.warm_up_async()
    await toolset.close_async()


async def test_after_close_no_socket_or_thread_is_left() -> None:
    with scripted_http("honest") as server:
        toolset = toolset_at(server.url)
        before = held()
        await toolset.warm_up_async()
        await toolset[0].invoke_async(q="x")
        during = held()

        await toolset.close_async()
        await eventually(lambda: not held().descriptors & (during.descriptors - before.descriptors))

    assert held().threads == before.threads
