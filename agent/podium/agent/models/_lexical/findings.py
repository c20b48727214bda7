"""What was found, ranked: the sentences of all results by how well they answer a part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from podium.agent.models._lexical.passages import Reference, Sentence, references, sentences
from podium.agent.models._lexical.questions import Part
from podium.agent.models._lexical.words import Stems, tokens, weight

ENOUGH = 350
"""Thousandths of a part's weight that a sentence must exceed to count as an answer."""
HALF = 500
"""The same for a sentence that holds none of the part's topics: it may match by chance."""
_TOPIC = 4
"""A word that so many sentences hold is a topic of what was found; of few sentences, fewer."""
_LEAD_WORDS = 8
_NEIGHBOURS, _PER_NEIGHBOUR = 6, 15
_REPEATED = 650
_LEANING = re.compile(
    r"(?:this|that|these|those|it|they|he|she|thus|otherwise|however|therefore|hence|so|but|and"
    r"|then|note|see|for example|in this case|such)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:changed in|added in|new in|deprecated|see also|see section|(?:additional|more|further)"
    r" information|for (?:more|further)|\*\*pep|\[\d+\])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A sentence with what ranking needs to know about it."""

    sentence: Sentence
    stems: tuple[str, ...]
    about: frozenset[str]
    """Stems of its citation, and of the sentence before it where it leans on that one."""
    rank: int
    """How many other places its result names before this one."""


class Findings:
    """The sentences of some results, to be asked for those that answer a part."""

    def __init__(self, texts: Iterable[str], stems: Stems) -> None:
        """Take the results apart; a sentence that several of them hold is kept once."""
        self._entries = list(_entries(texts, stems))
        self._holding = Counter(word for entry in self._entries for word in set(entry.stems))
        self._rankings: dict[Part, list[tuple[int, _Entry]]] = {}

    def __bool__(self) -> bool:
        """Return whether anything was found at all."""
        return bool(self._entries)

    def best(self, part: Part, limit: int) -> list[Sentence]:
        """Return up to `limit` sentences that answer `part`, the best first, if any does."""
        ranked = self._ranked(part)
        chosen: list[_Entry] = []
        for score, entry in ranked:
            if len(chosen) == limit or score * 2 < ranked[0][0]:
                break
            if not any(_repeats(entry, other) for other in chosen):
                chosen.append(entry)
        return [entry.sentence for entry in chosen]

    def references(self, part: Part) -> list[Reference]:
        """Return the places whose sentences answer `part`, the best first."""
        cited = dict.fromkeys(entry.sentence.citation for _, entry in self._ranked(part))
        return [place for citation in cited for place in references(citation)[:1]]

    def first(self, limit: int) -> list[Sentence]:
        """Return the first sentences, for a question that has no words of its own."""
        return [entry.sentence for entry in self._entries[:limit]]

    def _ranked(self, part: Part) -> list[tuple[int, _Entry]]:
        """Return the sentences that answer `part` with their scores, the best first."""
        if part not in self._rankings:
            weights = self._weights(part)
            many = min(_TOPIC, max(2, len(self._entries) // 4))
            topics = {word for word in weights if self._holding[word] >= many}
            scored = [
                (score, entry)
                for entry in self._entries
                if not weights.keys().isdisjoint(entry.stems)
                and (score := _score(weights, topics, entry)) is not None
            ]
            around = Counter(entry.sentence.citation for _, entry in scored)
            placed = [
                (score + _PER_NEIGHBOUR * min(_NEIGHBOURS, around[entry.sentence.citation]), entry)
                for score, entry in scored
            ]
            # Sorting is stable: of equals, the one found first stands first.
            self._rankings[part] = sorted(placed, key=lambda item: -item[0])
        return self._rankings[part]

    def _weights(self, part: Part) -> dict[str, int]:
        """Return how much each word of `part` tells; one that nothing holds tells as the average.

        Rare would not be right for those: most are the asker's own way to put it.
        """
        total = len(self._entries)
        held = {
            word: weight(total, self._holding[word]) for word in part.stems if self._holding[word]
        }
        average = max(1, sum(held.values()) // max(1, len(held)))
        return {word: held.get(word, average) for word in part.stems}


def _score(weights: Mapping[str, int], topics: Set[str], entry: _Entry) -> int | None:
    """Return how well `entry` answers a part whose words weigh so much; None for hardly at all."""
    whole = sum(weights.values())
    held, lead = set(entry.stems), set(entry.stems[:_LEAD_WORDS])
    inside = sum(worth for word, worth in weights.items() if word in held)
    around = sum(worth for word, worth in weights.items() if word in entry.about - held)
    leading = sum(worth for word, worth in weights.items() if word in lead)
    coverage = (1000 * inside + 500 * around) // whole
    if coverage <= (HALF if held.isdisjoint(topics) else ENOUGH):
        return None
    near_the_top = max(0, 100 - 20 * entry.rank)
    together = 80 * min(3, _pairs(tuple(weights), entry.stems))
    defines = 120 if _defines(weights, entry.stems) else 0
    return coverage + 250 * leading // whole + together + defines + near_the_top - _faults(entry)


def _entries(texts: Iterable[str], stems: Stems) -> Iterable[_Entry]:
    seen: set[tuple[str, ...]] = set()
    about: dict[str, frozenset[str]] = {}
    for text in texts:
        ranks: dict[str, int] = {}
        before, cited_before = frozenset[str](), ""
        for sentence in sentences(text):
            words = tuple(stems.of(tokens(sentence.text)))
            cited = sentence.citation
            if not words or words in seen:
                continue
            seen.add(words)
            if cited not in about:
                about[cited] = frozenset(stems.of_text(cited))
            leans = cited == cited_before and _LEANING.match(sentence.text) is not None
            context = about[cited] | before if leans else about[cited]
            yield _Entry(sentence, words, context, ranks.setdefault(cited, len(ranks)))
            before, cited_before = frozenset(words), cited


def _pairs(wanted: Sequence[str], held: Sequence[str]) -> int:
    """Return how many pairs of neighbours stand side by side in both."""
    together = set(pairwise(wanted))
    return len(together.intersection(pairwise(held)))


def _defines(wanted: Mapping[str, int], held: Sequence[str]) -> bool:
    """Return whether a wanted word is said to be something: "a closure is ..."."""
    return any(word in wanted and after in ("is", "are") for word, after in pairwise(held))


def _faults(entry: _Entry) -> int:
    text, length = entry.sentence.text, len(entry.stems)
    faults = 0
    if not text.rstrip("\"')\u201d\u2019").endswith((".", "!", "?")):
        faults += 250
    if length < 5:
        faults += 250
    if length > 60:
        faults += 150
    if _LEANING.match(text):
        faults += 150
    if text.startswith(("If ", "When ")):
        faults += 60
    if _ASIDE.match(text):
        faults += 400
    return faults


def _repeats(entry: _Entry, other: _Entry) -> bool:
    one, two = set(entry.stems), set(other.stems)
    return 1000 * len(one & two) > _REPEATED * len(one | two)
