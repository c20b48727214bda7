"""A turnstile across threads and event loops: nobody is passed over, and nobody blocks it."""

from __future__ import annotations

import anyio
import pytest

from podium.agent.models._turnstile import Turnstile

pytestmark = pytest.mark.anyio


async def pass_through(turnstile: Turnstile, number: int, passed: list[int]) -> None:
    async with turnstile:
        passed.append(number)


async def test_all_pass_in_the_order_they_came() -> None:
    turnstile, passed = Turnstile(), list[int]()

    async with anyio.create_task_group() as group:
        async with turnstile:
            for number in range(5):
                group.start_soon(pass_through, turnstile, number, passed)
                await anyio.wait_all_tasks_blocked()

    assert passed == [0, 1, 2, 3, 4]


async def test_one_that_is_cancelled_just_when_its_turn_comes_hands_it_on() -> None:
    turnstile, passed = Turnstile(), list[int]()

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            async with turnstile:
                with anyio.CancelScope() as scope:
                    async with anyio.create_task_group() as inner:
                        inner.start_soon(pass_through, turnstile, 1, passed)
                        await anyio.wait_all_tasks_blocked()
                        group.start_soon(pass_through, turnstile, 2, passed)
                        await anyio.wait_all_tasks_blocked()
                        await turnstile.__aexit__()  # number 1 is called, and does not know it yet
                        scope.cancel()
                await turnstile.__aenter__()

    assert passed == [2]


def test_a_place_whose_loop_has_ended_is_passed_over() -> None:
    turnstile, passed = Turnstile(), list[int]()

    async def leave_without_a_word() -> None:
        waiting = turnstile.__aenter__()  # stays suspended when its loop ends
        abandoned.append(waiting)
        waiting.send(None)

    async def hold() -> None:
        async with turnstile:
            await anyio.to_thread.run_sync(anyio.run, leave_without_a_word)
        await pass_through(turnstile, 2, passed)

    abandoned: list[object] = []
    anyio.run(hold)

    assert passed == [2]
