"""Factors that learn: a prompt that was larger than its bound makes later bounds larger."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from podium.agent import ChatMessage
from podium.agent._learned_factors import MARGIN, LearnedFactors
from podium.agent._prompt_bound import PromptBound

QUESTION = [ChatMessage.from_user("What does a closure keep alive, and for how long?")]
FOLLOW_UP = [*QUESTION, ChatMessage.from_user("Why?")]


def test_nothing_is_raised_before_there_is_a_reason() -> None:
    factors = LearnedFactors()
    first = PromptBound("m", factors=factors)

    first.note(QUESTION, [], first.bound(QUESTION, []), 5)

    assert (factors.factor("m"), factors.overruns) == (1.0, 0)


def test_a_prompt_larger_than_its_bound_raises_the_factor_for_the_whole_tree() -> None:
    factors = LearnedFactors()
    one, another = PromptBound("m", factors=factors), PromptBound("m", factors=factors)
    estimated = one.bound(QUESTION, [])

    one.note(QUESTION, [], estimated * 2, 5)

    assert factors.factor("m") == pytest.approx(2 * MARGIN)
    assert another.bound(QUESTION, []) >= estimated * 2
    assert factors.overruns == 1


def test_another_model_is_not_blamed() -> None:
    factors = LearnedFactors()
    factors.learn("m", 0, 100, 200)

    assert factors.factor("other") == 1.0
    assert factors.bound("other", 0, 100) == 100


def test_a_factor_never_falls() -> None:
    factors = LearnedFactors()
    factors.learn("m", 0, 100, 300)

    factors.learn("m", 0, 100, 101)

    assert factors.factor("m") == pytest.approx(3 * MARGIN)


def test_only_what_was_estimated_is_multiplied() -> None:
    factors = LearnedFactors()

    factors.learn("m", 1000, 100, 1200)

    assert factors.factor("m") == pytest.approx(2 * MARGIN)
    assert factors.bound("m", 1000, 100) == 1210
    assert factors.bound("m", 1000, 0) == 1000


def test_a_prompt_that_the_provider_adds_is_not_taken_for_a_worse_tokenizer() -> None:
    factors = LearnedFactors()
    one, another = PromptBound("m", factors=factors), PromptBound("m", factors=factors)
    estimated = one.bound(QUESTION, [])

    one.note(QUESTION, [], estimated + 2000, 5)

    assert factors.factor("m") == 1.0
    assert another.bound(QUESTION, []) == estimated + 2000
    assert one.bound(FOLLOW_UP, []) == estimated + 2000 + another.bound(FOLLOW_UP[1:], []) - 2000


def test_the_same_request_counted_differently_is_an_overrun_and_teaches_nothing() -> None:
    factors = LearnedFactors()
    prompts = PromptBound("m", factors=factors)
    prompts.note(QUESTION, [], 20, 5)

    prompts.note(QUESTION, [], 25, 5)

    assert (factors.factor("m"), factors.overruns) == (1.0, 1)
    assert prompts.bound(QUESTION, []) == 25


def test_threads_may_learn_at_once() -> None:
    factors = LearnedFactors()

    def learn(tokens: int) -> None:
        factors.learn("m", 0, 1000, tokens)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(learn, range(1001, 2001)))

    assert factors.overruns == 1000
    assert factors.factor("m") == pytest.approx(2 * MARGIN)
