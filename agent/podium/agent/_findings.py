"""What a run has found: the results of its tools, and as much of them as there is room for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from podium.agent.messages import ChatMessage

LEAST_CHARS = 300
"""Less of a result than this would say nothing."""
LONG_WORD_CHARS = 40
"""What is longer is no word to keep whole."""


def findings_in(messages: Iterable[ChatMessage]) -> list[str]:
    """Return the texts of the tool results that are no errors, oldest first, each once."""
    texts = (
        result.text
        for message in messages
        for result in message.tool_call_results
        if not result.error
    )
    return list(dict.fromkeys(text for text in texts if text and not text.isspace()))


def excerpt(findings: Sequence[str], most: int) -> str:
    """Return how each of the findings begins, in about `most` characters in all.

    Each has the same room, and what short ones leave goes to the others. Where that would be too
    little to say anything, the oldest are left out.
    """
    shown = list(findings[-max(1, most // LEAST_CHARS) :])
    shortest_first = sorted(range(len(shown)), key=lambda place: len(shown[place]))
    left = most
    for done, place in enumerate(shortest_first):
        share = left // (len(shown) - done)
        left -= min(len(shown[place]), share)
        shown[place] = beginning(shown[place], share)
    return "\n\n".join(shown)


def beginning(text: str, most: int) -> str:
    """Return the first `most` characters of a text, cut after a whole word where one ends near."""
    if len(text) <= most:
        return text
    cut = text[:most]
    whole = cut.rsplit(maxsplit=1)[0] if cut.strip() else ""
    return f"{whole if len(cut) - len(whole) < LONG_WORD_CHARS else cut} …"
