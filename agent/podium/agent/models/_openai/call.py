"""One call of an API, whole or streamed, as bytes through the openai SDK.

The SDK's own `create` walks all messages through its types on each call, which on a long history
costs a hundred times the rest. Its `post` takes bytes and keeps what matters: keys, retries with
back-off, time-outs and errors.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from typing import Any, cast

import anyio
import httpx2
import openai

from podium.agent.errors import ModelError
from podium.agent.messages import ChatMessage
from podium.agent.models._openai.api import ModelCall
from podium.agent.models._openai.errors import as_model_error, redact
from podium.agent.models._openai.sse import BrokenEventError, EventReader
from podium.agent.models._protocol import StreamingCallback
from podium.tools import printable

DRAIN_SECONDS = 0.5
"""How long to wait after the last event for the end, which frees the connection for reuse."""


async def fetch_replies(client: openai.AsyncOpenAI, call: ModelCall) -> list[ChatMessage]:
    """Send the call and return the replies.

    Raises:
        ModelError: the provider could not be reached, refused, or answered no replies.
    """
    try:
        response = await client.post(
            call.api.path,
            content=call.body,
            cast_to=httpx2.Response,
            options=cast("Any", call.options),
        )
    except Exception as error:
        raise as_model_error(error, model=call.model, client=client) from error
    with _without_key(client):
        return call.api.read_answer(response.content, call.model)


async def stream_replies(
    client: openai.AsyncOpenAI, call: ModelCall, callback: StreamingCallback
) -> list[ChatMessage]:
    """Send the call, hand each chunk of the answer to the callback, and return the replies.

    The connection is closed when the callback raises or the task is cancelled.

    Raises:
        ModelError: as `fetch_replies`, or the stream broke off; its text so far is on the error.
    """
    try:
        answer = await client.post(
            call.api.path,
            content=call.body,
            cast_to=httpx2.Response,
            options=cast("Any", call.options),
            stream=True,
            stream_cls=openai.AsyncStream[Any],
        )
    except Exception as error:
        raise as_model_error(error, model=call.model, client=client) from error
    response = cast("httpx2.Response", answer)  # with this cast_to the SDK hands it out unread
    reads = response.aiter_bytes()
    # Some servers cannot stream, and errors may come so: one document in the place of events.
    reader = EventReader(is_document="json" in response.headers.get("content-type", ""))
    try:
        with _without_key(client):
            return await _assemble(reads, reader, call, callback)
    finally:
        with anyio.CancelScope(shield=True):
            await reads.aclose()
            await response.aclose()


@contextmanager
def _without_key(client: openai.AsyncOpenAI) -> Generator[None]:
    """Keep the key out of errors that tell what an answer said."""
    try:
        yield
    except ModelError as error:
        redact(error, client.api_key)
        raise


async def _assemble(
    reads: AsyncGenerator[bytes], reader: EventReader, call: ModelCall, callback: StreamingCallback
) -> list[ChatMessage]:
    replies = call.api.open_stream(call.model, call.tool_names)
    data: bytes | None = b""
    while data is not None and not (reader.is_done or replies.is_over):
        try:
            data = await anext(reads, None)
        except Exception as error:
            if not replies.are_finished:
                raise replies.ended_early(_in_words(error)) from error
            data = None
        try:
            events = reader.close() if data is None else reader.feed(data)
        except BrokenEventError as error:
            raise replies.ended_early(f"an event is no JSON: {printable(str(error))}") from error
        for event in events:
            for chunk in replies.add(event):
                outcome: Any = callback(chunk)
                if outcome is not None and inspect.isawaitable(outcome):
                    await outcome
    if data is not None:
        await _drain(reads)
    return replies.finish(is_done=reader.is_done, stray=reader.stray)


async def _drain(reads: AsyncGenerator[bytes]) -> None:
    """Read to the end, which a server that has said `[DONE]` sends at once, if it sends one."""
    with anyio.move_on_after(DRAIN_SECONDS):
        try:
            async for _ in reads:
                pass
        except Exception:  # the answer is complete; the connection is just not used again
            return


def _in_words(error: Exception) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return "nothing more came within the time-out"
    return printable(" ".join(str(error).split()), limit=200) or type(error).__name__
