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
CHINESE = "协调者把任务交给专家。每个专家都可以再把任务交给别人。花费在哪里发生就在哪里计算。"
KOREAN = "조정자는 전문가에게 일을 맡기고, 전문가는 다시 다른 전문가에게 일을 맡길 수 있습니다."
GERMAN = "Ein Koordinator überträgt Aufgaben an Fachleute, die ihrerseits welche übertragen dürfen."
BASE64 = "q83vEjRWeJq83v7/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUm"
EMOJI = "🚀🎉🔥🧭🦉🪶"

# The true counts come from two public byte-pair vocabularies: the older one, which is dearer for
# scripts that are not Latin, and the newer one.
TRUE_COUNTS = [
    pytest.param(ENGLISH, 38, 38, id="english"),
    pytest.param(PYTHON, 38, 39, id="python"),
    pytest.param(JSON, 35, 35, id="json"),
    pytest.param(CHINESE, 44, 28, id="chinese"),
    pytest.param(KOREAN, 39, 22, id="korean"),
    pytest.param(GERMAN, 25, 19, id="german"),
    pytest.param(BASE64, 49, 44, id="base64"),
    pytest.param(EMOJI, 18, 14, id="emoji"),
]

BYTES_PER_SECOND = 2_000_000


@pytest.mark.parametrize(("text", "older", "newer"), TRUE_COUNTS)
def test_with_its_safety_factor_the_estimate_covers_the_true_count(
    text: str, older: int, newer: int
) -> None:
    assert 1.2 * estimate_tokens(text) >= max(older, newer)


@pytest.mark.parametrize(("text", "older", "newer"), TRUE_COUNTS)
def test_the_estimate_is_not_loose(text: str, older: int, newer: int) -> None:
    assert estimate_tokens(text) <= 1.6 * max(older, newer)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param(" ", 1, id="one space"),
        pytest.param("word", 1, id="a short word"),
        pytest.param("a word", 2, id="a space belongs to the word after it"),
        pytest.param("in 2026", 4, id="but not to a number, and digits go in pairs"),
        pytest.param("getUserName", 3, id="capitals start a piece"),
        pytest.param(" " * 640, 10, id="64 spaces are one"),
        pytest.param("\n" * 640, 80, id="8 blank lines are one"),
        pytest.param("a\n\n\nb", 3, id="blank lines are one"),
        pytest.param("-" * 64, 2, id="a rule of one sign is short"),
        pytest.param("){;[&^!", 5, id="signs go in pairs, and one by one after three"),
        pytest.param("strngth", 3, id="a word without a vowel at its start goes in pairs"),
        pytest.param("a" * 25, 8, id="and so does what goes beyond 15 letters"),
        pytest.param("qzxv jkwq vxzj wqkz", 20 - 1, id="no word at all is bounded by its bytes"),
        pytest.param("\u6211\u9f98", 4, id="an everyday ideograph, and a rare one"),
        pytest.param("\ud83d", 3, id="half an emoji, as broken text may hold"),
    ],
)
def test_text_is_counted_in_pieces(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text())
def test_no_text_is_more_tokens_than_bytes(text: str) -> None:
    assert min(1, len(text)) <= estimate_tokens(text) <= len(text.encode())


def test_estimating_is_fast_enough_for_whole_documents() -> None:
    text = (ENGLISH + PYTHON + JSON + CHINESE + GERMAN) * 400
    started = time.process_time()

    estimate_tokens(text)

    seconds = time.process_time() - started
    assert len(text.encode()) / seconds > BYTES_PER_SECOND


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        pytest.param(ChatMessage.from_user("a word"), 2, id="text"),
        pytest.param(ChatMessage.from_assistant("ok", reasoning="so what"), 3, id="reasoning"),
        pytest.param(
            ChatMessage.from_assistant(tool_calls=[ToolCall("add", {"a": 2, "b": "x"})]),
            MESSAGE_OVERHEAD + 1 + 10,
            id="a call is framed like a message",
        ),
        pytest.param(ChatMessage.from_tool("a word", ToolCall("add")), 2, id="a result"),
        pytest.param(
            ChatMessage.from_user(
                content_parts=[
                    ImageContent.from_bytes(b"png"),
                    ImageContent.from_bytes(b"png", detail="low"),
                ]
            ),
            IMAGE_TOKENS + LOW_DETAIL_IMAGE_TOKENS,
            id="images have a fixed price",
        ),
        pytest.param(
            ChatMessage.from_tool(
                [FileContent.from_bytes(b"x" * 300, mime_type="text/plain")], ToolCall("read")
            ),
            100,
            id="three bytes of a file are a token",
        ),
    ],
)
def test_a_message_costs_its_parts_and_its_frame(message: ChatMessage, tokens: int) -> None:
    assert estimate_message_tokens(message) == MESSAGE_OVERHEAD + tokens


def test_a_message_is_counted_once() -> None:
    message = ChatMessage.from_user("tree " * 100_000)
    first = estimate_message_tokens(message)
    started = time.process_time()

    again = estimate_message_tokens(message)

    assert again == first == MESSAGE_OVERHEAD + 100_000
    assert time.process_time() - started < 0.01


def test_a_prompt_costs_its_messages_and_a_third_of_the_bytes_of_its_tools() -> None:
    messages = [ChatMessage.from_system("a word"), ChatMessage.from_user("word")]
    search = Tool("search", "Search.", {"type": "object", "properties": {}}, print)
    definition = (
        '{"type":"function","function":{"name":"search","description":"Search.",'
        '"parameters":{"type":"object","properties":{}}}}'
    )

    without = estimate_prompt_tokens(messages, None)
    with_tools = estimate_prompt_tokens(messages, [search])

    assert without == 2 * MESSAGE_OVERHEAD + 3
    assert with_tools == without + -(-len(definition) // 3)
