"""A small full-text index in memory, ranked by BM25: for tools and for passages of documents."""

from __future__ import annotations

import functools
import heapq
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

_K1, _B = 1.5, 0.75  # the usual constants: how soon repetition stops to count, how much length does
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # written without spaces, or with endings
_WORD = re.compile(rf"[{_UNSPACED}]|[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z{_UNSPACED}]+|\d+")
_SHORTEST_STEM = 3
_FEW = 500  # texts that may all be gone through
_GRAMMAR = frozenset(
    "a an and any are as at be by can do does for from how i in into is it its like me my of on or"
    " that the this to us use using what when where which who will with you your".split()
)

_Postings = tuple["array[int]", "array[float]"]


class Bm25Index:
    """Finds the texts that share rare words with a query.

    Built once and only read afterwards, so any number of threads may search it.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Take in `texts`; a text is known by its position from then on."""
        self._postings: dict[str, _Postings] = {}
        lengths = array("L")
        for position, text in enumerate(texts):
            counted = Counter(words(text))
            lengths.append(counted.total())
            for word, count in counted.items():
                if (posting := self._postings.get(word)) is None:
                    posting = self._postings[word] = array("L"), array("f")
                posting[0].append(position)
                posting[1].append(count)
        self._size = len(lengths)
        self._weigh(lengths)

    def __len__(self) -> int:
        """Return how many texts there are."""
        return self._size

    def search(self, query: str, limit: int, among: Sequence[int] | None = None) -> list[int]:
        """Return the positions of the best texts, best first; earlier ones win a tie.

        Only texts that share a word with `query` are found, and only those in `among` if given.
        """
        scores: dict[int, float] = {}
        for at, weights in self._telling(dict.fromkeys(words(query))):
            for position, weight in zip(at, weights, strict=True):
                scores[position] = scores.get(position, 0.0) + weight
        if among is not None:
            scores = {position: scores[position] for position in among if position in scores}
        return heapq.nsmallest(limit, scores, key=lambda position: (-scores[position], position))

    def _telling(self, asked: Iterable[str]) -> list[_Postings]:
        """Return where the words stand; of many texts, without words that stand nearly everywhere.

        Such words tell nothing, and going through all they stand in takes most of the time.
        """
        found = [self._postings[word] for word in asked if word in self._postings]
        found.sort(key=lambda one: len(one[0]))
        most = max(_FEW, self._size // 2)
        return [one for number, one in enumerate(found) if number < 2 or len(one[0]) <= most]

    def _weigh(self, lengths: Sequence[int]) -> None:
        """Turn how often a word stands in a text into what it adds to the text's score."""
        mean = max(1.0, sum(lengths) / max(1, self._size))
        slack = [_K1 * (1 - _B + _B * length / mean) for length in lengths]
        for word, (at, counts) in self._postings.items():
            rarity = math.log(1 + (self._size - len(at) + 0.5) / (len(at) + 0.5)) * (_K1 + 1)
            pairs = zip(at, counts, strict=True)
            weights = array("f", [rarity * count / (count + slack[one]) for one, count in pairs])
            self._postings[word] = (at, weights)


def words(text: str) -> list[str]:
    """Return the words of `text` without plural endings, in order, in lower case.

    Words of grammar, which say nothing of what a text is about, are left out.
    Names fall into their parts: `get_weather`, `getWeather` and "Get weather" are the same words.
    """
    return [one for one in map(_stem, _WORD.findall(text)) if one not in _GRAMMAR]


@functools.lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    word = word.lower()
    if len(word) > _SHORTEST_STEM and word.endswith("s") and not word.endswith("ss"):
        return word[:-3] + "y" if word.endswith("ies") else word[:-1]
    return word
