"""Responses as messages, and the ways in which one says that it failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._openai.answer import answer_meta, raise_for_error, read_body
from podium.agent.models._openai.json_text import join_text
from podium.agent.models._openai.reply_draft import (
    ReplyDraft,
    as_list,
    as_mapping,
    as_text,
    make_call,
)
from podium.agent.models._responses.items import (
    BETWEEN_MESSAGES,
    Item,
    carried_of,
    message_text,
)
from podium.tools import clean_json, printable
from podium.tracing import Usage

_ENDED = frozenset({"", "completed", "incomplete"})
"""What the status of a usable response says; some servers say none."""


def read_response(body: bytes, model: str, *, server: str) -> list[ChatMessage]:
    """Return the reply in a whole answer, as a list of one.

    Raises:
        ModelError: the body is no response, or says that the provider failed.
    """
    answer = read_body(body)
    raise_for_error(answer, model=model)
    response = as_mapping(answer)
    if not isinstance(response.get("output"), list):
        raise no_output(answer, model=model)
    return [response_to_message(response, model=model, server=server)]


def response_to_message(response: Mapping[str, Any], *, model: str, server: str) -> ChatMessage:
    """Return a response's reply.

    Raises:
        ModelError: the response failed, was cancelled, or is not there yet.
    """
    listed = map(as_mapping, as_list(response.get("output")))
    output = [item for item in listed if isinstance(item.get("type"), str)]
    text = BETWEEN_MESSAGES.join(filter(None, map(message_text, _of(output, "message"))))
    raise_for_status(response, model=model, partial_text=text)
    usage = Usage.of_call(response.get("usage"))
    draft = ReplyDraft(
        text=join_text([text]),
        reasoning=join_text([BETWEEN_MESSAGES.join(_thoughts(output))]),
        reasoning_extra=clean_carried(output, server, usage.reasoning_tokens),
        refusal="".join(_refusals(output)),
        calls=[
            make_call(
                as_text(item.get("name")),
                item.get("arguments"),
                as_text(item.get("call_id") or item.get("id")),
            )
            for item in _of(output, "function_call")
        ],
        finish_reason=end_of(response),
    )
    return draft.to_message(answer_meta(response, model=model))


def raise_for_status(response: Mapping[str, Any], *, model: str, partial_text: str) -> None:
    """Raise if a response did not come to its end.

    Raises:
        ModelError: it did not; the text so far is on the error.
    """
    raise_for_error(response, model=model, partial_text=partial_text)
    status = as_text(response.get("status"))
    if status not in _ENDED:
        raise ModelError(
            f"The response of model {model!r} has the status {status!r} after {len(partial_text)} "
            "characters, so it is no whole answer. Try again, and leave out background=.",
            code=status,
            partial_text=partial_text,
            is_retryable=True,
        )


def end_of(response: Mapping[str, Any]) -> str | None:
    """Return the provider's word for why the reply is not whole; None for one that is."""
    if response.get("status") != "incomplete":
        return None
    return as_text(as_mapping(response.get("incomplete_details")).get("reason")) or "length"


def no_output(answer: object, *, model: str) -> ModelError:
    """Return the error for an answer that is no response."""
    return ModelError(
        f"Model {model!r} answered without output: {printable(str(answer), limit=200)}. Check that "
        "api_base_url is the root of a responses API, or use OpenAIChatGenerator.",
    )


def clean_carried(output: Sequence[Item], server: str, reasoning_tokens: int) -> dict[str, Any]:
    """Return what goes back with the reply, as data that can be stored and sent."""
    carried = carried_of(output, server=server, reasoning_tokens=reasoning_tokens)
    return dict(as_mapping(clean_json(carried)))


def _of(output: Iterable[Item], kind: str) -> list[Item]:
    return [item for item in output if item.get("type") == kind]


def _thoughts(output: Iterable[Item]) -> list[str]:
    """Return the parts of what was thought: in full where it is shown, else in summary."""
    thoughts: list[str] = []
    for item in _of(output, "reasoning"):
        parts = as_list(item.get("content")) or as_list(item.get("summary"))
        thoughts += [as_text(as_mapping(part).get("text")) for part in parts]
    return [thought for thought in thoughts if thought]


def _refusals(output: Iterable[Item]) -> list[str]:
    parts = [as_mapping(part) for item in output for part in as_list(item.get("content"))]
    return [as_text(part.get("refusal")) for part in parts if part.get("type") == "refusal"]
