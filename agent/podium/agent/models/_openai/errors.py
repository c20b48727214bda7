"""The SDK's exceptions as ModelError: what the provider said, and what to do about it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import httpx2
import openai

from podium.agent.errors import ModelError
from podium.agent.models._openai.reply_draft import as_mapping, as_text
from podium.agent.models._openai.retries import NO_CREDIT, retry_after_seconds
from podium.tools import printable

_MENDS = {
    401: "Set the right key, as in api_key=Secret.from_env_var('OPENAI_API_KEY').",
    403: "Use a key that may use this model, or another model.",
    404: "Check model= and api_base_url=; the latter often ends in /v1.",
    413: "Send fewer or shorter messages.",
    429: "Wait, lower max_concurrency, or raise max_retries.",
}
_OTHER_MEND = "Change the request as the provider says."
_LATER_MEND = "Try again later, raise max_retries, or fall back on another model."
_RETRYABLE = frozenset({408, 409, 429})
_OWN_FAILURES = frozenset({500, 503, 529})
"""What a provider says of itself: it failed, or is overloaded. It charges for neither."""
_KEY_CHARS = 6
"""What is shorter is no key but a placeholder, for servers that want none: a word like others."""


def as_model_error(error: Exception, *, model: str, client: openai.AsyncOpenAI) -> ModelError:
    """Return the error for a call that failed; the key is in no text of it or of its cause."""
    redact(error, client.api_key)
    place = f"model {model!r} at {shown_url(client.base_url)}"
    if isinstance(error, openai.APIStatusError):
        return _refusal(error, place, client.api_key)
    if isinstance(error, openai.APIConnectionError):
        return _no_answer(error, place, client)
    # Not every failure of a transport is one the SDK knows.
    return ModelError(
        f"The call of {place} failed with {type(error).__name__}: {_short(error)}. "
        "Correct what it names."
    )


def shown_url(url: httpx2.URL) -> str:
    """Return the URL without user, password and query, which may hold secrets."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}{url.path}"


def _refusal(error: openai.APIStatusError, place: str, key: str) -> ModelError:
    status = error.status_code
    facts = as_mapping(error.body)
    code = as_text(facts.get("code") or facts.get("type")) or None
    said = as_text(facts.get("message") or facts.get("detail") or error.body) or "no reason given"
    said = printable(" ".join(_without(key, said).split()), limit=400)
    mend = _MENDS.get(status, _LATER_MEND if status >= 500 else _OTHER_MEND)
    if code in NO_CREDIT:
        mend = "Add credit to the account, or use another key."
    elif code == "context_length_exceeded":
        mend = "Send fewer or shorter messages."
    verb = "failed" if status >= 500 else "was refused"
    return ModelError(
        f"The call of {place} {verb} with status {status}: {said.rstrip('.')}. {mend}",
        status=status,
        code=code,
        is_retryable=(status >= 500 or status in _RETRYABLE) and code not in NO_CREDIT,
        was_refused=status < 500 or status in _OWN_FAILURES,
        retry_after_seconds=retry_after_seconds(error.response.headers),
    )


def _no_answer(
    error: openai.APIConnectionError, place: str, client: openai.AsyncOpenAI
) -> ModelError:
    if _was_never_reached(error):
        return ModelError(
            f"The server of {place} was not reached: {_short(_root(error))}. "
            "Check that it runs and that api_base_url= is right.",
            is_retryable=True,
            was_refused=True,
        )
    if _timed_out(error):
        return ModelError(
            f"No answer of {place} came within {client.timeout} seconds. "
            "Raise timeout= or lower max_concurrency=.",
            is_retryable=True,
        )
    return ModelError(
        f"The connection to {place} broke before the answer was there: "
        f"{_short(_root(error))}. {_LATER_MEND}",
        is_retryable=True,
    )


def _was_never_reached(error: BaseException) -> bool:
    # aiohttp's failed connections come as time-outs; their cause says what they are.
    refused = (httpx2.ConnectError, ConnectionRefusedError, socket.gaierror)
    return any(
        isinstance(one, refused)
        or "ClientConnectorError" in {kind.__name__ for kind in type(one).__mro__}
        for one in _causes(error)
    )


def _timed_out(error: openai.APIConnectionError) -> bool:
    # aiohttp's broken connections come as time-outs, too.
    aiohttp = [one for one in _causes(error) if type(one).__module__.startswith("aiohttp")]
    is_one = not aiohttp or any(isinstance(one, TimeoutError) for one in aiohttp)
    return isinstance(error, openai.APITimeoutError) and is_one


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _root(error: BaseException) -> BaseException:
    return list(_causes(error))[-1]


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return printable(text, limit=200) or type(error).__name__


def redact(error: BaseException, key: str) -> None:
    """Take the key out of the texts of an error and of what caused it: providers may echo it."""
    for one in _causes(error):
        args: tuple[Any, ...] = one.args
        if any(key in str(arg) for arg in args):
            one.args = tuple(_without(key, arg) if isinstance(arg, str) else arg for arg in args)


def _without(key: str, text: str) -> str:
    return text.replace(key, "***") if len(key) >= _KEY_CHARS else text
