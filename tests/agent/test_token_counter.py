"""Counters that users plug in, and the one that uses tiktoken's vocabularies where it is there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from podium.agent import ChatMessage
from podium.agent._prompt_bound import PromptBound
from podium.agent.models._estimate import IMAGE_TOKENS, MESSAGE_OVERHEAD
from podium.agent.tokens import tiktoken_counter
from podium.tools import ImageContent, Tool, ToolCall

SEARCH = Tool("search", "Search.", {"type": "object", "properties": {}}, lambda: "")
ASKED = [ChatMessage.from_system("Be brief."), ChatMessage.from_user("What is a closure?")]
REPLY = ChatMessage.from_assistant("I do not know.")
MORE = ChatMessage.from_user("Look it up.")

Counted = list[tuple[list[ChatMessage], list[Tool]]]


def counter_into(counted: Counted) -> Any:
    """A counter that says 100 for each message and tool, and keeps what it was asked."""

    def count(messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> int:
        counted.append((list(messages), list(tools)))
        return 100 * (len(messages) + len(tools))

    return count


@pytest.mark.parametrize("strict", [False, True])
def test_a_counter_goes_before_podiums_own_estimates(strict: bool) -> None:
    counted: Counted = []
    prompts = PromptBound("m", token_counter=counter_into(counted), strict=strict)

    bound = prompts.bound(ASKED, [SEARCH])

    assert bound == 300
    assert counted == [(ASKED, [SEARCH])]


def test_a_counter_is_asked_once_for_a_prompt_and_then_for_what_is_new() -> None:
    counted: Counted = []
    prompts = PromptBound("m", token_counter=counter_into(counted))
    prompts.bound(ASKED, [SEARCH])
    prompts.note(ASKED, [SEARCH], 250, 7, reply=REPLY)

    bound = prompts.bound([*ASKED, REPLY, MORE], [SEARCH])

    assert counted[1:] == [([REPLY], []), ([MORE], [])]
    assert bound == 250 + 7 + MESSAGE_OVERHEAD + 100


@pytest.mark.parametrize("value", [-1, 1.5, True, "7", None])
def test_a_counter_that_does_not_count_is_refused(value: Any) -> None:
    prompts = PromptBound("m", token_counter=lambda messages, tools: value)

    with pytest.raises(ValueError, match=r"token_counter returned .*Return an int of 0 or more"):
        prompts.bound(ASKED, [])


class FakeTiktoken(ModuleType):
    """As much of tiktoken as is used, with vocabularies of words."""

    def list_encoding_names(self) -> list[str]:
        return ["words"]

    def get_encoding(self, name: str) -> Any:
        return SimpleNamespace(name=name, encode_ordinary=str.split)

    def encoding_for_model(self, model: str) -> Any:
        return self.get_encoding({"gpt-words": "words"}[model])


@pytest.fixture
def tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", FakeTiktoken("tiktoken"))


@pytest.mark.usefixtures("tiktoken")
@pytest.mark.parametrize("name", ["gpt-words", "words"])
def test_tiktoken_counts_by_model_or_by_vocabulary(name: str) -> None:
    count = tiktoken_counter(name)

    assert count(ASKED, []) == 2 * MESSAGE_OVERHEAD + 2 + 4


@pytest.mark.usefixtures("tiktoken")
def test_tiktoken_counts_calls_tools_and_images() -> None:
    count = tiktoken_counter("gpt-words")
    call = ChatMessage.from_assistant(tool_calls=[ToolCall("search", {"for": "two words"})])
    image = ChatMessage.from_user(content_parts=[ImageContent.from_bytes(b"png")])

    tools = count([], [SEARCH])

    assert tools == len('{"type": "function", "function": {"name": "search",'.split()) + 7
    assert count([call], []) == 2 * MESSAGE_OVERHEAD + 1 + 3
    assert count([image], [SEARCH]) == MESSAGE_OVERHEAD + IMAGE_TOKENS + tools


@pytest.mark.usefixtures("tiktoken")
def test_a_model_tiktoken_does_not_know_is_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match=r"'gemma'.*such as 'words'"):
        tiktoken_counter("gemma")


def test_without_tiktoken_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)

    with pytest.raises(ImportError, match=r"Run `pip install tiktoken`"):
        tiktoken_counter("gpt-5-mini")
