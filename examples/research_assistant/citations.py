"""Citations in an answer: each is looked up in the index, and what has none is marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from research_assistant.index import Index, Passage
from research_assistant.words import stems

UNKNOWN = "*(not in the corpus)*"
UNSOURCED = "*(no source)*"
MIN_CLAIM_WORDS = 4
"""Shorter pieces, such as "In short:", claim nothing."""

_CITATION = re.compile(r"\[([^\[\]]*§[^\[\]]*)\]")
_BLOCK_START = re.compile(r"\s*(?:[-*+]|\d+[.)])\s|\s*$")
_CLAIMS_NOTHING = re.compile(r"\s*(?:#|>|\|)|.*:\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer whose citations have been looked up."""

    text: str
    """The answer, with a mark after each unknown source and each claim without one."""
    sources: tuple[Passage, ...]
    """For each citation the passage that fits its claim best, each once, in order."""
    unknown: tuple[str, ...]
    """Sources that are not in the index."""
    unsourced: int
    """How many pieces of the answer name no source."""


def check_answer(answer: str, index: Index) -> CheckedAnswer:
    """Look up every citation of `answer`.

    A citation covers what stands before it in its paragraph or list item.
    """
    sources: dict[int, Passage] = {}
    unknown: dict[str, None] = {}
    unsourced = 0
    blocks: list[str] = []
    for block in _blocks(answer):
        covered = 0
        for found in _CITATION.finditer(block):
            claim, covered = stems(block[covered : found.start()]), found.end()
            for passages in _meant(found[1], index):
                if passages:
                    best = max(passages, key=partial(_shared, claim))
                    sources.setdefault(best.id, best)
                else:
                    unknown[found[0]] = None
        is_unsourced = _claims_something(block[covered:])
        unsourced += is_unsourced
        blocks.append(f"{block.rstrip()} {UNSOURCED}" if is_unsourced else block)
    text = "\n".join(blocks)
    for citation in unknown:
        text = text.replace(citation, f"{citation} {UNKNOWN}")
    return CheckedAnswer(text, tuple(sources.values()), tuple(unknown), unsourced)


def _blocks(answer: str) -> Iterator[str]:
    """Yield paragraphs, list items and fenced code, which joined by newlines give `answer`."""
    block: list[str] = []
    fenced = False
    for line in answer.split("\n"):
        is_fence = line.lstrip().startswith("```")
        if block and not fenced and (is_fence or _BLOCK_START.match(line)):
            yield "\n".join(block)
            block = []
        block.append(line)
        if is_fence:
            fenced = not fenced
    yield "\n".join(block)


def _meant(inner: str, index: Index) -> list[list[Passage]]:
    """Return the passages of each source in `file § heading; file § heading`."""
    whole = _under(inner, index)
    return [whole] if whole else [_under(part, index) for part in inner.split(";")]


def _under(source: str, index: Index) -> list[Passage]:
    file, _, heading = source.partition("§")
    return index.under(file.strip(), heading.strip())


def _shared(claim: set[str], passage: Passage) -> int:
    return len(claim & stems(passage.text))


def _claims_something(text: str) -> bool:
    """Return whether `text` is prose that states something."""
    is_prose = not _CLAIMS_NOTHING.match(text) and "```" not in text
    return is_prose and len(re.findall(r"\w+", text)) >= MIN_CLAIM_WORDS
