"""Structured answers: the JSON schema that is asked for, and an object for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.agent.messages import ChatMessage, ChatRole
from podium.agent.models._lexical.filling import Field, fill_object
from podium.agent.models._lexical.passages import Sentence, json_value
from podium.agent.models._lexical.questions import Part
from podium.agent.models._lexical.results import Results
from podium.agent.models._lexical.schemas import Schema, fits, is_mapping, mapping_in
from podium.agent.models._lexical.spans import number_near, numbers, value_of
from podium.agent.models._lexical.words import name_tokens, tokens

MAX_SCHEMA_STARTS = 20
"""So many places in a system text are tried as the start of a schema."""

_ANSWER = frozenset("answer result response reply summary text content output report".split())
_SOURCE = frozenset("source sources citation citations reference references evidence".split())
_TOPIC = frozenset("question query topic title subject task name".split())


def wanted_schema(
    messages: Sequence[ChatMessage], generation_kwargs: Mapping[str, Any]
) -> Schema | None:
    """Return the JSON schema that the answer must fit, or None when any text will do."""
    asked = generation_kwargs.get("response_format")
    if asked is not None and hasattr(asked, "model_json_schema"):
        return mapping_in(asked.model_json_schema())
    if is_mapping(asked):
        schema = mapping_in(asked.get("json_schema")).get("schema")
        return mapping_in(schema) or {"type": "object"}
    texts = [message.text or "" for message in messages if message.is_from(ChatRole.SYSTEM)]
    return next((found for text in texts if (found := _schema_in(text)) is not None), None)


def _schema_in(text: str) -> Schema | None:
    """Return the first JSON object in `text` that describes an object."""
    decoder, place = json.JSONDecoder(), -1
    for _ in range(MAX_SCHEMA_STARTS):
        place = text.find("{", place + 1)
        if place < 0:
            return None
        try:
            found = mapping_in(decoder.raw_decode(text, place)[0])
        except (ValueError, RecursionError):
            continue
        if mapping_in(found.get("properties")):
            return found
    return None


def is_misfit(text: str, schema: Schema | None) -> bool:
    """Return whether `text` was to fit `schema` and does not."""
    return schema is not None and not fits(json_value(text), schema, schema)


def structured_answer(
    schema: Schema, text: str, parts: Sequence[Part], results: Results
) -> str | None:
    """Return JSON that fits `schema`, filled from the answer `text` and what was found.

    None when no value is known that fits; the plain answer is then the honest one.
    """
    filled = fill_object(schema, _OutputGuess(text, parts, results))
    return None if filled is None else json.dumps(filled, ensure_ascii=False)


class _OutputGuess:
    """Guesses the fields of a structured answer."""

    def __init__(self, text: str, parts: Sequence[Part], results: Results) -> None:
        self._text, self._parts, self._results = text, parts, results
        found = [best for part in parts for best in results.findings.best(part, 4)]
        self._found: list[Sentence] = list(dict.fromkeys(found))

    def values(self, field: Field) -> Iterator[object]:
        """Yield values for `field`, the best first; only what is said for one not needed."""
        if field.name in self._results.known:
            yield self._results.known[field.name]
        if field.choices:
            yield from self._mentioned(field)
        elif field.kind in ("integer", "number"):
            yield from self._numbers(field)
        elif field.kind == "array":
            yield self._list(field)
        elif field.kind in ("string", ""):
            yield from self._texts(field)

    def _mentioned(self, field: Field) -> Iterator[object]:
        said = set(tokens(self._text))
        for choice in field.choices:
            words = tokens(choice) if isinstance(choice, str) else []
            if words and said.issuperset(words):
                yield choice

    def _numbers(self, field: Field) -> Iterator[object]:
        names = [word for word in name_tokens(field.name) if len(word) > 1]
        yield from (n for name in names if (n := number_near(self._text, name)) is not None)
        if field.needed:
            yield from numbers(self._text)

    def _list(self, field: Field) -> list[object]:
        if not _SOURCE.isdisjoint(name_tokens(field.name)):
            cited = [best.citation for best in self._found if best.citation]
            return list(dict.fromkeys(cited))
        return [best.text for best in self._found] or [self._text]

    def _texts(self, field: Field) -> Iterator[object]:
        names = set(name_tokens(field.name))
        if (said := value_of(self._text, field.name)) is not None:
            yield said
        if names & _SOURCE:
            yield from (best.citation for best in self._found if best.citation)
        if names & _TOPIC:
            yield " ".join(part.text for part in self._parts)
        if not field.needed:
            return
        if not names & _ANSWER:
            wanted = Part.of(f"{field.name.replace('_', ' ')} {field.description}")
            yield from (best.text for best in self._results.findings.best(wanted, 1))
        yield self._text
