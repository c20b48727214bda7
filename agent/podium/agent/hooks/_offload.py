"""Keeping large tool results out of the conversation: stored whole, shown as a pointer."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from podium.agent._history import open_calls
from podium.agent.hooks._result_store import ToolResultStore
from podium.agent.messages import ChatMessage
from podium.tools import State, ToolCallResult, replace_values

logger = logging.getLogger(__name__)

OFFLOADED = "tool_result_offloaded"
"""The key in a message's meta that says where its whole result is."""
STORE_KEY = "tool_result_store"
"""The key in the hook context under which a run may bring a store of its own."""


class OffloadPolicy(Protocol):
    """Says which results are stored."""

    def should_offload(self, text: str) -> bool:
        """Return whether a result with this text is to be stored."""
        ...


class AlwaysOffload:
    """Stores every result that has any text."""

    def should_offload(self, text: str) -> bool:
        """Return True."""
        return True


class NeverOffload:
    """Keeps every result where it is."""

    def should_offload(self, text: str) -> bool:
        """Return False."""
        return False


class OffloadOverChars:
    """Stores results of more than `threshold` characters."""

    def __init__(self, threshold: int) -> None:
        """Keep the threshold.

        Raises:
            ValueError: it is no whole number of at least 0.
        """
        if isinstance(threshold, bool) or not isinstance(threshold, int) or threshold < 0:
            raise ValueError(
                f"OffloadOverChars got threshold={threshold!r}. Give a whole number, 0 or more."
            )
        self.threshold = threshold

    def should_offload(self, text: str) -> bool:
        """Return whether the text is longer than the threshold."""
        return len(text) > self.threshold


class ToolResultOffloadHook:
    """Stores large results of a step's tools and puts a pointer with a preview in their place.

    `offload_strategies` maps a tool's name, a tuple of names, or `"*"` to a policy; a tool without
    one keeps its results. Errors, empty results, images and files stay where they are. A store that
    fails costs nothing: the result stays, and a warning is logged. Register it at `after_tool`.
    """

    allowed_hook_points = ("after_tool",)

    def __init__(
        self,
        store: ToolResultStore,
        offload_strategies: Mapping[str | tuple[str, ...], OffloadPolicy],
        *,
        preview_chars: int = 200,
    ) -> None:
        """Keep the store, the policies and the length of the preview."""
        self.store = store
        self.offload_strategies = dict(offload_strategies)
        self.preview_chars = preview_chars

    def run(self, state: State) -> None:
        """Look at the newest results; files are written here, in a worker thread."""
        messages: list[ChatMessage] = state.data["messages"]
        _, results = open_calls(messages)
        newest = {id(message) for message in results}
        store: ToolResultStore = state.data["hook_context"].get(STORE_KEY, self.store)
        step = int(state.data["step_count"])
        changed = [
            self._offloaded(message, store, step) if id(message) in newest else message
            for message in messages
        ]
        if any(one is not other for one, other in zip(changed, messages, strict=True)):
            state.set("messages", changed, handler_override=replace_values)

    def _offloaded(self, message: ChatMessage, store: ToolResultStore, step: int) -> ChatMessage:
        result = message.tool_call_result
        if result is None or OFFLOADED in message.meta or not self._applies(result):
            return message
        text = result.text
        key = f"{step}_{result.origin.tool_name}_{result.origin.id}.txt"
        try:
            reference = store.write(key, text)
        except Exception as error:  # a full disk must not cost the result that is at hand
            logger.warning("Result %s could not be stored: %s", key, error)
            return message
        pointer = (
            f"[The result of call {result.origin.id} has {len(text):,} characters and is stored as "
            f"{reference}. It starts with:]\n{text[: self.preview_chars]}"
        )
        return replace(
            message,
            parts=(replace(result, result=pointer),),
            meta={**message.meta, OFFLOADED: reference},
        )

    def _applies(self, result: ToolCallResult) -> bool:
        if result.error or not isinstance(result.result, str) or not result.result:
            return False
        policy = self._policy(result.origin.tool_name)
        return policy is not None and policy.should_offload(result.result)

    def _policy(self, tool: str) -> OffloadPolicy | None:
        exact = self.offload_strategies.get(tool)
        if exact is not None:
            return exact
        for names, policy in self.offload_strategies.items():
            if isinstance(names, tuple) and tool in names:
                return policy
        return self.offload_strategies.get("*")
