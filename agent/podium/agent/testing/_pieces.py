"""Replies cut into the pieces in which a model streams them."""

from __future__ import annotations

import re

_WORD = re.compile(r"\s*\S+|\s+")
_FRAGMENT = re.compile(r"(?s).{1,16}")


def text_pieces(text: str) -> list[str]:
    """Return the words of `text`, each with the space before it; joined they are the text."""
    return _WORD.findall(text)


def argument_pieces(arguments: str) -> list[str]:
    """Return JSON text in fragments that end anywhere, as streamed arguments do."""
    return _FRAGMENT.findall(arguments)
