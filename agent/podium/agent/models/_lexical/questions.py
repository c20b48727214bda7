"""A question taken apart: "How do closures work, and what does `nonlocal` do?" is two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from podium.agent.models._lexical.words import keywords, stem, tokens

MAX_PARTS = 8
MAX_CHARS = 4_000
"""Only so much of a question is taken apart."""

_ASKERS = "how what when where which who whom whose why"
_VERBS = (
    "add analyse analyze build calculate check collect compare compute convert count create"
    " define delete describe divide draft draw estimate evaluate explain extract fetch find get"
    " give identify list locate look make measure multiply name open outline plan play prepare"
    " read recommend report research review run save say search send show solve sort subtract"
    " suggest sum summarise summarize tell test translate update verify work write"
)
_HELPERS = "are can could did do does has have is may must should was were will would"
_OPENERS = frozenset(f"{_ASKERS} {_VERBS}".split())
_STARTERS = _OPENERS | frozenset(_HELPERS.split())

_ITEM = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*\u2022])[ \t]+(\S.*)$", re.MULTILINE)
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|\([^()\n]*\)|\[[^\[\]\n]*\]")
_SENTENCE_END = re.compile(r"(?<=[?!])[\s\"')]+(?=\S)|(?<=[.])\s+(?=[A-Z`\"'(])|\n\s*\n")
_JOINT = re.compile(
    r";\s?(?:(?:and then|and|then)\s)?"
    r"|[,\s]\s?(?:and then|and also|but also|as well as|and|then)\s"
    rf"(?=(?:(?:in|for|to|from|by|on|at|under|with)\s)?(?:{'|'.join(sorted(_STARTERS))})\b)",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:it|its|they|them|their|this|that|these|those|he|she)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked, and what it is about."""

    text: str
    """The part, as asked."""
    keywords: tuple[str, ...]
    """Its words of meaning, in order, each once."""
    stems: tuple[str, ...]
    """The stems of the keywords, in order, each once."""

    @classmethod
    def of(cls, text: str) -> Part:
        """Return the part that `text` is."""
        words = keywords(text)
        if len(words) > 1 and words[0] in _OPENERS and words[0] == tokens(text)[0]:
            del words[0]  # the order itself, as in "compare lists and tuples"
        return cls(text, tuple(words), tuple(dict.fromkeys(stem(word) for word in words)))


def split_question(text: str) -> tuple[Part, ...]:
    """Return the parts of `text` in order, at least one and at most `MAX_PARTS`."""
    pieces = [
        piece.strip()
        for sentence in _sentences(text[:MAX_CHARS].strip())
        for piece in _clauses(sentence)
    ]
    parts: list[Part] = []
    for piece in _joined(pieces):
        parts.append(Part.of(_complete(piece, parts)))
    if len(parts) > MAX_PARTS:
        rest = " ".join(part.text for part in parts[MAX_PARTS - 1 :])
        parts[MAX_PARTS - 1 :] = [Part.of(rest)]
    return tuple(parts) or (Part.of(text[:MAX_CHARS].strip()),)


def _sentences(text: str) -> list[str]:
    """Return list items, else the questions, else all sentences: what goes with them is manner."""
    items = _ITEM.findall(text)
    if len(items) > 1:
        return items
    sentences = [piece for piece in _cut(text, _SENTENCE_END) if keywords(piece)]
    return [piece for piece in sentences if "?" in piece] or sentences


def _clauses(sentence: str) -> list[str]:
    """Return the clauses that stand on their own: each opens with a question word or a verb."""
    return list(_cut(sentence, _JOINT))


def _cut(text: str, joint: re.Pattern[str]) -> Iterator[str]:
    """Yield what stands between the joints, leaving quoted and bracketed text whole."""
    quoted = [found.span() for found in _QUOTED.finditer(text)]
    start = at = 0
    for found in joint.finditer(text):
        while at < len(quoted) and quoted[at][1] <= found.start():
            at += 1
        inside = at < len(quoted) and quoted[at][0] < found.start()
        if not inside:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def _joined(pieces: list[str]) -> list[str]:
    """Return the pieces, one without words of its own ("how and why ...") put to its neighbour."""
    joined: list[str] = []
    waiting = ""
    for piece in pieces:
        whole = f"{waiting} and {piece}" if waiting else piece
        if _has_words_of_its_own(piece):
            joined.append(whole)
            waiting = ""
        else:
            waiting = whole
    if waiting and joined:
        joined[-1] = f"{joined[-1]} and {waiting}"
    return [piece for piece in joined if piece] or ([waiting] if waiting else [])


def _has_words_of_its_own(piece: str) -> bool:
    return bool(keywords(piece)) or bool(_BACK.search(piece))


def _complete(piece: str, before: list[Part]) -> str:
    """Return `piece` with what it refers back to, as in "how does it work? (about closures)"."""
    if before and len(keywords(piece)) < 2 and _BACK.search(piece):
        return f"{piece} (about {' '.join(before[-1].keywords)})"
    return piece
