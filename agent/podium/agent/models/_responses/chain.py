"""Going on from an earlier response that the server has kept, in place of sending all again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.agent.messages import ChatMessage
from podium.agent.models._responses.wire import encode_messages

PARAMETER = "previous_response_id"
KEY = "response_chain"
"""Where a reply's meta says what it answered: a digest of the conversation up to it."""


def is_chained(kwargs: Mapping[str, Any]) -> bool:
    """Return whether these parameters ask to go on from what the provider has kept.

    Raises:
        ValueError: they ask it to keep nothing as well.
    """
    if kwargs.get(PARAMETER) != "auto":
        return False
    if kwargs.get("store") is False:
        raise ValueError(
            f"generation_kwargs has {PARAMETER}='auto' and store=False, so the provider would keep "
            "nothing to go on from. Drop one of the two."
        )
    return True


def link(
    messages: Sequence[ChatMessage], *, server: str
) -> tuple[str | None, Sequence[ChatMessage]]:
    """Return the id of the response to go on from, and the messages that are new since.

    That is the last reply whose conversation is still the one it answered: a history that was
    edited, or comes from another server, is sent whole.
    """
    for place in range(len(messages) - 1, -1, -1):
        digest = messages[place].meta.get(KEY)
        if digest is None:
            continue
        if digest == _digest(messages[: place + 1], server=server):
            return str(messages[place].meta.get("id")), messages[place + 1 :]
        break
    return None, messages


def linked(messages: Sequence[ChatMessage], reply: ChatMessage, *, server: str) -> ChatMessage:
    """Return the reply with what `link` will ask for."""
    if not reply.meta.get("id"):
        return reply
    digest = _digest([*messages, reply], server=server)
    return replace(reply, meta={**reply.meta, KEY: digest})


def _digest(messages: Sequence[ChatMessage], *, server: str) -> str:
    sent = b"\n".join([server.encode(), *encode_messages(messages, server=server)])
    return hashlib.sha256(sent).hexdigest()
