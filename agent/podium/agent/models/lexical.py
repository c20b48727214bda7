"""A stand-in for a chat model that needs no network, no key and no weights.

    from podium.agent import Agent
    from podium.agent.models import LexicalChatGenerator

    agent = Agent(chat_generator=LexicalChatGenerator(), tools=[search])

It matches words. It picks the tools whose names and descriptions share words with what is asked,
fills their arguments from the text and the schema, and answers with sentences quoted from their
results, each with its source. It understands nothing and knows nothing: what no result says, it
says it did not find. Its use is to run agents where there is no model, such as in examples,
tests and on a first try, and to do so in the same way every time.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import anyio.lowlevel

from podium.agent.messages import ChatMessage
from podium.agent.models._estimate import estimate_prompt_tokens
from podium.agent.models._lexical.answers import answer
from podium.agent.models._lexical.output import is_misfit, structured_answer, wanted_schema
from podium.agent.models._lexical.plan import Turn
from podium.agent.models._lexical.reply import build_reply, chunks
from podium.agent.models._lexical.results import sort_results
from podium.agent.models._lexical.task import Conversation, read_conversation
from podium.agent.models._lexical.tools import view_tools
from podium.agent.models._lexical.words import tokens
from podium.agent.models._output_caps import lowered, stated_limit
from podium.agent.models._protocol import StreamingCallback
from podium.tools import Tool, ToolCall

_NOTE = (
    "I am podium's lexical stand-in, not a language model. I match words, call the tools whose "
    "descriptions fit, and quote what they return. I know nothing by myself."
)
_WHO = re.compile(
    r"\b(?:who|what|which (?:language )?model) are you\b|\bwhat(?: is|'s) your name\b"
    r"|\bare you (?:an? )?(?:real|ai|llm|bot|human|language model|model)\b",
    re.IGNORECASE,
)
_GREETINGS = frozenset(
    "hello hi hey greetings good morning afternoon evening day thanks thank you bye there"
    " everyone very much how are doing".split()
)


class LexicalChatGenerator:
    """A deterministic stand-in for a chat model: it matches words and quotes tool results.

    The same messages and tools always give the same reply. Usage is estimated, not counted.
    """

    supports_structured_output = True
    """It heeds `response_format`, so no prompt has to ask for it."""
    output_cap_is_hard = True
    """No reply goes beyond its limit."""
    max_output_tokens: int | None = None
    """A reply without a limit is as long as what it quotes."""

    def __init__(self, *, model: str = "lexical", max_rounds: int = 6) -> None:
        """Make a stand-in.

        Args:
            model: the name that its replies give in `meta["model"]`.
            max_rounds: how many times it calls tools for one task before it answers.

        Raises:
            ValueError: `max_rounds` is negative.
        """
        if max_rounds < 0:
            raise ValueError(
                f"LexicalChatGenerator got max_rounds={max_rounds!r}, and there cannot be fewer "
                "than no rounds. Pass 0 or more."
            )
        self.model = model
        self.max_rounds = max_rounds

    async def run_async(
        self,
        messages: Sequence[ChatMessage] | str,
        *,
        tools: Iterable[Tool] | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        streaming_callback: StreamingCallback | None = None,
    ) -> dict[str, list[ChatMessage]]:
        """Return `{"replies": [reply]}`: calls that fit the task, or the answer.

        Of `generation_kwargs` it heeds `max_tokens`, `max_completion_tokens` and
        `response_format`. With a `streaming_callback` the reply is handed to it word by word.
        """
        await anyio.lowlevel.checkpoint()
        if isinstance(messages, str):
            messages = [ChatMessage.from_user(messages)]
        options, offered = generation_kwargs or {}, list(tools or ())
        text, calls = self._decide(messages, offered, options)
        reply = build_reply(
            text,
            calls,
            limit=stated_limit(options),
            prompt_tokens=estimate_prompt_tokens(messages, offered),
            model=self.model,
        )
        if streaming_callback is not None:
            for chunk in chunks(reply):
                pending = streaming_callback(chunk)
                if inspect.isawaitable(pending):
                    await pending
        return {"replies": [reply]}

    def with_output_cap(
        self, generation_kwargs: Mapping[str, Any] | None, max_tokens: int
    ) -> Mapping[str, Any]:
        """Return the parameters with an output limit; a lower one stays."""
        given = dict(generation_kwargs or {})
        return given | lowered(given, max_tokens, "max_tokens")

    def output_limit(self, generation_kwargs: Mapping[str, Any] | None) -> int | None:
        """Return how many tokens a call may write; None for no limit."""
        return stated_limit(generation_kwargs or {})

    def _decide(
        self, messages: Sequence[ChatMessage], tools: Sequence[Tool], options: Mapping[str, Any]
    ) -> tuple[str, list[ToolCall]]:
        """Return the text to say, or the calls to make."""
        schema = wanted_schema(messages, options)
        conversation = read_conversation(
            messages, can_call=bool(tools), is_misfit=lambda text: is_misfit(text, schema)
        )
        about_itself = _about_itself(conversation)
        if about_itself and schema is None:
            return about_itself, []
        task = conversation.task
        results = sort_results(conversation.results, [task.material])
        turn = Turn(conversation, results, view_tools(tools))
        calls = turn.calls() if conversation.rounds < self.max_rounds else []
        if calls:
            return "", calls
        if not (results.findings or results.values):
            results = sort_results(conversation.results, [task.material, *conversation.earlier])
        text = answer(task.parts, results, turn.own_keys)
        if schema is not None:
            text = structured_answer(schema, text, task.parts, results) or text
        return text, []


def _about_itself(conversation: Conversation) -> str:
    """Return what it says when it is greeted or asked what it is; empty for any other task."""
    text = conversation.task.text
    words = tokens(text)
    if not conversation.calls and (_WHO.search(text) or _GREETINGS.issuperset(words)):
        return _NOTE
    return ""
