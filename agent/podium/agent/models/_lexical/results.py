"""What tool results are worth: evidence with sources, bare values, nothing, or an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podium.agent.models._lexical.arguments import role_of
from podium.agent.models._lexical.findings import Findings
from podium.agent.models._lexical.passages import has_citation, json_objects, json_value, sentences
from podium.agent.models._lexical.words import Stems
from podium.tools import ToolCall, ToolCallResult
from podium.tools._searchable import FOUND

BARE_CHARS = 300
"""A result without sources that is no longer than this is a value, and is given as it stands."""

_EMPTY = re.compile(
    r"\W*(?:no|none|nothing|not found|null|i found nothing|0 (?:results?|matches|hits)|sorry)\b"
    r"|\W*$|\[incomplete, ",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a task, sorted by what they are worth."""

    findings: Findings
    """The sentences of those that say something at length or name their sources."""
    values: Mapping[str, str]
    """Those that are short and name no source, by the key of their call."""
    useful: frozenset[str]
    """The keys of the calls that brought something."""
    errors: tuple[str, ...]
    """What went wrong, oldest first."""
    known: Mapping[str, object]
    """Values that JSON results named, the newest for each name."""


def call_key(name: str, arguments: Mapping[str, object]) -> str:
    """Return text that is the same for two calls that ask the same of the same tool."""
    return f"{name} {json.dumps(arguments, sort_keys=True, default=str)}"


def sort_results(results: Iterable[ToolCallResult], more: Iterable[str]) -> Results:
    """Return what the results are worth; `more` is text that came otherwise."""
    texts: list[str] = []
    values: dict[str, str] = {}
    useful: list[str] = []
    errors: list[str] = []
    known: dict[str, object] = {}
    for result in results:
        text, key = result.text.strip(), call_key(result.origin.tool_name, result.origin.arguments)
        if result.error:
            errors.append(f"{result.origin.tool_name} failed: {text}")
        elif not _is_empty(text):
            useful.append(key)
            known.update(_scalars(text))
            if is_value(text):
                values[key] = text
            else:
                texts.append(_with_source(text, result.origin))
    return Results(
        findings=Findings([*texts, *(text for text in more if not _is_empty(text))], Stems()),
        values=values,
        useful=frozenset(useful),
        errors=tuple(errors),
        known=known,
    )


def is_value(text: str) -> bool:
    """Return whether `text` is short and names no source."""
    return len(text) <= BARE_CHARS and not any(found.citation for found in sentences(text))


def _is_empty(text: str) -> bool:
    if text.startswith(FOUND):  # tools to go on with, and nothing about what is asked
        return True
    return len(text) <= BARE_CHARS and _EMPTY.match(text) is not None


def _scalars(text: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for item in reversed(json_objects(json_value(text))):  # the first object's values win
        found.update(
            {key: value for key, value in item.items() if isinstance(value, str | int | float)}
        )
    return found


def _with_source(text: str, call: ToolCall) -> str:
    """Return `text` under the place it was read from, where only the call says which."""
    if has_citation(text):
        return text
    named = {role_of(name, ""): str(value) for name, value in call.arguments.items() if value}
    if "file" not in named:
        return text
    heading = f" § {named['heading']}" if "heading" in named else ""
    return f"[{named['file']}{heading}]\n{text}"
