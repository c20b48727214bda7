"""Content of any size and shape takes bounded time, and no part of it passes unredacted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from podium.tracing import _redaction
from podium.tracing._attribute_values import span_attributes
from podium.tracing.content import MAX_CONTENT_BYTES, content_data, content_text

SECRET = "sk-canary"


@pytest.fixture
def redacting() -> Iterator[None]:
    redaction = _redaction.Redaction(lambda _, text: text.replace(SECRET, "***"))
    _redaction.add(redaction)
    yield
    _redaction.remove(redaction)


class Said:
    """Says a secret, far into its text."""

    def __str__(self) -> str:
        return "x" * 8_190 + SECRET


def in_itself() -> list[Any]:
    knot: list[Any] = []
    knot.extend([knot, knot])
    return knot


@pytest.mark.parametrize(
    "content",
    [[1] * 1_000_000, {str(number): number for number in range(1_000_000)}, in_itself()],
    ids=["a list", "a dict", "a knot"],
)
def test_of_content_with_too_many_entries_the_first_are_told_and_the_cut_is_marked(
    content: Any,
) -> None:
    text, data = content_text("k", content), json.dumps(content_data("k", content))

    assert len(text.encode()) <= MAX_CONTENT_BYTES
    assert "[cut: " in text
    assert "entries]" in data
    assert len(data) < 1_000_000


@pytest.mark.usefixtures("redacting")
@pytest.mark.parametrize("content", [{SECRET: 1}, [{"a": {SECRET: {}}}], Said(), [Said()]])
def test_names_and_texts_of_anything_are_redacted_in_content(content: Any) -> None:
    assert "sk-" not in content_text("k", content)


@pytest.mark.usefixtures("redacting")
@pytest.mark.parametrize("value", [{SECRET: SECRET}, [{"a": SECRET}], Said(), [Said()], {SECRET}])
def test_whatever_becomes_text_in_an_attribute_is_redacted_before_it_is_cut(value: Any) -> None:
    assert "sk-" not in str(span_attributes({"k": value}))
