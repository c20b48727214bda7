"""How much room a model call asks for: enough to answer, and no more than its share."""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from podium.agent.ledger import Account, Amounts, Reservation, Resource, Size

EXPECTED_OUTPUT_TOKENS = 800
"""How long a reply is taken to be before a model has shown it."""
ENOUGH_REPLIES = 20
"""Replies after which a model is known by them."""
REMEMBERED_REPLIES = 200
"""The latest replies, by which a model is known."""
MILLION = 1_000_000


class ReplyLengths:
    """How long one model's replies are: what 19 in 20 of the latest do not exceed."""

    def __init__(self) -> None:
        """Start without having seen a reply."""
        self._latest: deque[int] = deque(maxlen=REMEMBERED_REPLIES)
        self._expected = EXPECTED_OUTPUT_TOKENS

    @property
    def expected(self) -> int:
        """Tokens to expect of the next reply, at least 1."""
        return self._expected

    def add(self, output_tokens: int, *, was_cut: bool = False) -> None:
        """Take note of a reply; one that was cut counts as at least as long as expected."""
        self._latest.append(max(output_tokens, self._expected) if was_cut else output_tokens)
        lengths = sorted(self._latest)
        if len(lengths) >= ENOUGH_REPLIES:
            self._expected = max(1, lengths[math.ceil(len(lengths) * 0.95) - 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNeeds:
    """What is known of a model call before it is made."""

    prompt_tokens: int
    """An upper bound of its prompt."""
    max_output: int | None
    """The most the caller wants or the model can write; None when neither is known."""
    expected_output: int
    """How long a reply is to be expected."""
    min_output: int
    """The least output that is worth a call."""
    prompt_nusd: int | None = None
    """The dearest price of the prompt, in billionths of a dollar; None for a model without one."""
    output_nusd_per_million: int = 0
    """The dearest price of a million output tokens, in billionths of a dollar."""

    def amounts(self, output: int) -> dict[Resource, int]:
        """Return what a call that writes `output` tokens uses."""
        amounts: dict[Resource, int] = {
            "tokens": self.prompt_tokens + output,
            "input_tokens": self.prompt_tokens,
            "output_tokens": output,
            "requests": 1,
        }
        if self.prompt_nusd is not None:
            millionths = output * self.output_nusd_per_million
            amounts["cost_nusd"] = self.prompt_nusd + -(-millionths // MILLION)
        return amounts

    def output_for(self, resource: Resource, amount: int) -> int:
        """Return how much can be written with so much of a resource; below 0 for not even that."""
        if resource == "tokens":
            return amount - self.prompt_tokens
        if resource == "cost_nusd":
            return (amount - (self.prompt_nusd or 0)) * MILLION // self.output_nusd_per_million
        return amount


@dataclass(frozen=True, slots=True)
class _OutputRoom:
    """What one limit leaves for output."""

    left: int
    """What could be written now."""
    later: int
    """What could be written if calls under way used nothing."""
    share: int
    """What each agent at work could write if all had the same."""

    @property
    def is_shared(self) -> bool:
        """Whether calls under way will give some back."""
        return self.later > self.left


def size_call(account: Account, needs: CallNeeds, kept: Amounts | None = None) -> Size:
    """Return how much to reserve for a call as things are now.

    Wanted is all that the call may write, but no more than an equal share for each agent at work,
    or what is expected of a reply if that is more; an agent alone may have all there is. While
    calls under way will give room back, less than the expected is not worth starting with. A call
    for which room was `kept` may have that too, and waits for nobody.
    """
    rooms = list(_output_rooms(account, needs, kept or {}))
    if not rooms:
        amounts = needs.amounts(
            needs.expected_output if needs.max_output is None else needs.max_output
        )
        return Size(amounts, amounts)
    tightest = min(rooms, key=lambda room: room.left)
    later = min(room.later for room in rooms)
    most = sys.maxsize if needs.max_output is None else needs.max_output
    least = min(needs.min_output, most)
    if tightest.is_shared and kept is None:
        least = max(least, min(needs.expected_output, most, later))
    share = max(needs.expected_output, min(room.share for room in rooms))
    wanted = max(least, min(most, share, tightest.left))
    return Size(needs.amounts(wanted), needs.amounts(least))


def output_cap(account: Account, needs: CallNeeds, reservation: Reservation) -> int | None:
    """Return the output limit to send with the call; None when nothing limits its output."""
    is_limited = any(True for _ in _output_rooms(account, needs, {}))
    return reservation.amounts["output_tokens"] if is_limited else None


def _output_rooms(account: Account, needs: CallNeeds, kept: Amounts) -> Iterator[_OutputRoom]:
    limiting: tuple[Resource, ...] = ("tokens", "output_tokens")
    if needs.prompt_nusd is not None and needs.output_nusd_per_million:
        limiting = (*limiting, "cost_nusd")
    for resource in limiting:
        room = account.room(resource)
        if room is not None:
            own = kept.get(resource, 0)
            share = (room.left + room.returning + own) // max(1, room.live)
            yield _OutputRoom(
                left=needs.output_for(resource, room.left + own),
                later=needs.output_for(resource, room.later + own),
                share=needs.output_for(resource, share),
            )
