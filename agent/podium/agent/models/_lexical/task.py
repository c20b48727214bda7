"""The task of a run as the messages tell it: what is asked, about which sources, and what came."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from podium.agent.messages import ChatMessage, ChatRole
from podium.agent.models._lexical.passages import Reference, references, without_citations
from podium.agent.models._lexical.questions import Part, split_question
from podium.agent.models._lexical.spans import quotes
from podium.agent.models._lexical.words import tokens
from podium.tools import ToolCall, ToolCallResult

MAX_QUESTION_CHARS = 1_500
"""A longer paragraph is material, not a question."""
MAX_CLAIMS = 8

_SOURCES = re.compile(r"^[ \t]*(?:sources?|from)[ \t]*:[^\n]*$", re.IGNORECASE | re.MULTILINE)
_LABEL = re.compile(r"^\s*(?:question|task|query)\s*:\s*", re.IGNORECASE)
_MATERIAL = re.compile(
    r"^\s*(?:context|text|documents?|findings|passages?|notes|material)\s*:\s*", re.IGNORECASE
)
_CLAIM = re.compile(r"\bclaims?\b[^:\n]{0,60}:\s*(\S[\s\S]*)", re.IGNORECASE)
_CHECKS = re.compile(r"\b(?:claim|check|verify|supported|true)\b", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[-*\u2022])[ \t]+")


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked."""

    text: str
    """The message that asks it, as it stands."""
    parts: tuple[Part, ...]
    """What it asks, one thing at a time; the claims, where it is about claims."""
    references: tuple[Reference, ...]
    """The places it names."""
    claims: tuple[str, ...]
    """The statements it wants checked."""
    material: str
    """Longer text that came with it."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A task and what happened since."""

    task: Task
    """The last task a user set."""
    calls: tuple[ToolCall, ...]
    """The calls made for it, oldest first."""
    results: tuple[ToolCallResult, ...]
    """What came of them, in the same order."""
    rounds: int
    """How many messages with calls there were."""
    earlier: tuple[str, ...]
    """What earlier tasks brought: tool results and answers, oldest first."""


def read_conversation(
    messages: Sequence[ChatMessage], *, can_call: bool, is_misfit: Callable[[str], bool]
) -> Conversation:
    """Return the last task in `messages` and what happened since.

    A user's message is no new task when it comes between tool results and their answer and no tool
    can be called, or asks nothing: it says how to go on. Nor is one after an answer that is a
    misfit: it asks for the same again.
    """
    places = [at for at, message in enumerate(messages) if message.is_from(ChatRole.USER)]
    while len(places) > 1 and _goes_on(messages, places[-1], can_call, is_misfit):
        places.pop()
    start = places[-1] if places else max(0, len(messages) - 1)
    since = messages[start:]
    asking = [message for message in since if message.tool_calls]
    return Conversation(
        task=read_task(messages[start].text or "" if messages else ""),
        calls=tuple(call for message in asking for call in message.tool_calls),
        results=tuple(result for message in since for result in message.tool_call_results),
        rounds=len(asking),
        earlier=tuple(_earlier(messages[:start])),
    )


def _goes_on(
    messages: Sequence[ChatMessage], place: int, can_call: bool, is_misfit: Callable[[str], bool]
) -> bool:
    before, text = messages[place - 1], messages[place].text or ""
    if before.is_from(ChatRole.TOOL):
        return not can_call or "?" not in text
    return before.is_from(ChatRole.ASSISTANT) and is_misfit(before.text or "")


def _earlier(messages: Sequence[ChatMessage]) -> list[str]:
    texts = [result.text for message in messages for result in message.tool_call_results]
    answers = [message.text for message in messages if message.is_from(ChatRole.ASSISTANT)]
    return [*texts, *(text for text in answers if text)]


def read_task(text: str) -> Task:
    """Return what `text` asks."""
    places = tuple(references(text))
    asked, material = _without_material(_SOURCES.sub("", text))
    claims = _claims(asked)
    bare = without_citations(_LABEL.sub("", asked)).strip()
    parts = tuple(Part.of(claim) for claim in claims) or split_question(bare)
    return Task(text, parts, places, claims, material)


def _without_material(text: str) -> tuple[str, str]:
    """Return the question in `text`, and the longer text that came with it."""
    paragraphs = [piece for piece in re.split(r"\n[ \t]*\n", text) if piece.strip()]
    asking = [piece for piece in paragraphs if not _MATERIAL.match(piece)]
    before = list(takewhile(lambda piece: not _MATERIAL.match(piece), paragraphs))
    if any("?" in piece for piece in before):
        asking = before  # what is asked before the material is not asked in it
    short = [piece for piece in asking if len(piece) <= MAX_QUESTION_CHARS]
    questions = [piece for piece in short if "?" in piece or _ITEM.match(piece)] or short[:1]
    if not questions:
        return text, ""
    rest = [_MATERIAL.sub("", piece) for piece in paragraphs if piece not in questions]
    return "\n".join(questions), "\n\n".join(rest)


def _claims(text: str) -> tuple[str, ...]:
    """Return the statements that `text` wants checked, without their citations."""
    named = _CLAIM.search(text)
    if named:
        lines = [_ITEM.sub("", line) for line in named.group(1).splitlines()]
    elif _CHECKS.search(text):
        lines = [quote for quote in quotes(text) if len(tokens(quote)) > 3]
    else:
        lines = []
    bare = [without_citations(line).strip().strip('"“”') for line in lines]
    return tuple(claim for claim in bare if claim)[:MAX_CLAIMS]
