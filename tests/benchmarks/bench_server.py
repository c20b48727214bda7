"""The model provider of the benchmarks: a process of its own, so that its CPU time never counts.

The model's name says what it answers:

    steps-N   calls its tool N-1 times, one call a step, then answers
    team-N    calls each of its N tools at once, then answers
    words-N   streams N words, a few in each write

The first part of the path says how many milliseconds it thinks: `/20/v1/chat/completions`. `/count`
tells how many requests have been answered.
"""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from typing import Any

from bench_task import ANSWER

from podium.agent.testing._http import Connection, HttpRequest, Playback, chunked, whole

EVENTS_PER_WRITE = 8
BACKLOG = 2048

# As many as the real service sends: reading them is part of what a call costs.
HEADERS = {
    "date": "Tue, 02 Jun 2026 10:00:00 GMT",
    "access-control-expose-headers": "X-Request-ID",
    "openai-organization": "user-x0h3mfvxwkq2d8rz5tn1bcye",
    "openai-processing-ms": "413",
    "openai-project": "proj_9Lk2vTqWm3XcYb7RnZd5HsGf",
    "openai-version": "2020-10-01",
    "x-request-id": "req_7d1f0c2e9b8a4f6d8c3b5a7e9f1d2c4b",
    "x-ratelimit-limit-requests": "10000",
    "x-ratelimit-limit-tokens": "30000000",
    "x-ratelimit-remaining-requests": "9999",
    "x-ratelimit-remaining-tokens": "29999311",
    "x-ratelimit-reset-requests": "6ms",
    "x-ratelimit-reset-tokens": "1ms",
    "strict-transport-security": "max-age=31536000; includeSubDomains; preload",
    "x-content-type-options": "nosniff",
}
USAGE = {
    "prompt_tokens": 211,
    "completion_tokens": 24,
    "total_tokens": 235,
    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
}
FRAME: dict[str, Any] = {
    "created": 1_780_394_400,
    "service_tier": "default",
    "system_fingerprint": "fp_44709d6fcb",
}


class Provider:
    """Answers requests and counts them."""

    def __init__(self) -> None:
        """Start at zero."""
        self.count = 0

    def answer(self, http: HttpRequest) -> Playback:
        """Return the answer to one request."""
        if http.path == "/count":
            return whole(200, str(self.count).encode())
        self.count += 1
        body: dict[str, Any] = json.loads(http.body)
        kind, _, size = str(body["model"]).partition("-")
        think_seconds = int(http.path.split("/")[1]) / 1000
        if kind == "words":
            writes = [(0.0, write) for write in _stream(body["model"], int(size))]
            return chunked(writes, content_type="text/event-stream", delay_seconds=think_seconds)
        message = self._message(kind, int(size), body)
        encoded = json.dumps(_completion(self.count, body["model"], message)).encode()
        return whole(200, encoded, headers=HEADERS, delay_seconds=think_seconds)

    def _message(self, kind: str, size: int, body: dict[str, Any]) -> dict[str, Any]:
        said = sum(1 for message in body["messages"] if message["role"] == "assistant")
        message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
        names = [tool["function"]["name"] for tool in body.get("tools") or ()]
        asked: list[tuple[str, dict[str, Any]]]
        if kind == "team" and said == 0:
            asked = [(name, {"task": f"Find out what {name} knows."}) for name in names[:size]]
        elif kind == "steps" and said < size - 1:
            asked = [(names[0], {"topic": f"part {said} of the question", "page": said})]
        else:
            return {**message, "content": ANSWER, "annotations": []}
        calls = [
            {
                "id": f"call_{self.count:020d}{position:04d}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for position, (name, arguments) in enumerate(asked)
        ]
        return {**message, "tool_calls": calls, "annotations": []}


def _completion(number: int, model: str, message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    return {
        "id": f"chatcmpl-{number:029d}",
        "object": "chat.completion",
        "model": model,
        **FRAME,
        "choices": [choice],
        "usage": USAGE,
    }


@functools.cache
def _stream(model: str, words: int) -> list[bytes]:
    """Return what is written of a streamed answer: always the same, so it is made once."""
    frame = {
        "id": f"chatcmpl-{words:029d}",
        "object": "chat.completion.chunk",
        "model": model,
        **FRAME,
    }

    def event(delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return b"data: " + json.dumps({**frame, "choices": [choice], "usage": None}).encode()

    events = [event({"role": "assistant", "content": "", "refusal": None})]
    events += [event({"content": " word"}) for _ in range(words)]
    events += [event({}, "stop")]
    events += [b"data: " + json.dumps({**frame, "choices": [], "usage": USAGE}).encode()]
    events += [b"data: [DONE]"]
    return [
        b"".join(one + b"\n\n" for one in events[start : start + EVENTS_PER_WRITE])
        for start in range(0, len(events), EVENTS_PER_WRITE)
    ]


async def _serve() -> None:
    provider, connections = Provider(), set[Connection]()
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(provider.answer, connections), "127.0.0.1", 0, backlog=BACKLOG
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    # Whoever started this holds the other end of its input: when that closes, it is done.
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve())
