"""Chat completions answers as messages, and the ways in which an answer says that it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._openai.json_text import decode, encode, join_text
from podium.agent.models._openai.reply_draft import (
    REASONING_FIELDS,
    ReplyDraft,
    as_list,
    as_mapping,
    as_text,
    content_pieces,
    is_unknown_field,
    read_calls,
)
from podium.tools import printable

FAILURES = frozenset(
    {"error", "network_error", "abort", "aborted", "cancelled", "insufficient_system_resource"}
)
"""Finish reasons which say that the provider broke off: the reply is no answer."""


def read_answer(body: bytes, model: str) -> list[ChatMessage]:
    """Return the replies of a whole answer, by choice; the first one carries the usage.

    Raises:
        ModelError: the body is no answer, or says that the provider failed.
    """
    answer = read_body(body)
    raise_for_error(answer, model=model)
    given = as_mapping(answer)
    choices = as_list(given.get("choices"))
    if not choices:
        raise no_choices(answer, model=model)
    meta = answer_meta(given, model=model)
    replies: list[ChatMessage] = []
    for position, choice in enumerate(choices):
        replies.append(_draft(choice, position, model=model).to_message(meta))
        meta.pop("usage", None)
    return replies


def read_body(body: bytes) -> Any:
    """Return the JSON value of an answer's body, or its text where it is none."""
    try:
        return decode(body)
    except ValueError:
        return body.decode("utf-8", "replace")


def answer_meta(answer: Mapping[str, Any], *, model: str) -> dict[str, Any]:
    """Return the facts that an answer, or a chunk of one, states about the whole of it."""
    meta: dict[str, Any] = {"model": as_text(answer.get("model")) or model}
    if answer.get("id"):
        meta["id"] = as_text(answer["id"])
    if as_mapping(answer.get("usage")):
        meta["usage"] = answer["usage"]
    return meta


def no_choices(answer: object, *, model: str) -> ModelError:
    """Return the error for an answer without anything in it."""
    return ModelError(
        f"Model {model!r} answered without choices: {_excerpt(answer)}. "
        "Check that api_base_url is the root of a chat completions API; it often ends in /v1."
    )


def raise_for_error(answer: object, *, model: str, partial_text: str = "") -> None:
    """Raise if this answer, chunk or choice is an error object, in any of its spellings.

    Raises:
        ModelError: it is; the text is the provider's.
    """
    given = as_mapping(answer)
    error: object = given.get("error")
    if not error:
        kinds = (given.get("object"), given.get("type"))
        if given.get("choices") or "error" not in kinds:
            return
        error = given
    facts = as_mapping(error) or {"message": error}
    code = as_text(facts.get("code") or facts.get("type")) or None
    said = as_text(facts.get("message")) or _excerpt(error)
    raise ModelError(
        f"The provider of model {model!r} reported an error in its answer: "
        f"{printable(said, limit=400)}. Try again later, or with another model.",
        status=int(code) if code and code.isdecimal() and len(code) == 3 else None,
        code=code,
        partial_text=partial_text,
        is_retryable=True,
    )


def raise_for_failure(finish_reason: str | None, *, model: str, partial_text: str) -> None:
    """Raise if the reason for the end of a reply says that it was broken off.

    Raises:
        ModelError: it does; the text so far is on the error.
    """
    if finish_reason and finish_reason.lower() in FAILURES:
        raise ModelError(
            f"Model {model!r} broke off its reply with finish_reason {finish_reason!r} after "
            f"{len(partial_text)} characters. Try again, or with another model.",
            code=finish_reason,
            partial_text=partial_text,
            is_retryable=True,
        )


def _draft(choice: object, position: int, *, model: str) -> ReplyDraft:
    raise_for_error(choice, model=model)
    given = as_mapping(choice)
    message = as_mapping(given.get("message"))
    text, thinking, refusal = content_pieces(message.get("content"))
    finish_reason = as_text(given.get("finish_reason")) or None
    raise_for_failure(finish_reason, model=model, partial_text=text)
    index = given.get("index")
    draft = ReplyDraft(
        index=index if isinstance(index, int) else position,
        text=join_text([text]),
        reasoning=join_text([thinking]),
        refusal=as_text(message.get("refusal")) or refusal,
        calls=read_calls(message),
        finish_reason=finish_reason,
        logprobs=given.get("logprobs"),
        extra={key: value for key, value in message.items() if is_unknown_field(key, value)},
    )
    for name in REASONING_FIELDS:
        told = message.get(name)
        if isinstance(told, str) and told:
            draft.reasoning, draft.reasoning_field = join_text([told]), name
            break
    return draft


def _excerpt(value: object) -> str:
    text = value if isinstance(value, str) else encode(value).decode()
    return printable(text.strip(), limit=200) or "nothing"
