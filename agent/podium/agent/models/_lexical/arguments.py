"""Arguments for a tool call, guessed from what was asked and found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from podium.agent.models._lexical.filling import Field
from podium.agent.models._lexical.passages import Reference
from podium.agent.models._lexical.questions import Part
from podium.agent.models._lexical.spans import (
    arithmetic,
    number_near,
    numbers,
    proper_names,
    quotes,
    value_of,
    word_after,
)
from podium.agent.models._lexical.words import STOP_WORDS, name_tokens, stem, tokens

Role = Literal["claim", "file", "heading", "expression", "query", "request", "text", "count", "any"]

_ROLES: dict[Role, frozenset[str]] = {
    "claim": frozenset("claim statement assertion hypothesis".split()),
    "heading": frozenset("heading section chapter anchor".split()),
    "file": frozenset("file filename document doc path page source url uri link".split()),
    "expression": frozenset("expression formula equation arithmetic calculation".split()),
    "query": frozenset("query keyword keywords search term terms words topic subject".split()),
    "request": frozenset("task question request prompt instruction message input".split()),
    "text": frozenset("text content body passage draft note".split()),
    "count": frozenset("limit count max top size results n k".split()),
}
_VAGUE = frozenset("arg argument data input q s string value x".split())
_WHOLE_QUESTION = frozenset("question sentence natural".split())
_PLACES = frozenset({"in", "for", "of", "at", "on", "about", "named", "called"})
_FROM, _TO = frozenset({"from"}), frozenset({"to", "into"})


@dataclass(frozen=True, slots=True)
class Clues:
    """What a call can be filled from."""

    part: Part
    """What the call is for."""
    request: str
    """What a tool that takes a whole task is told."""
    reference: Reference | None = None
    """The place that is to be read."""
    claim: str = ""
    """The statement that is to be checked."""
    material: str = ""
    """The text that is to be worked on."""
    known: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    """Values that earlier results named, by name."""


def role_of(name: str, description: str) -> Role:
    """Return what a text parameter wants, by its name; by its description where that is vague."""
    words = name_tokens(name)
    told = tokens(description) if _VAGUE.issuperset(words) else []
    for word in (*told, *words):
        for role, telling in _ROLES.items():
            if word in telling:
                return role
    return "any"


class ArgumentGuess:
    """Guesses the fields of one call; no number or name is used twice."""

    def __init__(self, clues: Clues, tool_name: str) -> None:
        """Take what is known; words of the tool's own name are no values for its parameters."""
        self._clues = clues
        self._own = {stem(word) for word in name_tokens(tool_name)}
        self._used: list[object] = []

    def values(self, field: Field) -> Iterator[object]:
        """Yield values for `field`, the best first; only what is said for one not needed."""
        if field.choices:
            yield from self._mentioned(field)
            return
        if field.kind in ("integer", "number"):
            yield from self._fresh(self._numbers(field))
        elif field.kind == "array":
            yield from self._lists(field)
        elif field.kind in ("string", ""):
            yield from self._fresh(self._texts(field))

    def _fresh(self, values: Iterator[object]) -> Iterator[object]:
        for value in values:
            if value not in self._used:
                self._used.append(value)
                yield value
                self._used.remove(value)  # only a value that did not fit leads here

    def _mentioned(self, field: Field) -> Iterator[object]:
        said = tokens(self._clues.part.text)
        for choice in field.choices:
            words = tokens(choice) if isinstance(choice, str) else []
            if words and all(word in said for word in words):
                yield choice

    def _numbers(self, field: Field) -> Iterator[object]:
        text = self._clues.part.text
        words = [word for word in name_tokens(field.name) if len(word) > 1]
        if role_of(field.name, "") == "count":
            words += ["top", "first", "results"]
        yield from (near for word in words if (near := number_near(text, word)) is not None)
        if field.needed:
            if field.name in self._clues.known:
                yield self._clues.known[field.name]
            yield from numbers(text)

    def _lists(self, field: Field) -> Iterator[object]:
        if not field.needed:
            return
        text = self._clues.part.text
        yield from (found for found in (numbers(text), quotes(text)) if found)
        yield proper_names(text) or list(self._clues.part.keywords)

    def _texts(self, field: Field) -> Iterator[object]:
        clues, role = self._clues, role_of(field.name, field.description)
        if (said := value_of(clues.part.text, field.name)) is not None:
            yield said
        if role in ("file", "heading"):
            yield from self._places(role, field)
        elif field.needed:
            if field.name in clues.known:
                yield clues.known[field.name]
            yield from self._needed_texts(role, field)

    def _places(self, role: Role, field: Field) -> Iterator[object]:
        reference = self._clues.reference
        if role == "file" and reference is not None:
            yield reference.file
        elif role == "heading" and (field.needed or (reference and reference.heading)):
            yield reference.heading if reference else ""

    def _needed_texts(self, role: Role, field: Field) -> Iterator[object]:
        clues = self._clues
        if role == "claim":
            yield clues.claim or clues.part.text
        elif role == "expression":
            yield arithmetic(clues.part.text) or " ".join(quotes(clues.part.text)[:1])
        elif role == "query" and _WHOLE_QUESTION.isdisjoint(tokens(field.description)):
            yield " ".join(clues.part.keywords)
        elif role == "any":
            yield from self._names(field)
        elif role == "text":
            yield from quotes(clues.part.text)
            yield clues.material or clues.part.text
        yield clues.request

    def _names(self, field: Field) -> Iterator[object]:
        text, words = self._clues.part.text, set(name_tokens(field.name))
        if words & {"from", "source", "origin", "start"}:
            yield from word_after(text, _FROM)
        if words & {"to", "target", "destination", "end"}:
            yield from word_after(text, _TO)
        named = (*proper_names(text), *quotes(text), *word_after(text, _PLACES))
        yield from (name for name in named if not self._is_own(name))
        kept = [word for word in self._clues.part.keywords if stem(word) not in self._own]
        yield " ".join(kept)

    def _is_own(self, name: str) -> bool:
        words = [word for word in tokens(name) if word not in STOP_WORDS]
        return all(stem(word) in self._own for word in words)
