"""Waiting for room: first come, first served, and nobody waits for what cannot come."""

from __future__ import annotations

import threading
from typing import Any, Self

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from ledger_accounts import child_of, denied, granted, held, root_with, take, tokens

from podium.agent.ledger import Account, Denied, Granted, Reservation, Resource, Size, Sizing

pytestmark = pytest.mark.anyio


def exactly(count: int, resource: Resource = "tokens") -> Sizing:
    return lambda: Size({resource: count}, {resource: count})


class Waiting:
    """Calls that ask for room in tasks of their own, and what came of each, in order."""

    def __init__(self) -> None:
        self.group = anyio.create_task_group()
        self.done: dict[str, Reservation | Denied] = {}

    async def __aenter__(self) -> Self:
        await self.group.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        """Wait until every call has its answer."""
        await self.group.__aexit__(*error)

    async def ask(self, name: str, account: Account, sizing: Sizing) -> anyio.CancelScope:
        """Start a call and return when it has its answer or waits."""
        scope = anyio.CancelScope()

        async def call() -> None:
            with scope:
                self.done[name] = await account.reserve_waiting(sizing)

        self.group.start_soon(call)
        await anyio.wait_all_tasks_blocked()
        return scope

    async def settled_down(self) -> list[str]:
        """Return who has an answer, first answered first, once nothing moves any more."""
        await anyio.lowlevel.checkpoint()
        await anyio.wait_all_tasks_blocked()
        return list(self.done)


async def test_a_call_that_fits_does_not_wait() -> None:
    root = root_with(1_000)

    call = root.reserve_waiting(exactly(1_000))

    with pytest.raises(StopIteration) as ended:
        call.send(None)
    assert held(ended.value.value).amounts == {"tokens": 1_000}


async def test_a_call_that_never_fits_is_denied_at_once() -> None:
    root = root_with(1_000)
    take(root, 500)

    outcome = await root.reserve_waiting(exactly(1_001))

    assert not denied(outcome).could_fit_later


async def test_a_call_waits_until_room_comes_back() -> None:
    root = root_with(1_000)
    first = take(root, 800)

    async with Waiting() as calls:
        await calls.ask("second", child_of(root), exactly(500))
        assert tokens(root) == (0, 800, 200)
        first.settle({"tokens": 300})

    assert held(calls.done["second"]).amounts == {"tokens": 500}
    assert tokens(root) == (300, 500, 200)


async def test_a_call_is_denied_when_what_came_back_is_not_enough() -> None:
    root = root_with(1_000)
    first = take(root, 800)

    async with Waiting() as calls:
        await calls.ask("second", root, exactly(500))
        first.settle({"tokens": 600})

    assert (denied(calls.done["second"]).spent, root.held("tokens")) == (600, 0)


async def test_a_small_call_does_not_overtake_a_large_one_that_waits() -> None:
    root = root_with(1_000)
    first, second = take(root, 700), take(root, 100)

    async with Waiting() as calls:
        await calls.ask("large", child_of(root, name="a"), exactly(900))
        await calls.ask("small", child_of(root, name="b"), exactly(100))
        second.cancel()
        at_once = root.reserve({"tokens": 100})
        assert calls.done == {}
        first.cancel()

    assert held(calls.done["large"]).key < held(calls.done["small"]).key
    assert denied(at_once).could_fit_later


async def test_a_call_that_other_limits_concern_passes_those_that_wait() -> None:
    root = root_with(1_000)
    team = child_of(root, Granted({"tokens": 100}), "team")
    first = take(team, 100)

    async with Waiting() as calls:
        await calls.ask("in the team", team, exactly(50))
        await calls.ask("beside it", child_of(root, name="b"), exactly(900))
        assert await calls.settled_down() == ["beside it"]
        await calls.ask("a tool call", team, exactly(1, "tool_calls"))
        assert await calls.settled_down() == ["beside it", "a tool call"]
        first.cancel()

    assert isinstance(calls.done["in the team"], Reservation)


async def test_how_much_to_ask_for_is_decided_when_the_turn_comes() -> None:
    root = root_with(1_000)
    first = take(root, 900)

    def all_that_is_left() -> Size:
        return Size({"tokens": max(200, root.available("tokens") or 0)}, {"tokens": 200})

    async with Waiting() as calls:
        await calls.ask("second", root, all_that_is_left)
        first.settle({"tokens": 100})

    assert held(calls.done["second"]).amounts == {"tokens": 900}


async def test_a_call_cancelled_while_it_waits_leaves_no_trace() -> None:
    root = root_with(1_000)
    first = take(root, 900)

    async with Waiting() as calls:
        large = await calls.ask("large", root, exactly(500))
        await calls.ask("small", root, exactly(50))
        large.cancel()
        assert await calls.settled_down() == ["small"]
        first.cancel()

    assert tokens(root) == (0, 50, 950)


async def test_a_call_cancelled_while_it_waits_holds_up_nobody_who_comes_later() -> None:
    root = root_with(1_000)
    take(root, 900)

    async with Waiting() as calls:
        only = await calls.ask("only", root, exactly(500))
        only.cancel()

    assert take(root, 100).is_open


async def test_a_call_cancelled_just_when_it_got_its_room_gives_it_back() -> None:
    root = root_with(1_000)
    first = take(root, 900)

    async with Waiting() as calls:
        second = await calls.ask("second", root, exactly(500))
        first.cancel()
        second.cancel()

    assert calls.done == {}
    assert tokens(root) == (0, 0, 1_000)


async def test_room_that_a_worker_thread_gives_back_wakes_the_waiting() -> None:
    root = root_with(1_000)
    first = take(root, 900)

    async with Waiting() as calls:
        await calls.ask("second", root, exactly(500))
        await anyio.to_thread.run_sync(first.cancel)

    assert isinstance(calls.done["second"], Reservation)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
async def test_room_reaches_a_call_that_waits_on_another_event_loop(backend: str) -> None:
    root = root_with(1_000)
    first = take(root, 900)
    outcomes = list[Reservation | Denied]()
    started = threading.Event()

    async def wait_there() -> None:
        async with Waiting() as calls:
            await calls.ask("there", root, exactly(500))
            started.set()
        outcomes.extend(calls.done.values())

    def run_there() -> None:
        anyio.run(wait_there, backend=backend)

    async with anyio.create_task_group() as group:
        group.start_soon(anyio.to_thread.run_sync, run_there)
        await anyio.to_thread.run_sync(started.wait)
        first.cancel()

    assert [held(each).amounts for each in outcomes] == [{"tokens": 500}]


async def test_a_call_waits_for_a_grant_to_come_back() -> None:
    root = root_with(1_000)
    other = child_of(root, granted(900))

    async with Waiting() as calls:
        await calls.ask("second", root, exactly(500))
        take(other, 900).settle({"tokens": 100})
        assert await calls.settled_down() == []
        other.close()

    assert isinstance(calls.done["second"], Reservation)


async def test_nobody_waits_for_what_is_kept_for_the_answer_of_an_agent_above() -> None:
    root = root_with(1_000)
    root.set_aside({"tokens": 300})

    outcome = await child_of(root).reserve_waiting(exactly(800))

    assert not denied(outcome).could_fit_later


async def test_agents_with_grants_do_not_wait_for_each_others_end() -> None:
    """Each would need what the other was granted: one of them must be told so."""
    root = Account.root("root", {"tokens": 100, "requests": 10})
    one = child_of(root, Granted({"tokens": 100}), "one")
    two = child_of(root, Granted({"requests": 10}), "two")

    outcomes = [
        await one.reserve_waiting(exactly(1, "requests")),
        await two.reserve_waiting(exactly(1, "tokens")),
    ]

    assert [denied(each).could_fit_later for each in outcomes] == [False, False]


async def test_agents_that_keep_an_answer_do_not_wait_for_each_others_end() -> None:
    root = root_with(1_000)
    one, two = child_of(root, name="one"), child_of(root, name="two")
    one.set_aside({"tokens": 400})
    two.set_aside({"tokens": 400})

    outcomes = [await each.reserve_waiting(exactly(300)) for each in (one, two)]

    assert [denied(each).could_fit_later for each in outcomes] == [False, False]


async def test_an_agent_with_a_grant_is_not_held_up_by_one_that_waits_for_its_end() -> None:
    root = Account.root("root", {"tokens": 1_000, "requests": 1})
    granted_tokens = child_of(root, granted(900), "granted")

    async with Waiting() as calls:
        busy = held(root.reserve({"requests": 1}))
        await calls.ask("waits for both", root, lambda: Size({"tokens": 500, "requests": 1}, {}))
        await calls.ask("inside", granted_tokens, exactly(1, "requests"))
        busy.cancel()
        assert await calls.settled_down() == ["inside"]
        held(calls.done["inside"]).cancel()
        granted_tokens.close()

    assert isinstance(calls.done["waits for both"], Reservation)


async def test_lowering_a_limit_tells_those_that_can_wait_no_longer() -> None:
    root = root_with(1_000)
    first = take(root, 900)

    async with Waiting() as calls:
        await calls.ask("second", root, exactly(500))
        root.lower_limits({"tokens": 400})

    assert denied(calls.done["second"]).limit == 400
    first.cancel()


async def test_the_last_call_overtakes_those_that_wait() -> None:
    root = root_with(1_000)
    root.set_aside({"tokens": 100})
    first = take(root, 900)

    async with Waiting() as calls:
        await calls.ask("second", child_of(root), exactly(500))
        last = held(root.reserve({"tokens": 100}, from_reserve=True))
        assert last.amounts == {"tokens": 100}
        first.cancel()

    assert isinstance(calls.done["second"], Reservation)
