"""How much room a model call asks for: enough to answer, and no more than its share."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from podium.agent._ledger_amounts import Resource
from podium.agent._ledger_queue import Size
from podium.agent.ledger import Account, Room

EXPECTED_OUTPUT_TOKENS = 800
"""How long a reply is taken to be before a model has shown it."""
ENOUGH_REPLIES = 20
"""Replies after which a model is known by them."""
REMEMBERED_REPLIES = 200
"""The latest replies, by which a model is known."""
MILLION = 1_000_000


class ReplyLengths:
    """How long one model's replies are: the length that 19 of 20 of its latest do not exceed."""

    def __init__(self) -> None:
        """Start without having seen a reply."""
        self._latest: deque[int] = deque(maxlen=REMEMBERED_REPLIES)
        self._expected = EXPECTED_OUTPUT_TOKENS

    @property
    def expected(self) -> int:
        """Tokens to expect of the next reply."""
        return self._expected

    def add(self, output_tokens: int, *, was_cut: bool = False) -> None:
        """Take note of a reply; one that was cut would have been at least as long as expected."""
        self._latest.append(max(output_tokens, self._expected) if was_cut else output_tokens)
        if len(self._latest) >= ENOUGH_REPLIES:
            lengths = sorted(self._latest)
            self._expected = max(1, lengths[math.ceil(len(lengths) * 0.95) - 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNeeds:
    """What one model call needs, as far as it is known before it is made."""

    prompt_tokens: int
    """An upper bound of its prompt."""
    max_output: int | None
    """The most the caller wants or the model can write; None when neither is known."""
    expected_output: int
    """How long a reply is to be expected."""
    min_output: int
    """The least output that is worth a call."""
    prompt_nusd: int = 0
    """The dearest price of the prompt, in billionths of a dollar."""
    output_nusd_per_million: int = 0
    """The dearest price of a million output tokens, in billionths of a dollar."""

    def amounts(self, output: int) -> dict[Resource, int]:
        """Return what a call that writes `output` tokens uses."""
        return {
            "tokens": self.prompt_tokens + output,
            "input_tokens": self.prompt_tokens,
            "output_tokens": output,
            "cost_nusd": self.prompt_nusd
            + math.ceil(output * self.output_nusd_per_million / MILLION),
            "requests": 1,
        }


def size_call(account: Account, needs: CallNeeds) -> Size:
    """Return how much to reserve for a call, as things are now.

    Wanted is all that the call may write, but of the room that the tightest limit leaves no more
    than an equal share for each agent at work there, or what a reply is expected to need if that
    is more. While calls under way will give room back, less than the expected is not worth
    starting with; when nobody else holds any, `min_output` is.
    """
    rooms = _output_rooms(account, needs)
    if not rooms:
        return _unbounded(needs)
    tightest = min(rooms, key=lambda each: each.left)
    most = tightest.left if needs.max_output is None else min(needs.max_output, tightest.left)
    ...
