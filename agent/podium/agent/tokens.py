"""Counting prompts exactly, for budgets: with a counter of your own, or tiktoken's vocabularies.

    from podium.agent import Budget
    from podium.agent.tokens import tiktoken_counter

    budget = Budget(total_tokens=50_000, token_counter=tiktoken_counter("gpt-5-mini"))

Without a counter podium estimates, about a third above the truth for prose and code.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from podium.agent._measure import Measure
from podium.agent.messages import ChatMessage
from podium.tools import Tool

TokenCounter = Callable[[Sequence[ChatMessage], Sequence[Tool]], int]
"""Returns the tokens of these messages and tools in a prompt, with all that frames them.

Must be a plain function, and quick: it is called between two model calls. It is asked for whole
prompts, and for the messages that were added to one, then with no tools.
"""


def tiktoken_counter(model: str) -> TokenCounter:
    """Return a counter that uses the vocabulary of an OpenAI model, or one named, as `o200k_base`.

    The vocabulary is loaded here; tiktoken downloads it the first time and keeps it (in
    `TIKTOKEN_CACHE_DIR`), so call this when your program starts. Images have a fixed price.

    Raises:
        ImportError: tiktoken is not installed.
        ValueError: tiktoken knows no such model or vocabulary.
    """
    vocabulary = _vocabulary(model)

    def count(text: str) -> int:
        return len(vocabulary.encode_ordinary(text))

    measure = Measure(f"tiktoken.{vocabulary.name}", count, count)

    def counter(messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> int:
        return sum(map(measure.message, messages)) + sum(map(measure.tool, tools))

    return counter


def _vocabulary(model: str) -> Any:
    try:
        tiktoken: Any = importlib.import_module("tiktoken")
    except ImportError as error:
        raise ImportError(
            f"tiktoken_counter({model!r}) needs tiktoken, which is not installed. "
            "Run `pip install tiktoken`, or leave token_counter out: podium then estimates."
        ) from error
    if model in tiktoken.list_encoding_names():
        return tiktoken.get_encoding(model)
    try:
        return tiktoken.encoding_for_model(model)
    except KeyError as error:
        raise ValueError(
            f"tiktoken knows no vocabulary for the model {model!r}. Name one that is near it, such "
            f"as {tiktoken.list_encoding_names()[-1]!r}, or leave token_counter out."
        ) from error
