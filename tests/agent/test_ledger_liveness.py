"""I14: whatever the order in which agents run, every call that waits gets an answer.

Agents of random teams make calls, some of which lie or are cancelled, and start others with
grants, answer reserves and limits of their own. A fifth of `PODIUM_LEDGER_EXAMPLES`
says how many teams.
"""

from __future__ import annotations

import random
from functools import partial

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_truth import COUNTED, EXAMPLES, portions

from podium.agent.ledger import (
    Account,
    Allotment,
    Denied,
    Fair,
    Fraction,
    Granted,
    Reservation,
    Resource,
    Shared,
    Size,
)


class Team:
    """Agents that work at random, but the same for the same seed."""

    def __init__(self, seed: int, limits: dict[Resource, int]) -> None:
        self.chance = random.Random(seed)
        self.root = Account.root("root", limits)
        self.answers = 0

    async def run(self) -> None:
        with anyio.fail_after(60):
            await self.agent(self.root, 0)

    async def agent(self, account: Account, depth: int) -> None:
        if self.chance.random() < 0.3:
            account.set_aside({"tokens": self.chance.randrange(100)})
        try:
            for _ in range(self.chance.randrange(1, 4)):
                await self.call(account)
                if depth < 3 and self.chance.random() < 0.5:
                    await self.delegate(account, depth)
        finally:
            account.close()

    async def delegate(self, account: Account, depth: int) -> None:
        count = self.chance.randrange(1, 4)
        async with anyio.create_task_group() as group:
            for index in range(count):
                child = account.open_child(f"{account.path}/{index}", self.allotment(index, count))
                if isinstance(child, Account):
                    group.start_soon(self.agent, child, depth + 1)
            if self.chance.random() < 0.1:
                await self.pause()
                group.cancel_scope.cancel()

    def allotment(self, index: int, count: int) -> Allotment:
        some: dict[Resource, int] = {
            name: self.chance.randrange(200) for name in COUNTED if self.chance.random() < 0.4
        }
        kinds: list[Allotment] = [
            Shared(),
            Shared(some),
            Granted(some),
            Fraction(0.3),
            Fair(index, count),
        ]
        return self.chance.choice(kinds)

    async def call(self, account: Account) -> None:
        outcome = await account.reserve_waiting(partial(self.size, self.chance.randrange(150)))
        self.answers += 1
        if isinstance(outcome, Denied):
            assert not outcome.could_fit_later
            return
        await self.finish(outcome)

    def size(self, least: int) -> Size:
        return Size({"tokens": least + 100, "requests": 1, "cost_nusd": 5}, {"tokens": least})

    async def finish(self, reservation: Reservation) -> None:
        try:
            await self.pause()
        except BaseException:
            reservation.settle(None)
            raise
        reserved = reservation.amounts["tokens"]
        used = self.chance.choice(
            [0, reserved // 2, reserved, reserved + self.chance.choice([0, 9])]
        )
        reservation.settle({**reservation.amounts, "tokens": used})

    async def pause(self) -> None:
        for _ in range(self.chance.randrange(4)):
            await anyio.lowlevel.checkpoint()


teams = st.builds(
    Team,
    st.integers(0, 2**32),
    st.dictionaries(st.sampled_from(COUNTED), st.integers(1, 600), min_size=1),
)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("examples", portions(EXAMPLES // 5))
def test_every_call_that_waits_gets_an_answer(examples: int, backend: str) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(team=teams)
    def try_teams(team: Team) -> None:
        anyio.run(team.run, backend=backend)

        assert team.answers >= 1
        assert not any(team.root.held(name) for name in COUNTED)
        assert all(team.root.over_limit(name) <= team.root.overdraft(name) for name in COUNTED)

    try_teams()
