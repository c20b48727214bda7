"""Strict bounds hold for any conversation, whatever is done to it, with a tokenizer of bytes."""

from __future__ import annotations

import dataclasses
import json

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from podium.agent import ChatMessage
from podium.agent._learned_factors import LearnedFactors
from podium.agent._prompt_bound import PromptBound
from podium.agent.messages import MessagePart
from podium.tools import TextContent, Tool, ToolCall, ToolCallResult

TOOLS = [
    Tool("search", "Search for «words».", {"type": "object", "properties": {}}, lambda: ""),
    Tool("read", "Read.", {"type": "object", "properties": {}}, lambda: ""),
]
texts = st.text(max_size=30)
arguments = st.dictionaries(texts, st.one_of(texts, st.integers(), st.none()), max_size=3)
calls = st.builds(ToolCall, st.sampled_from(["search", "read"]), arguments, id=texts)
spoken = st.one_of(
    texts.map(ChatMessage.from_system),
    st.builds(ChatMessage.from_user, texts, name=texts),
    st.builds(ChatMessage.from_tool, texts, calls),
)
replies = st.builds(
    ChatMessage.from_assistant,
    texts,
    tool_calls=st.lists(calls, max_size=3),
    reasoning=st.one_of(st.none(), texts),
)


def true_tokens(text: str) -> int:
    """A tokenizer that knows no words: each byte is a token."""
    return len(text.encode())


def true_prompt(messages: list[ChatMessage], tools: list[Tool]) -> int:
    """What a server counts whose template has two marks and a line for each message."""
    shown = [f"{one.role}\n{one.name or ''}\n" for one in messages]
    return sum(2 + true_tokens(head) for head in shown) + sum(
        [*map(true_reply, messages), *map(true_tool, tools)]
    )


def true_tool(tool: Tool) -> int:
    described = {"description": tool.description, "parameters": tool.parameters}
    return true_tokens(json.dumps({"name": tool.name, **described}, ensure_ascii=False))


def true_reply(message: ChatMessage) -> int:
    return sum(true_tokens(shown_part(part)) for part in message.parts)


def shown_part(part: MessagePart) -> str:
    match part:
        case TextContent(text):
            return text
        case ToolCall():
            call = {"name": part.tool_name, "arguments": dict(part.arguments)}
            return f"<call>{json.dumps(call, ensure_ascii=False)}{part.id}</call>"
        case ToolCallResult():
            return f"<result>{part.origin.id}\n{part.text}</result>"
        case _:
            return getattr(part, "reasoning_text", "")


class AnyConversation(RuleBasedStateMachine):
    """An agent that speaks, calls, forgets, copies and changes its tools in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.factors = LearnedFactors()
        self.prompts = PromptBound("m", factors=self.factors, strict=True)
        self.history: list[ChatMessage] = []
        self.tools = TOOLS[:1]

    @rule(message=spoken)
    def is_told(self, message: ChatMessage) -> None:
        self.history.append(message)

    @precondition(lambda self: self.history)
    @rule(reply=replies, keeps=st.booleans(), thought=st.integers(0, 500))
    def asks(self, reply: ChatMessage, keeps: bool, thought: int) -> None:
        sent, written = true_prompt(self.history, self.tools), true_reply(reply) + thought
        self.prompts.note(self.history, self.tools, sent, written, reply=reply)
        self.history += [reply] * keeps

    @rule(reply=replies, report=st.sampled_from([None, -1, 0, True, "7", 10**15]))
    def asks_and_is_told_nonsense(self, reply: ChatMessage, report: object) -> None:
        self.prompts.note(self.history, self.tools, report, report, reply=reply)
        self.history.append(reply)

    @precondition(lambda self: self.history)
    @rule(at=st.integers(0, 100), message=st.one_of(spoken, replies))
    def rewrites_one(self, at: int, message: ChatMessage) -> None:
        self.history[at % len(self.history)] = message

    @precondition(lambda self: self.history)
    @rule(at=st.integers(0, 100))
    def forgets_one(self, at: int) -> None:
        del self.history[at % len(self.history)]

    @rule()
    def copies_all(self) -> None:
        self.history = [dataclasses.replace(message) for message in self.history]

    @rule(count=st.integers(0, 2))
    def changes_tools(self, count: int) -> None:
        self.tools = TOOLS[:count]

    @invariant()
    def the_prompt_is_within_its_bound(self) -> None:
        assert self.prompts.bound(self.history, self.tools) >= true_prompt(self.history, self.tools)

    @invariant()
    def nothing_had_to_be_learned(self) -> None:
        assert self.factors.overruns == 0


TestStrictBounds = AnyConversation.TestCase
TestStrictBounds.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
