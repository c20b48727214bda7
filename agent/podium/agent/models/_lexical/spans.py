"""Things a text holds that can be arguments: quotes, numbers, sums, names."""

from __future__ import annotations

import re

_QUOTED = re.compile(
    r"\"([^\"\n]{1,500})\"|\u201c([^\u201d\n]{1,500})\u201d|`([^`\n]{1,500})`|(?<!\w)'([^'\n]{1,500})'(?!\w)"
)
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?(?![\w])")
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_WORD = re.compile(r"[^\W\d_]+")
_NAME = r"[A-Z][\w\u2019-]*(?:/[A-Z][\w\u2019+-]*)*"
_PROPER = re.compile(rf"(?<![\w'\u2019]){_NAME}(?: {_NAME})*")
_AFTER = re.compile(
    r"\b(in|for|of|from|to|into|about|on|at|named|called|with)\s(?:the\s|an?\s)?([\w\u2019-]+)",
    re.IGNORECASE,
)
_SUM = re.compile(r"[\d(][\d\s().,+\-*/%^]*")
_SPOKEN = (
    (re.compile(r"(\d[\d.]*)\s?(?:%|percent)\sof\s(\d[\d.]*)", re.IGNORECASE), r"\1 / 100 * \2"),
    (re.compile(r"(?<=[\d)])\s?(?:plus|and also)\s(?=[\d(])", re.IGNORECASE), " + "),
    (re.compile(r"(?<=[\d)])\s?minus\s(?=[\d(])", re.IGNORECASE), " - "),
    (
        re.compile(r"(?<=[\d)])\s?(?:times|multiplied by|x|\u00d7)\s?(?=[\d(])", re.IGNORECASE),
        " * ",
    ),
    (re.compile(r"(?<=[\d)])\s?(?:divided by|over|\u00f7)\s?(?=[\d(])", re.IGNORECASE), " / "),
    (re.compile(r"(?<=[\d)])\s?to the power of\s(?=[\d(])", re.IGNORECASE), " ** "),
)


def quotes(text: str) -> list[str]:
    """Return what stands in quotes or backticks, in order."""
    return ["".join(found) for found in _QUOTED.findall(text)]


def numbers(text: str) -> list[int | float]:
    """Return the numbers in `text`, in order: figures, or number words where there are none."""
    figures = [_number(found) for found in _NUMBER.findall(text)]
    if figures:
        return figures
    words: list[str] = _WORD.findall(text.lower())
    return [_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS]


def number_near(text: str, word: str) -> int | float | None:
    """Return the number beside `word`, as in "limit 5", "limit: 5", "limit of 5" or "5 results"."""
    name = re.escape(word)
    after = re.search(
        rf"\b{name}\w{{0,3}}(?:\s?[:=]|\sof|\sis|\sto)?\s?(\d{{1,15}}(?:\.\d{{1,9}})?)\b",
        text,
        re.I,
    )
    before = re.search(rf"\b(\d{{1,15}}(?:\.\d{{1,9}})?)\s{name}", text, re.I)
    found = after or before
    return _number(found.group(1)) if found else None


def value_of(text: str, name: str) -> str | None:
    """Return what `text` says `name` is, as in "city: Paris" or "city=Paris"."""
    words = r"[\s_-]".join(re.escape(word) for word in name.split("_") if word)
    if not words:
        return None
    found = re.search(rf"\b{words}\s?[:=]\s?(?:\"([^\"\n]+)\"|([^\s,;?\"]+))", text, re.IGNORECASE)
    return (found.group(1) or found.group(2)).rstrip(".") if found else None


def arithmetic(text: str) -> str | None:
    """Return the longest sum in `text`, such as "7 * (4 + 2)"; words such as "times" count."""
    for spoken, written in _SPOKEN:
        text = spoken.sub(written, text)
    sums = [found.strip(" .,") for found in _SUM.findall(text) if _is_sum(found)]
    return max(sums, key=len, default=None)


def proper_names(text: str) -> list[str]:
    """Return capitalised words and runs of them, in order, those that open a sentence last.

    A name may have parts, as in "Asia/Tokyo".
    """
    found = list(_PROPER.finditer(text))
    inside = [
        match.group() for match in found if match.start() and text[match.start() - 2] not in ".!?"
    ]
    opening = [match.group() for match in found if match.group() not in inside]
    return inside + opening


def word_after(text: str, prepositions: frozenset[str]) -> list[str]:
    """Return the words that follow one of `prepositions`, the last first."""
    found = [word for before, word in _AFTER.findall(text) if before.lower() in prepositions]
    return found[::-1]


def _number(figures: str) -> int | float:
    plain = figures.replace(",", "")
    return float(plain) if "." in plain else int(plain)


def _is_sum(text: str) -> bool:
    operator = re.search(r"[\d)]\s*(?:\*\*|[+\-*/%^])\s*[(\d-]", text)
    return operator is not None and text.count("(") == text.count(")")
