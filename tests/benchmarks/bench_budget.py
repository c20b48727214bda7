"""What a budget holds, what of it is put to use, and what it costs, with 1 to 256 specialists."""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from podium.agent import Agent, Budget, ChatMessage
from podium.agent.ledger import Account, Amounts, Reservation
from podium.agent.models._estimate import estimate_prompt_tokens
from podium.agent.testing import call, calls
from podium.orchestration import AgentTool, Coordinator
from podium.tools import Tool

LIMIT = 2_000
SIZES = (1, 2, 8, 32, 128, 256)
BUSY = 32
"""Specialists from which on there is more to do than the limit allows."""
ALLOTMENTS: Mapping[str, Budget | None] = {
    "shared": None,
    "capped": Budget(total_tokens=500),
    "granted": Budget.grant(total_tokens=500),
    "fraction": Budget.fraction(0.25),
    "fair": Budget.fair(),
}
SENTENCE = "The report names the cause, the cost and what is to be done about it next. "
REPLY_TOKENS = 160
ESTIMATE = 1.35
"""Times the true count that the estimate is, for English."""


class Truthful:
    """A model that counts what it is sent, writes no more than it may, and says what it used."""

    model = "truthful"
    output_cap_is_hard = True

    def __init__(self, plan: ChatMessage | None = None, *, seconds: float = 0.0) -> None:
        """Answer each call after so many seconds, the first one with the plan."""
        self.spent = 0
        self._plan, self._seconds = plan, seconds

    def with_output_cap(self, kwargs: Mapping[str, Any] | None, cap: int) -> Mapping[str, Any]:
        """Return the parameters with the limit."""
        return {**(kwargs or {}), "max_tokens": cap}

    async def run_async(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Tool] = (),
        generation_kwargs: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the plan, once, or some sentences."""
        await asyncio.sleep(self._seconds)
        plan, self._plan = (self._plan, None) if tools else (None, self._plan)
        wanted = REPLY_TOKENS if plan is None else 20
        written = min(wanted, (generation_kwargs or {}).get("max_tokens", wanted))
        prompt = int(estimate_prompt_tokens(list(messages), list(tools)) / ESTIMATE)
        self.spent += prompt + written
        usage = {"prompt_tokens": prompt, "completion_tokens": written}
        meta = {"usage": usage, "finish_reason": "length" if written < wanted else "stop"}
        text = None if plan is not None else SENTENCE * (written // 16)
        asked = plan.tool_calls if plan is not None else None
        return {"replies": [ChatMessage.from_assistant(text, tool_calls=asked, meta=meta)]}


async def run(
    count: int, budget: Budget | None, allotment: Budget | None = None, *, seconds: float = 0.0
) -> int:
    """Have a coordinator ask so many specialists at once; return the tokens that were used."""
    asks = calls(*(call("worker", task=f"Find part {n} of the answer.") for n in range(count)))
    lead, worker = Truthful(asks, seconds=seconds), Truthful(seconds=seconds)
    specialist = Agent(chat_generator=worker, name="worker", description="Finds a part.")
    coordinator = Coordinator(
        chat_generator=lead,
        specialists=[AgentTool(specialist, budget=allotment, max_calls=count)],
        tool_concurrency_limit=max(4, count),
        budget=budget,
    )
    await coordinator.run_async("What is the answer, part by part?")
    return lead.spent + worker.spent


async def held() -> dict[str, float]:
    """Measure what is spent of the limit at most, and at least where there is enough to do."""
    figures: dict[str, float] = {}
    for name, allotment in ALLOTMENTS.items():
        parts = {
            count: await run(count, Budget(total_tokens=LIMIT), allotment) / LIMIT
            for count in SIZES
        }
        figures[f"spent {name}"] = max(parts.values())
        figures[f"unused {name}"] = 1 - min(parts[count] for count in SIZES if count >= BUSY)
    return figures


def ledger_seconds(depth: int = 6, calls_made: int = 2_000) -> float:
    """Measure the CPU seconds that reserving and settling one call takes, so deep in a tree."""
    account = Account.root("root", {"tokens": 10**9, "requests": 10**6})
    for level in range(depth):
        child = account.open_child(f"root/{level}")
        assert isinstance(child, Account)
        account = child
    most: Amounts = {"tokens": 1_000, "input_tokens": 400, "output_tokens": 600, "requests": 1}
    least: Amounts = {**most, "tokens": 600}
    used: Amounts = {**most, "tokens": 700, "output_tokens": 300}
    gc.collect()
    started = time.process_time()
    for _ in range(calls_made):
        reservation = account.reserve(most, least)
        assert isinstance(reservation, Reservation)
        reservation.settle(used)
    return (time.process_time() - started) / calls_made


async def costs(rounds: int = 15) -> dict[str, float]:
    """Measure a team of eight with ample room against the same without a budget, in turns.

    The CPU with a model that answers at once, and the time that passes with one that takes 50 ms.
    """
    ample = Budget(total_tokens=10**7)
    shares: list[float] = []
    walls: list[float] = []
    for _ in range(rounds):
        free, paid = [await _cpu_seconds(budget) for budget in (None, ample)]
        shares.append(1 - free / paid)
        free, paid = [await _wall_seconds(budget) for budget in (None, ample)]
        walls.append(paid / free)
    return {"share": statistics.median(shares[1:]), "wall": statistics.median(walls[1:])}


async def _cpu_seconds(budget: Budget | None) -> float:
    gc.collect()
    started = time.process_time()
    for _ in range(5):
        await run(8, budget)
    return time.process_time() - started


async def _wall_seconds(budget: Budget | None) -> float:
    started = time.perf_counter()
    await run(8, budget, seconds=0.05)
    return time.perf_counter() - started


async def _measure() -> dict[str, float]:
    ledger = min(ledger_seconds() for _ in range(10))
    return {**await held(), **await costs(), "ledger": ledger}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure())))
