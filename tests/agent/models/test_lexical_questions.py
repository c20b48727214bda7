"""How a question is taken apart."""

from __future__ import annotations

import pytest

from podium.agent.models._lexical.questions import MAX_PARTS, split_question
from podium.agent.models._lexical.words import keywords, stem


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How do closures work?", ["How do closures work?"]),
        (
            "How do closures work, and what does nonlocal do?",
            ["How do closures work", "what does nonlocal do?"],
        ),
        (
            "When is __new__ called and is __init__ always called?",
            ["When is __new__ called", "is __init__ always called?"],
        ),
        ("What is a list? What is a tuple?", ["What is a list?", "What is a tuple?"]),
        ("Compare lists and tuples", ["Compare lists and tuples"]),
        ("Find closures; then write a summary.", ["Find closures", "write a summary."]),
        ("1. What is a list?\n2. Explain tuples.", ["What is a list?", "Explain tuples."]),
        ("- lists\n- tuples", ["lists", "tuples"]),
        ("What is a list? Cite your sources. Be brief.", ["What is a list?"]),
        ("How and why do generators stop?", ["How and why do generators stop?"]),
        (
            "How does x work, and in which order are operands evaluated?",
            ["How does x work", "in which order are operands evaluated?"],
        ),
        ('What does "stop and how" mean?', ['What does "stop and how" mean?']),
        ("What is 7 * (4 + 2)?", ["What is 7 * (4 + 2)?"]),
        ("", [""]),
    ],
)
def test_a_question_is_split_where_a_new_one_begins(question: str, parts: list[str]) -> None:
    assert [part.text for part in split_question(question)] == parts


def test_a_part_that_refers_back_takes_the_words_along() -> None:
    parts = split_question("What is a closure and how does it work?")

    assert parts[1].text == "how does it work? (about closure)"
    assert parts[1].stems == parts[0].stems


def test_there_are_never_more_than_the_most_parts() -> None:
    parts = split_question("? ".join(f"What is thing{n}" for n in range(50)) + "?")

    assert len(parts) == MAX_PARTS
    assert parts[-1].text.endswith("thing49?")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How does the with statement work?", ["with", "statement"]),
        ("What does `is` compare?", ["is", "compare"]),
        ("What does yield from do?", ["yield", "from"]),
        ("Who is with him for that?", []),
        ("Tell me about __enter__ and __exit__", ["enter", "exit"]),
    ],
)
def test_keywords_are_words_of_meaning_and_names(text: str, words: list[str]) -> None:
    assert keywords(text) == words


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("closures", "closure"),
        ("raised", "raise"),
        ("running", "run"),
        ("classes", "class"),
        ("tries", "try"),
        ("evaluated", "evaluates"),
    ],
)
def test_forms_of_a_word_share_a_stem(word: str, other: str) -> None:
    assert stem(word) == stem(other)
