"""Words of a text as the search sees them, for queries and for measuring overlap."""

from __future__ import annotations

import re

# Words of questions and of grammar. Words that are also Python, such as "with" and "is", stay.
_STOP_WORDS = frozenset(
    "a about an are be been can could did do does how i it its me of on s should tell that the"
    " their them then there these they this those to was we were what when where which who whose"
    " why will would you your".split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_ENDINGS = re.compile(r"(?<=\w{3})(?:ies|ied|ing|ed|es|e|s|y)$")


def content_words(text: str) -> list[str]:
    """Return the words of `text` in lower case, in order, without grammar words.

    When nothing else is left, the grammar words are returned after all.
    """
    words: list[str] = re.findall(r"[^\W_]+", text.lower())
    return [word for word in words if word not in _STOP_WORDS] or words


def stems(text: str) -> set[str]:
    """Return the content words of `text` without endings, so that "closures" meets "closure"."""
    return {_ENDINGS.sub("", word) for word in content_words(text)}


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`, each as one line."""
    return [" ".join(part.split()) for part in _SENTENCE_END.split(text) if part.strip()]
