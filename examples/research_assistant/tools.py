"""What the specialists can do: search the index, read a document, look for a claim's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from podium.tools import Tool, tool
from research_assistant.index import Index, Passage
from research_assistant.words import content_words, sentences, stems

MAX_RESULTS = 8
MAX_RESULT_CHARS = 8_000
"""A result goes into the prompt of every later step, so no tool returns more than this."""
MAX_FINDINGS = 5
MAX_QUOTE_CHARS = 600
MAX_MISSING = 12
"""Words and headings named where not all can be."""

# What a document says about sources must not be taken for a source of ours.
_LOOKS_LIKE_SOURCE = re.compile(r"\[([^\[\]\n]*§[^\[\]\n]*)\]")


@dataclass(frozen=True, slots=True)
class ResearchTools:
    """The tools over one index."""

    search: Tool
    read: Tool
    check: Tool


def build_tools(index: Index) -> ResearchTools:
    """Return the tools that search, read and check against `index`."""

    @tool
    def search_corpus(
        query: Annotated[str, "the words to look for; rare and exact words find more"],
        limit: Annotated[int, "how many passages to return, from 1 to 8"] = 4,
    ) -> str:
        """Search all documents and return the passages that match best, each with its source."""
        passages = index.search(query, min(max(limit, 1), MAX_RESULTS))
        if not passages:
            return f"No passage holds a word of {query[:200]!r}. Search again with other words."
        return _bounded(passages)

    @tool
    def read_document(
        file: Annotated[str, "the document, as named before the § of a source"],
        heading: Annotated[str, "the heading, as named after the §; empty: from the start"] = "",
    ) -> str:
        """Read a section of a document in full, with the passages just before and after it."""
        return _bounded(index.read(file, heading or None))

    @tool
    def check_claim(
        claim: Annotated[str, "one statement, in a sentence that stands by itself"],
    ) -> str:
        """Check a claim: find the sentences that may support or contradict it, with sources."""
        findings = [_compare(claim, passage) for passage in index.search(claim, MAX_RESULTS)]
        findings.sort(key=lambda finding: -finding.overlap)
        if not findings:
            return f"No passage holds a word of {claim[:200]!r}. Nothing here supports it."
        return "\n\n".join([*(finding.text for finding in findings[:MAX_FINDINGS]), _CAUTION])

    return ResearchTools(search=search_corpus, read=read_document, check=check_claim)


_CAUTION = (
    "[Shared words show where to look, not what is true: "
    "compare numbers, conditions and negations.]"
)


@dataclass(frozen=True, slots=True)
class _Finding:
    overlap: float
    text: str


def _compare(claim: str, passage: Passage) -> _Finding:
    """Return the sentence of `passage` that shares most words with `claim`."""
    wanted = stems(claim)
    sentence = max(sentences(passage.text), key=lambda text: len(wanted & stems(text)))
    shared = wanted & stems(f"{passage.heading} {sentence}")
    missing = sorted({word for word in content_words(claim) if not stems(word) <= shared})
    measure = f"{len(shared)} of {len(wanted)} words of the claim"
    if missing:
        measure += f"; not in it: {', '.join(missing[:MAX_MISSING])}"
    return _Finding(
        len(shared) / len(wanted),
        f"{passage.source}\n{quoted(sentence[:MAX_QUOTE_CHARS])}\n\n[{measure}]",
    )


def quoted(text: str) -> str:
    """Return the text of a document with nothing in it that looks like a source."""
    return _LOOKS_LIKE_SOURCE.sub(r"(\1)", text)


def _bounded(passages: list[Passage]) -> str:
    """Return the passages that fit into one result, and the headings of those that do not."""
    blocks: list[str] = []
    room = MAX_RESULT_CHARS
    for passage in passages:
        block = f"{passage.source}\n{quoted(passage.text)}"
        room -= len(block) + 2
        if room < 0 and blocks:
            break
        blocks.append(block)
    left = dict.fromkeys(passage.heading for passage in passages[len(blocks) :])
    if left:
        blocks.append(f"[More under: {'; '.join(list(left)[:MAX_MISSING])}.]")
    return "\n\n".join(blocks)
