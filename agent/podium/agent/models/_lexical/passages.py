"""What tool results say and where it stands: sentences, each with its citation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from podium.agent.models._lexical.schemas import is_mapping, list_in

MAX_SENTENCE_CHARS = 600
"""A longer sentence is a list or a table; it is cut."""
MAX_JSON_VALUES = 5_000

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,300})\]")
_FILE = r"[\w./~:%-]{1,200}\.(?:md|rst|txt|html?|pdf|py|csv|json|ya?ml|toml|docx?|tex)\b"
_FILE_NAME = re.compile(rf"(?<![\w./~:%-]){_FILE}", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s<>\"'\])]{1,300}")
_CITES = re.compile(rf"\S\s*§|^(?:sources?: |https?://)|^{_FILE}", re.IGNORECASE)
_RULE = re.compile(r"^\W*$")
_BULLET = re.compile(r"^\s*(?:[-*\u2022#>]+|\d{1,3}[.)])\s+")
_HYPHENATED = re.compile(r"(?<=\w)-\s*\n\s*(?=\w)")
_BLANK_LINES = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)"
    r"[\"')\u201d\u2019]{0,2}\s+(?=[A-Z\"\u201c`'(\[_*])"
)
_CODE = re.compile(r"^\s*(?:>>>|\.\.\. )|::=|```", re.MULTILINE)
_INDENTED = re.compile(r"(?:[ \t]{3,}.*(?:\n|$))+")
_TEXT_KEYS = ("text", "passage", "content", "snippet", "summary", "body", "answer", "quote")
_FILE_KEYS = ("file", "source", "path", "document", "filename", "url", "title", "name")
_HEADING_KEYS = ("heading", "section", "chapter", "anchor")


@dataclass(frozen=True, slots=True)
class Reference:
    """A place that a citation names."""

    citation: str
    """The citation as it stood, brackets included."""
    file: str
    """The document: a file name, a title or a URL."""
    heading: str
    """The place in it; empty when the citation names only the document."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that some result holds."""

    text: str
    """The sentence on one line."""
    citation: str
    """Where it stands, as the result said it; empty when it did not."""
    place: int
    """Its number among the sentences of its result, from 0."""


def references(text: str) -> list[Reference]:
    """Return the places that `text` names, in order, each once: citations, else files and URLs."""
    cited = dict.fromkeys(found.group() for found in _citations(text))
    if cited:
        return [_reference(citation) for citation in cited]
    names = dict.fromkeys([*_URL.findall(text), *_FILE_NAME.findall(_URL.sub(" ", text))])
    return [Reference(name, name, "") for name in names]


def has_citation(text: str) -> bool:
    """Return whether `text` names a source in brackets."""
    return any(True for _ in _citations(text))


def without_citations(text: str) -> str:
    """Return `text` without the citations in it."""
    return _BRACKETS.sub(lambda found: "" if _CITES.search(found.group(1)) else found.group(), text)


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a tool result, text or JSON, each with the citation nearest to it."""
    found = [
        (sentence, citation)
        for passage, citation in _passages(text)
        if passage and not passage.isspace()  # much of a list of sources is nothing but citations
        for sentence in _split(passage)
    ]
    return [Sentence(sentence, citation, place) for place, (sentence, citation) in enumerate(found)]


def json_value(text: str) -> object:
    """Return the JSON array or object that `text` is, or None."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def json_objects(value: object) -> list[Mapping[str, object]]:
    """Return the objects in JSON data, outermost first; so many values are looked at."""
    found: list[Mapping[str, object]] = []
    waiting = [value]
    for _ in range(MAX_JSON_VALUES):
        if not waiting:
            break
        item = waiting.pop()
        if is_mapping(item):
            found.append(item)
            waiting.extend(reversed(list(item.values())))
        else:
            waiting.extend(reversed(list_in(item)))
    return found


def _citations(text: str) -> Iterator[re.Match[str]]:
    return (found for found in _BRACKETS.finditer(text) if _CITES.search(found.group(1)))


def _reference(citation: str) -> Reference:
    body = re.sub(r"^sources?: ", "", citation[1:-1].strip(), flags=re.IGNORECASE)
    for mark in ("§", "#", " > ", ": "):
        file, found, heading = body.partition(mark)
        if found and file.strip():
            return Reference(citation, file.strip(), heading.strip())
    return Reference(citation, body, "")


def _passages(text: str) -> Iterator[tuple[str, str]]:
    """Yield pieces of `text` with their citations."""
    objects = json_objects(json_value(text))
    if objects:
        yield from (piece for item in objects for piece in _object_passages(item))
        return
    heading, start = "", 0
    for found in _citations(text):
        before = text[start : found.start()]
        if _ends_a_passage(before):
            earlier, passage = _last_paragraph(before)
            yield earlier, heading
            yield passage, found.group()
            heading = ""
        else:
            yield before, heading
            heading = found.group()
        start = found.end()
    yield text[start:], heading


def _ends_a_passage(before: str) -> bool:
    """Return whether a citation after `before` stands behind a sentence, not at a line's start."""
    line = before[before.rfind("\n") + 1 :]
    if not line or line.isspace():
        return False
    return any(letter.isalnum() for letter in _BULLET.sub("", line))


def _last_paragraph(text: str) -> tuple[str, str]:
    place = text.rfind("\n\n")
    return (text[:place], text[place:]) if place >= 0 else ("", text)


def _object_passages(item: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    text = next((value for key in _TEXT_KEYS if isinstance(value := item.get(key), str)), "")
    if not text:
        return
    cited = next(_citations(str(item.get("citation") or item.get("source") or "")), None)
    file = next((str(item[key]) for key in _FILE_KEYS if item.get(key)), "")
    heading = next((str(item[key]) for key in _HEADING_KEYS if item.get(key)), "")
    made = f"[{file} § {heading}]" if heading else f"[{file}]"
    citation = cited.group() if cited else (made if file else "")
    yield from ((piece, own or citation) for piece, own in _passages(text))


def _split(passage: str) -> Iterator[str]:
    """Yield the sentences of a passage, without rules, code and bracketed notes."""
    for block in _BLANK_LINES.split(passage):
        lines = [line for line in _HYPHENATED.sub("-", block).splitlines() if not _RULE.match(line)]
        for unit in () if _is_code(block) else _units(lines):
            if unit.startswith("[") and unit.endswith("]"):
                continue  # a note about the result, such as why a specialist stopped
            for sentence in _SENTENCE_END.split(unit):
                clean = sentence.strip(" \t\u2013\u2014-:;,|")
                if clean:
                    yield clean if len(clean) <= MAX_SENTENCE_CHARS else _cut(clean)


def _is_code(block: str) -> bool:
    """Return whether `block` is a listing: marked as one, or indented without a sentence's end."""
    if _CODE.search(block):
        return True
    return bool(_INDENTED.fullmatch(block)) and not block.rstrip().endswith((".", "!", "?", '."'))


def _units(lines: list[str]) -> Iterator[str]:
    """Yield runs of lines joined into one: a bullet begins a new run."""
    unit: list[str] = []
    for line in lines:
        bare = _BULLET.sub("", line)
        if bare != line and unit:
            yield " ".join(unit)
            unit = []
        unit.append(" ".join(bare.split()))
    yield " ".join(unit)


def _cut(sentence: str) -> str:
    return sentence[:MAX_SENTENCE_CHARS].rsplit(" ", 1)[0] + " …"
