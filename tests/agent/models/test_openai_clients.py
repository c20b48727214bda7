"""Clients and event loops: shared, closed with their loop, and gone then."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import Any

import anyio
import httpx2
import pytest

from podium.agent.models import OpenAIChatGenerator
from podium.agent.models._openai import client as _openai_client
from podium.agent.models._openai.client import ClientSettings, clients_here
from podium.agent.secrets import Secret
from podium.agent.testing import FakeOpenAIServer


def settings(http_client_kwargs: dict[str, Any] | None = None) -> ClientSettings:
    return ClientSettings(
        api_key=Secret.from_token("sk-test"),
        base_url="http://127.0.0.1:1/v1",
        organization=None,
        timeout_seconds=30.0,
        http_client_kwargs=http_client_kwargs,
    )


def own_settings() -> ClientSettings:
    return settings({"trust_env": False})


class Owner:
    """Stands for a generator."""


def ignore(chunk: object) -> None:
    """A callback that wants nothing."""


def http_client(client: Any) -> httpx2.AsyncClient:
    found: httpx2.AsyncClient = client._client
    return found


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_one_generator_serves_one_loop_after_the_other(backend: str) -> None:
    with FakeOpenAIServer(["one"], repeat_last=True) as server:
        generator = OpenAIChatGenerator(api_key="sk-test", api_base_url=server.base_url)

        async def ask() -> None:
            await generator.run_async("Hi")
            await generator.run_async("Hi", streaming_callback=ignore)

        anyio.run(ask, backend=backend)
        anyio.run(ask, backend=backend)
        anyio.run(ask, backend=backend)
        gc.collect()  # what was left open would warn now, and a warning is an error

    assert len(server.requests) == 6
    assert not _openai_client._by_loop


def test_a_loop_that_ended_without_a_word_is_forgotten_by_the_next() -> None:
    async def open_client() -> None:
        await (await clients_here()).client_for(Owner(), settings)

    loop = asyncio.new_event_loop()
    loop.run_until_complete(open_client())
    loop.close()
    kept = list(_openai_client._by_loop)
    asyncio.run(open_client())

    assert kept == [loop]
    assert not _openai_client._by_loop


@pytest.mark.anyio
async def test_generators_on_a_loop_share_its_connections() -> None:
    one, other = Owner(), Owner()

    clients = await clients_here()
    first = await clients.client_for(one, settings)
    second = await clients.client_for(other, settings)

    assert await clients_here() is clients
    assert await clients.client_for(one, settings) is first
    assert first is not second
    assert http_client(first) is http_client(second)


@pytest.mark.anyio
async def test_closing_a_generator_leaves_shared_connections_open() -> None:
    owner = Owner()
    clients = await clients_here()
    shared = http_client(await clients.client_for(owner, settings))

    await clients.close_for(owner)

    assert not shared.is_closed


@pytest.mark.anyio
async def test_closing_a_generator_closes_what_is_its_own() -> None:
    owner = Owner()
    clients = await clients_here()
    own = http_client(await clients.client_for(owner, own_settings))
    kept = http_client(await clients.client_for(clients, own_settings))

    await clients.close_for(owner)

    assert own.is_closed
    assert not kept.is_closed


@pytest.mark.anyio
async def test_what_a_dropped_generator_left_open_is_closed_by_the_next() -> None:
    owner: Owner | None = Owner()
    clients = await clients_here()
    left = http_client(await clients.client_for(owner, own_settings))

    owner = None
    gc.collect()
    await clients.client_for(clients, settings)

    assert left.is_closed


@pytest.mark.anyio
async def test_a_generator_can_be_closed_and_used_again() -> None:
    with FakeOpenAIServer(["one", "two"]) as server:
        generator = OpenAIChatGenerator(
            api_key="sk-test", api_base_url=server.base_url, http_client_kwargs={"trust_env": False}
        )
        await generator.run_async("Hi")
        await generator.close_async()
        await generator.run_async("Hi")

    assert len(server.requests) == 2


@pytest.mark.anyio
async def test_who_comes_first_at_a_gate_goes_first() -> None:
    gate = (await clients_here()).gate("http://a", 1)
    went: list[str] = []

    async def go(name: str) -> None:
        async with gate:
            went.append(name)

    async with anyio.create_task_group() as tasks:
        async with gate:
            tasks.start_soon(go, "first")
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(go, "second")
            await anyio.wait_all_tasks_blocked()
            assert went == []

    assert went == ["first", "second"]


@pytest.mark.anyio
async def test_calls_to_one_endpoint_share_a_gate() -> None:
    clients = await clients_here()

    assert clients.gate("http://a", 4) is clients.gate("http://a", 4)
    assert clients.gate("http://a", 4) is not clients.gate("http://a", 5)
    assert clients.gate("http://a", 4) is not clients.gate("http://b", 4)


@pytest.mark.anyio
async def test_the_faster_transport_is_taken_where_it_runs(anyio_backend_name: str) -> None:
    client = http_client(await (await clients_here()).client_for(Owner(), settings))

    transport = type(client._transport).__name__

    assert (
        transport
        == {"asyncio": "AiohttpTransport", "trio": "AsyncHTTPTransport"}[anyio_backend_name]
    )


@pytest.mark.anyio
async def test_without_aiohttp_the_usual_transport_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)

    client = http_client(await (await clients_here()).client_for(Owner(), settings))

    assert type(client._transport).__name__ == "AsyncHTTPTransport"


@pytest.mark.anyio
async def test_the_tls_context_is_made_once() -> None:
    assert _openai_client._tls_context() is _openai_client._tls_context()


def test_the_openai_package_is_loaded_by_the_first_call_only(run_python: Any) -> None:
    program = (
        "import sys\n"
        "from podium.agent.models import OpenAIChatGenerator\n"
        "OpenAIChatGenerator(api_key='sk-test').to_dict\n"
        "print('openai' in sys.modules, 'httpx2' in sys.modules)\n"
    )

    assert run_python("-c", program) == "False False\n"
