"""The work that podium and the hand-written loop are given: the same prompts, tools and numbers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

ANSWER = "Here is what was found: the answer is forty-two, as page seven of the handbook says."
"""What every run must end with: a contender that loses a call is told from one that is fast."""

SPECIALISTS = ("historian", "geographer", "chemist", "lawyer")
CALLS_PER_TEAM = 2 + 2 * len(SPECIALISTS)
"""Model calls of one coordinator run: two of its own and two of each specialist."""

AGENT_PROMPT = (
    "You are a careful research assistant. Look things up in the handbook before you answer, one "
    "page at a time, and name the page you took each statement from. Answer in plain sentences."
)
COORDINATOR_PROMPT = (
    "You coordinate specialists. Give each one clear task with everything it needs to know, ask "
    "several at once when their tasks do not depend on each other, then answer from what they say."
)
QUESTION = "What does the handbook say about the answer to the question, and on which page?"
TOOL_DESCRIPTION = "Look a topic up in the handbook and return what one page says about it."


def specialist_description(name: str) -> str:
    """Return what a coordinator reads about a specialist."""
    return f"Knows everything that a {name} knows, and looks it up in the handbook."


def page_text(topic: str, page: int) -> str:
    """Return what a page of the handbook says."""
    return f"Page {page} says about {topic}: nothing that was not known before."


class Handbook:
    """What the tool reads; it notes the CPU time at each call, so that steps can be told apart."""

    def __init__(self) -> None:
        """Start unread."""
        self.read_at: list[float] = []

    async def look_up(self, topic: str, page: int) -> str:
        """Return what a page says."""
        self.read_at.append(time.process_time())
        return page_text(topic, page)

    def look_up_blocking(self, topic: str, page: int) -> str:
        """Return what a page says, from a function that may block."""
        return page_text(topic, page)


@dataclass(frozen=True, slots=True)
class Turn:
    """A step that has been made: what the tool was asked, and what it said."""

    topic: str
    page: int
    result: str


def turns(count: int) -> Sequence[Turn]:
    """Return a history of so many steps, as `steps-N` makes it."""
    return [
        Turn(
            f"part {page} of the question",
            page,
            page_text(f"part {page} of the question", page),
        )
        for page in range(count)
    ]


class Contender(Protocol):
    """One way of doing the work."""

    async def steps(self, size: int, history: Sequence[Turn] = ()) -> str:
        """Answer in `size` steps, of which those in `history` have been made; return the answer."""
        ...

    async def team(self) -> str:
        """Ask four specialists at once and return the coordinator's answer."""
        ...

    async def stream(self, words: int) -> int:
        """Read a streamed answer and return how many pieces came."""
        ...
