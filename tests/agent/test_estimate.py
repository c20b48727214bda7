"""The piece estimator: near what tokenizers count, never far under, never above the bytes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.agent import ChatMessage
from podium.agent.models._estimate import (
    IMAGE_TOKENS,
    LOW_DETAIL_IMAGE_TOKENS,
    MESSAGE_OVERHEAD,
    estimate_message_tokens,
    estimate_prompt_tokens,
    estimate_tokens,
)
from podium.tools import FileContent, ImageContent, Tool, ToolCall

ENGLISH = (
    "A coordinator agent delegates to specialist agents, and each of them may delegate in turn. "
    "What they spend is counted once, at the place where it is spent, and never more than allowed."
)
PYTHON = """def estimate(text: str) -> int:
    seen = Counter("".join(NOT_ASCII.findall(text)))
    return sum(weight(char) * count for char, count in seen.items())
"""
JSON = '{"id": 17, "sku": "K-17", "name": "blue chair", "tags": ["a", "b"], "ok": true}'
CHINESE = "协调者把任务交给专家，每个专家都可以再把任务交给别人。花费在哪里发生就在哪里计算。"
KOREAN = "조정자는 전문가에게 일을 맡기고, 전문가는 다시 다른 전문가에게 일을 맡길 수 있습니다."
GERMAN = "Ein Koordinator überträgt Aufgaben an Fachleute, die ihrerseits welche übertragen dürfen."
BASE64 = "q83vEjRWeJq83v7/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUm"
EMOJI = "🚀🎉🔥🧭🦉🪶"

# The true counts come from two public byte-pair vocabularies: the older one, which is dearer for
# scripts that are not Latin, and the newer one.
TRUE_COUNTS = [
    pytest.param(ENGLISH, OLD_0, NEW_0, id="english"),
]


@pytest.mark.parametrize(("text", "older", "newer"), TRUE_COUNTS)
def test_the_estimate_with_its_safety_factor_covers_the_true_count(
    text: str, older: int, newer: int
) -> None:
    assert estimate_tokens(text) * 1.2 >= max(older, newer)


@pytest.mark.parametrize(("text", "older", "newer"), TRUE_COUNTS)
def test_the_estimate_is_not_loose(text: str, older: int, newer: int) -> None:
    assert estimate_tokens(text) <= 2 * max(older, newer)
