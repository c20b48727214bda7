"""The answer: the best sentences for each part, each with its source, and what was not found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podium.agent.models._lexical.findings import Findings
from podium.agent.models._lexical.passages import Sentence
from podium.agent.models._lexical.questions import Part
from podium.agent.models._lexical.results import Results

KNOWS_NOTHING = "I am a lexical stand-in and know only what tools return."
MAX_SENTENCES = 8
MAX_PER_PART = 4
MAX_ERROR_CHARS = 200


def answer(
    parts: Sequence[Part], results: Results, own_keys: Callable[[Part], Sequence[str]]
) -> str:
    """Return one paragraph for each part, and say plainly which parts have no answer.

    `own_keys` names the calls that were made for a part; their short values are given as they
    stand. A value whose part is not known, since its tool is gone, may answer any.
    """
    claimed = {part: [key for key in own_keys(part) if key in results.values] for part in parts}
    taken = {key for keys in claimed.values() for key in keys}
    paragraphs = [value for key, value in results.values.items() if key not in taken]
    unclaimed = len(paragraphs)
    missing: list[str] = []
    used: set[str] = set()
    for part in parts:
        found = _sentences(part, results.findings, len(parts), used)
        values = [results.values[key] for key in claimed[part]]
        if found or values:
            paragraphs.append(" ".join([*values, *map(_cited, found)]))
        else:
            missing.append(part.text)
    if len(missing) > unclaimed:
        paragraphs.append(_not_found(missing, results))
    return "\n\n".join(dict.fromkeys(paragraphs))


def _sentences(part: Part, findings: Findings, parts: int, used: set[str]) -> list[Sentence]:
    limit = max(1, min(MAX_PER_PART, MAX_SENTENCES // parts))
    if part.stems:
        found = findings.best(part, limit + len(used))
    else:
        found = findings.first(limit)
    fresh = [sentence for sentence in found if sentence.text not in used][:limit]
    used.update(sentence.text for sentence in fresh)
    return _in_order(fresh)


def _in_order(found: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences by place: the best place first, in it as they stand there."""
    places = list(dict.fromkeys(sentence.citation for sentence in found))
    return sorted(found, key=lambda sentence: (places.index(sentence.citation), sentence.place))


def _cited(sentence: Sentence) -> str:
    return f"{sentence.text} {sentence.citation}".rstrip()


def _not_found(missing: Sequence[str], results: Results) -> str:
    asked = ", and nothing about ".join(f'"{text.rstrip(" ?.")}"' for text in missing)
    errors = "".join(f" ({error[:MAX_ERROR_CHARS]})" for error in dict.fromkeys(results.errors))
    hint = "" if results.useful or errors else f" {KNOWS_NOTHING}"
    return f"I found nothing about {asked}.{errors}{hint}"
