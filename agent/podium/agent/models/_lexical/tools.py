"""Which tool is for what, as far as names, descriptions and schemas tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from podium.agent.models._lexical.arguments import Role, role_of
from podium.agent.models._lexical.questions import Part
from podium.agent.models._lexical.schemas import (
    Schema,
    kind_of,
    properties_of,
    required_of,
    variants,
)
from podium.agent.models._lexical.spans import arithmetic
from podium.agent.models._lexical.words import STOP_WORDS, name_tokens, stem, tokens, weight
from podium.tools import Tool

Purpose = Literal["search", "read", "check", "write", "other"]

MAX_DESCRIPTION_CHARS = 4_000
NAME_WEIGHT = 3
SPECIFIC = 20
"""Added for a tool whose words the part names; it goes before one that takes any question."""
GENERAL = 10
"""The score of a tool that searches, whatever the words of the part."""
LAST_RESORT = 1
"""The score of a tool that takes a whole task but does not say which kind."""

_NO_SCHEMA: Schema = {}
_VERBS: dict[Purpose, frozenset[str]] = {
    "search": frozenset(
        "search find look lookup research retriev discover query investigat".split()
    ),
    "read": frozenset("read open fetch load".split()),
    "check": frozenset("check verify verifi claim fact audit validat".split()),
    "write": frozenset("writ summary summaris summariz edit draft translat rewrit".split()),
}
_DOCUMENTS = frozenset("document doc file sourc page section heading passag url text".split())
_CLAIMS = frozenset("claim statement assertion fact verify verifi contradict evidenc".split())
_SUMS = frozenset("arithmetic calculat calculation calculator comput math mathematic sum".split())
_DULL = frozenset("get run tool make return given".split())


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool as its definition presents it."""

    tool: Tool
    """The tool."""
    purpose: Purpose
    """What it is for, by the first telling word of its name and description."""
    roles: frozenset[Role]
    """What its required text parameters want."""
    named: frozenset[str]
    """Stems of its name."""
    described: frozenset[str]
    """Stems of its description and parameters."""

    @property
    def takes_task(self) -> bool:
        """Whether it takes a task in words and nothing else, as a specialist does."""
        return self.roles == frozenset[Role]({"request"})

    @property
    def is_calculator(self) -> bool:
        """Whether it works out sums."""
        return "expression" in self.roles or not _SUMS.isdisjoint(self.named)


def view_tools(tools: Sequence[Tool]) -> list[ToolView]:
    """Return each tool as its definition presents it, in order."""
    return [_view(tool) for tool in tools]


def _view(tool: Tool) -> ToolView:
    name = _stems(name_tokens(tool.name))
    description = _stems(tokens(tool.description[:MAX_DESCRIPTION_CHARS]))
    schema = next(iter(variants(tool.parameters, tool.parameters)), _NO_SCHEMA)
    properties, required = properties_of(schema), required_of(schema)
    parameters = _stems(
        word
        for key, below in properties.items()
        for word in (*name_tokens(key), *tokens(str(below.get("description", ""))[:500]))
    )
    roles: frozenset[Role] = frozenset(
        role_of(key, str(properties.get(key, {}).get("description", "")))
        for key in required
        if kind_of(properties.get(key, {})) in ("string", "")
    )
    purpose = _purpose([*name, *description], {*name, *description, *parameters}, roles)
    return ToolView(tool, purpose, roles, frozenset(name), frozenset((*description, *parameters)))


def _stems(words: Iterable[str]) -> list[str]:
    """Return stems of the words of meaning; a reader reads, so "reader" counts as "read"."""
    found: list[str] = []
    for word in words:
        if word in STOP_WORDS or word in _DULL:
            continue
        found.append(stem(word))
        if len(word) > 5 and word.rstrip("s").endswith(("er", "or")):
            found.append(stem(word.rstrip("s")[:-2]))
    return found


def _purpose(in_order: list[str], all_words: set[str], roles: frozenset[Role]) -> Purpose:
    """Return the purpose that the first telling word says, if the rest bears it out."""
    takes_words = not roles.isdisjoint({"query", "request", "text"})
    borne_out: dict[Purpose, bool] = {
        "search": takes_words,
        "read": bool(all_words & _DOCUMENTS) and (takes_words or "file" in roles),
        "check": bool(all_words & _CLAIMS) and (takes_words or "claim" in roles),
        "write": takes_words,
    }
    told = _told(in_order)
    return told if borne_out.get(told) else "other"


def _told(words: Iterable[str]) -> Purpose:
    for word in words:
        for purpose, verbs in _VERBS.items():
            if word in verbs:
                return purpose
    return "other"


def ranked_tools(part: Part, views: Sequence[ToolView]) -> list[ToolView]:
    """Return the tools that fit `part`, the best first; none when none does."""
    words = list(dict.fromkeys(_stems(tokens(part.text))))
    has_sum = arithmetic(part.text) is not None
    scored = [(_score(words, has_sum, view, views), view) for view in views]
    fitting = [(score, view) for score, view in scored if score > 0]
    # Sorting is stable: of equals, the one listed first stands first.
    return [view for _, view in sorted(fitting, key=lambda item: -item[0])]


def _score(words: Sequence[str], has_sum: bool, view: ToolView, views: Sequence[ToolView]) -> int:
    matched = _matched(words, view, views)
    if view.is_calculator:
        return matched + 2 * SPECIFIC if has_sum else 0
    described = len(view.described.intersection(words))
    # A specialist's description says what it knows; that of a mere tool says how it works, too.
    if view.named.intersection(words) or described > (0 if view.takes_task else 1):
        return matched + SPECIFIC
    if view.purpose == "search":
        return matched + GENERAL
    return matched + LAST_RESORT if view.takes_task and len(views) == 1 else 0


def _matched(words: Sequence[str], view: ToolView, views: Sequence[ToolView]) -> int:
    """Return the weight of the words that `view` holds; a word of its name counts thrice."""
    worth = 0
    for word in words:
        holding = [other for other in views if word in other.named or word in other.described]
        if view in holding:
            worth += weight(len(views), len(holding)) * (NAME_WEIGHT if word in view.named else 1)
    return worth
