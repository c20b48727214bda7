"""Words as the lexical stand-in sees them: tokens, light stems, and which words carry meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Letters of scripts that write no spaces stand alone; other words are runs of letters and digits.
_LONE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
_WORD = re.compile(f"[{_LONE}]|[^\\W_{_LONE}]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMED = re.compile(
    r"[\"'`\u201c\u2018]([^\s\"'`\u201c\u201d\u2018\u2019]"
    r"[^\"'`\u201c\u201d\u2018\u2019\n]{0,40})[\"'`\u201d\u2019]"
)
_VOWEL = re.compile("[aeiouy]")
_ARTICLES = frozenset({"a", "an", "the"})
_ENDS = frozenset({"", "do", "does", "mean", "means", "work", "works"})
_NAMEABLE = frozenset("and as for from if in is not or while with".split())

_GRAMMAR = frozenset(
    "a about after again all also although am among an and any are as at be because been before"
    " being between both but by can could d did do does doing down during each either every few"
    " for from had has have having he her here hers him his how however i if in into is it its"
    " itself just ll many may me might more most much must my neither no nor not now of off on"
    " often once one only or other our out over own per re s shall she should so some such t than"
    " that the their them then there these they this those though through to too under until up"
    " upon us ve very was we were what when where whether which while who whom whose why will with"
    " within without would yet you your".split()
)
_ASKING = frozenset(
    "answer ask briefly cite decide decides define describe detail does explain exactly following"
    " gets give got happen happens help know mean means need please question say says show source"
    " sources tell thank thanks use used uses using want way work works".split()
)
STOP_WORDS = _GRAMMAR | _ASKING
"""Words that say nothing about what a question is about."""


def tokens(text: str) -> list[str]:
    """Return the words of `text`, lower-cased, in order; `__enter__` is `enter`."""
    return _WORD.findall(text.lower())


def name_tokens(name: str) -> list[str]:
    """Return the words of an identifier: `search_corpus` and `searchCorpus` are two words."""
    return tokens(_CAMEL.sub(" ", name))


def stem(word: str) -> str:
    """Return `word` without its ending, so that `closures` meets `closure`, `raised` `raise`."""
    if len(word) < 4 or not word.isascii():
        return word
    return _without_e(_without_verb_ending(_without_plural(word)))


def _without_plural(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_verb_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and _VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if doubled else rest
    return word


def _without_e(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def keywords(text: str) -> list[str]:
    """Return the words that say what `text` is about, in order, each once.

    A grammar word counts where it is a name: in quotes or backticks, after an article and before
    a word of meaning ("the with statement"), or the other way round ("what does yield from do").
    """
    words = tokens(text)
    named = {word for quoted in _NAMED.findall(text) for word in tokens(quoted)[:4]}
    kept = [
        word
        for place, word in enumerate(words)
        if word not in STOP_WORDS or _is_name(words, place, named)
    ]
    return list(dict.fromkeys(kept))


def _is_name(words: list[str], place: int, named: set[str]) -> bool:
    if words[place] in named or words[place] not in _NAMEABLE:
        return words[place] in named
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if before in _ARTICLES:
        return bool(after) and after not in STOP_WORDS
    return before not in STOP_WORDS and after in _ENDS


class Stems:
    """Stems of texts; each word is stemmed once for as long as this object lives."""

    def __init__(self) -> None:
        """Start with nothing remembered."""
        self._known: dict[str, str] = {}

    def of(self, words: Iterable[str]) -> list[str]:
        """Return the stem of each word, in order."""
        known = self._known
        found: list[str] = []
        for word in words:
            stemmed = known.get(word)
            if stemmed is None:
                stemmed = known[word] = stem(word)
            found.append(stemmed)
        return found

    def of_text(self, text: str) -> list[str]:
        """Return the stems of all words of `text`, grammar words included, in order."""
        return self.of(tokens(text))


def weight(total: int, holding: int) -> int:
    """Return how telling a word is that `holding` of `total` texts hold: 1 when most do.

    A whole number, the binary logarithm rounded down, so that every platform ranks alike.
    """
    return 1 + ((total + 1) // (holding + 1)).bit_length()
