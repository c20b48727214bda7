"""Calls that fail: the provider's words, what to do, and never the key."""

from __future__ import annotations

import pickle
import socket
import traceback
from typing import Any

import httpx2
import pytest

from podium.agent.errors import ModelError
from podium.agent.models import OpenAIChatGenerator
from podium.agent.testing import Drop, FakeOpenAIServer, Fault, Reply

pytestmark = pytest.mark.anyio

KEY = "sk-canary-0123456789"


async def failure(url: str, **settings: Any) -> ModelError:
    """Return the error of one call to `url`."""
    defaults: dict[str, Any] = {"api_key": KEY, "model": "m", "max_retries": 0}
    generator = OpenAIChatGenerator(api_base_url=url, **{**defaults, **settings})
    with pytest.raises(ModelError) as caught:
        await generator.run_async("Hi")
    return caught.value


def said(message: str, **fields: object) -> dict[str, object]:
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("fault", "text", "code", "is_retryable"),
    [
        (
            Fault(401, said("Incorrect API key provided.", code="invalid_api_key")),
            "was refused with status 401: Incorrect API key provided. Set the right key",
            "invalid_api_key",
            False,
        ),
        (
            Fault(403, said("Not yours")),
            "Not yours. Use a key that may use this model",
            None,
            False,
        ),
        (
            Fault(404, said("No such model", type="not_found")),
            "No such model. Check model= and api_base_url=",
            "not_found",
            False,
        ),
        (
            Fault(413, "too much"),
            "status 413: too much. Send fewer or shorter messages",
            None,
            False,
        ),
        (
            Fault(400, said("Too long", code="context_length_exceeded")),
            "Too long. Send fewer or shorter messages.",
            "context_length_exceeded",
            False,
        ),
        (Fault(422, {"detail": "bad n"}), "bad n. Change the request", None, False),
        (Fault(429, said("Slow down")), "Slow down. Wait, lower max_concurrency", None, True),
        (
            Fault(429, said("No money", code="insufficient_quota")),
            "No money. Add credit",
            "insufficient_quota",
            False,
        ),
        (Fault(409, said("Busy")), "Busy. Change the request", None, True),
        (
            Fault(500, said("upstream")),
            "failed with status 500: upstream. Try again later",
            None,
            True,
        ),
        (Fault(502, "<html>\n Bad\n gateway"), "<html> Bad gateway. Try again later", None, True),
        (Fault(503, ""), "status 503: no reason given", None, True),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Fault) else "",
)
async def test_a_status_says_what_the_provider_said_and_what_to_do(
    fault: Fault, text: str, code: str | None, is_retryable: bool
) -> None:
    with FakeOpenAIServer([fault]) as server:
        error = await failure(server.base_url)

    assert text in str(error)
    assert f"model 'm' at {server.base_url}/" in str(error)
    assert error.status == fault.status
    assert error.code == code
    assert error.is_retryable is is_retryable
    assert error.was_refused is (fault.status != 502)  # behind a gateway the work may go on
    assert error.__cause__ is not None


@pytest.mark.parametrize("status", [401, 500])
async def test_a_key_that_the_provider_repeats_is_in_no_traceback(status: int) -> None:
    with FakeOpenAIServer([Fault(status, said(f"Incorrect API key {KEY} provided"))]) as server:
        error = await failure(server.base_url)

    assert "Incorrect API key *** provided" in str(error)
    assert KEY not in "".join(traceback.format_exception(error))


async def test_a_server_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]

    error = await failure(f"http://127.0.0.1:{port}/v1?key=hidden")

    assert f"at http://127.0.0.1:{port}/v1/ was not reached" in str(error)
    assert "Check that it runs" in str(error)
    assert "hidden" not in str(error)
    assert (error.was_refused, error.is_retryable, error.status) == (True, True, None)


async def test_an_answer_that_does_not_come_is_a_time_out() -> None:
    with FakeOpenAIServer([Reply("late", delay_seconds=30)], strict=False) as server:
        error = await failure(server.base_url, timeout=0.2)

    assert "came within 0.2 seconds. Raise timeout=" in str(error)
    assert (error.was_refused, error.is_retryable) == (False, True)


@pytest.mark.parametrize("after_bytes", [0, 60])
async def test_a_connection_that_breaks_is_told_from_a_time_out(after_bytes: int) -> None:
    with FakeOpenAIServer([Drop(after_bytes=after_bytes)]) as server:
        error = await failure(server.base_url)

    assert "broke before the answer was there" in str(error)
    assert (error.was_refused, error.is_retryable) == (False, True)


async def test_the_number_of_tries_is_told() -> None:
    soon = {"retry-after-ms": "1"}

    with FakeOpenAIServer([Fault(503, headers=soon), Drop()]) as server:
        error = await failure(server.base_url, max_retries=1)

    assert error.__notes__ == ["It was tried 2 times."]


async def test_what_the_sdk_does_not_know_is_a_model_error_too() -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise LookupError(f"no way to send {KEY}")

    error = await failure(
        "http://127.0.0.1:1/v1", http_client_kwargs={"transport": httpx2.MockTransport(fail)}
    )

    assert "failed with LookupError: no way to send ***" in str(error)


async def test_an_address_without_an_api_says_what_it_answers() -> None:
    with FakeOpenAIServer([Fault(200, "<html>Welcome</html>")]) as server:
        error = await failure(server.base_url)

    assert "answered without choices: <html>Welcome</html>. Check that api_base_url" in str(error)


def test_a_model_error_survives_pickling() -> None:
    error = ModelError(
        "Model 'm' failed.", status=503, code="full", partial_text="Half", is_retryable=True
    )

    copy = pickle.loads(pickle.dumps(error))

    assert (str(copy), vars(copy)) == (str(error), vars(error))


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "body", [said(f"The key {KEY} has no credit"), {"id": KEY, "choices": []}, f"<p>{KEY}</p>"]
)
async def test_a_key_in_an_answer_that_is_none_is_in_no_traceback(
    body: dict[str, object] | str, streamed: bool
) -> None:
    def ignore(chunk: object) -> None: ...

    async with FakeOpenAIServer([Fault(200, body)]) as server:
        error = await failure(server.base_url, streaming_callback=ignore if streamed else None)

    assert KEY not in "".join(traceback.format_exception(error))
    assert "***" in str(error)


async def test_a_placeholder_for_a_key_stays_a_word() -> None:
    async with FakeOpenAIServer([Fault(400, said("none of the tools fit"))]) as server:
        error = await failure(server.base_url, api_key="none")

    assert "none of the tools fit" in str(error)
